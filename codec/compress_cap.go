package codec

import (
	"errors"
	"fmt"
)

// Defaults of Cap.
const (
	DefaultMaxInflated = 16 << 20
	DefaultMaxRatio    = 100
	DefaultMaxWindow   = 8 << 20
)

// freeOfRatio is how much may come out before the ratio counts, in bytes: a short text of one letter is no attack.
const freeOfRatio = 64 << 10

// ErrInflatedTooMuch is matched by the error for compressed bytes that would become more than a Cap allows.
var ErrInflatedTooMuch = errors.New("codec: inflates to too much")

// Cap limits what compressed bytes may become. It is checked while they are inflated, before the bytes are passed on.
// The zero value is the default; no limit can be turned off, only raised.
type Cap struct {
	// MaxBytes is how many bytes one stream may inflate to. 0 = 16 MiB. A stream that lasts as long as its connection
	// needs Inflater.Renew, or a limit that is never reached.
	MaxBytes int
	// MaxRatio is how many bytes may come out for each one that went in, once 64 KiB have come out. 0 = 100.
	MaxRatio int
	// MaxWindow is how much memory a zstd stream may ask for, in bytes. 0 = 8 MiB, as RFC 8878, 3.1.1.1.2, recommends
	// to support.
	MaxWindow int
}

// check says whether out bytes may have come of in bytes.
func (c Cap) check(codec Compression, in, out int64) error {
	most := int64(orDefault(c.MaxBytes, DefaultMaxInflated))
	ratio := int64(orDefault(c.MaxRatio, DefaultMaxRatio))
	if out <= most && (out <= freeOfRatio || out/ratio <= in) {
		return nil
	}
	return &CapError{Compression: codec, In: in, Out: out, MaxBytes: most, MaxRatio: ratio}
}

// windowBytes is MaxWindow or its default.
func (c Cap) windowBytes() int { return orDefault(c.MaxWindow, DefaultMaxWindow) }

// CapError says by how much compressed bytes exceed a Cap. It matches ErrInflatedTooMuch.
type CapError struct {
	Compression        Compression
	In, Out            int64 // bytes that went in, and that would have come out so far
	MaxBytes, MaxRatio int64
	MaxWindow          int64 // set when the stream asked for more memory than this many bytes, else 0
}

// Error implements error.
func (e *CapError) Error() string {
	if e.MaxWindow > 0 {
		return fmt.Sprintf("codec: %s: stream asks for a window above %d bytes", e.Compression, e.MaxWindow)
	}
	return fmt.Sprintf("codec: %s: %d bytes inflate to %d or more, limit %d bytes, 1:%d",
		e.Compression, e.In, e.Out, e.MaxBytes, e.MaxRatio)
}

// Is matches ErrInflatedTooMuch.
func (e *CapError) Is(target error) bool { return target == ErrInflatedTooMuch }
