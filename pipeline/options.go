package pipeline

import (
	"log/slog"
	"time"
)

// Options are a channel's settings. The zero value means the defaults given here; no limit can be turned
// off, only raised. One Options value may serve many channels and must not be changed while it does.
type Options struct {
	// WriteHigh and WriteLow are the watermarks in queued bytes: above high the channel is not Writable
	// and not read from, below low it is again. 0 = 64 KiB and 32 KiB; a low mark not below the high one
	// is half of it.
	WriteHigh, WriteLow int
	// HardCap is the number of queued bytes that no write may exceed. What Channel.Send has posted and the loop has
	// not taken up yet is held to the same number once more, so that a channel may hold twice as much; there a
	// message that is not bytes counts as 512. 0 = 16 MiB.
	HardCap int
	// WriteStall closes a channel whose peer took no byte for so long while bytes were waiting.
	// 0 = 30 s.
	WriteStall time.Duration
	// Linger is how long a drained close waits for the peer's FIN after ours. 0 = 2 s.
	Linger time.Duration
	// MaxReads is the number of socket reads in one batch. 0 = 16.
	MaxReads int
	// ManualFlush leaves flushing to the handlers: nothing is sent before Flush.
	ManualFlush bool
	// AllowHalfClose keeps the channel open after the peer's FIN until we close too. Otherwise the FIN
	// closes the channel by CloseDrain, after HandleReadClosed.
	AllowHalfClose bool
	// ReadWhileUnwritable keeps reading the socket although more than WriteHigh bytes are queued.
	ReadWhileUnwritable bool
	// Logger gets what the channel reports. nil = slog.Default().
	Logger *slog.Logger
}

// Defaults of Options.
const (
	DefaultWriteHigh  = 64 << 10
	DefaultWriteLow   = 32 << 10
	DefaultHardCap    = 16 << 20
	DefaultWriteStall = 30 * time.Second
	DefaultLinger     = 2 * time.Second
	DefaultMaxReads   = 16
)

// WithDefaults is o with every zero replaced by its default. Transports call it once per server.
func (o Options) WithDefaults() Options {
	o.WriteHigh = positive(o.WriteHigh, DefaultWriteHigh)
	o.WriteLow = positive(o.WriteLow, DefaultWriteLow)
	if o.WriteLow >= o.WriteHigh {
		o.WriteLow = o.WriteHigh / 2
	}
	o.HardCap = max(positive(o.HardCap, DefaultHardCap), o.WriteHigh)
	o.WriteStall = positive(o.WriteStall, DefaultWriteStall)
	o.Linger = positive(o.Linger, DefaultLinger)
	o.MaxReads = positive(o.MaxReads, DefaultMaxReads)
	return o
}

func positive[T int | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}
