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

const (
	// freeOfRatio is how much may come out beyond the ratio, in bytes: a short text of one letter is no attack.
	freeOfRatio = 64 << 10
	// capSpan is the number of compressed bytes of a stream that are counted together at least.
	capSpan = 64 << 10
)

// ErrInflatedTooMuch is matched by the error for compressed bytes that would become more than a Cap allows.
var ErrInflatedTooMuch = errors.New("codec: inflates to too much")

// Cap limits what compressed bytes may become, the same for all algorithms. It is checked while they are inflated,
// before the bytes are passed on. The zero value is the default; no limit can be turned off, only raised.
//
// What is counted together? Of a message everything, see Inflater.Messages. A stream that lasts as long as its
// connection would reach every number in time, however healthy, so there the limits hold for each stretch of it: for
// the last 64 to 128 KiB of compressed bytes, at any time. A stream passes, however long, when each 128 KiB of it keep
// the limits; a bomb is cut wherever it begins, and what came before pays for nothing.
type Cap struct {
	// MaxBytes is how many bytes may come out of a message or a stretch. 0 = 16 MiB, which is more than the ratio allows
	// for a stretch.
	MaxBytes int
	// MaxRatio is how many bytes may come out of a message or a stretch for each one that went in, beyond the 64 KiB
	// that always may. 0 = 100.
	MaxRatio int
	// MaxWindow is how much memory a zstd stream may ask for, in bytes; a stream of twenty bytes can do that. 0 =
	// 8 MiB, as RFC 8878, 3.1.1.1.2, recommends to support. The other algorithms need 36 KiB.
	MaxWindow int
}

// windowBytes is MaxWindow or its default.
func (c Cap) windowBytes() int { return orDefault(c.MaxWindow, DefaultMaxWindow) }

// tally counts what a Cap limits.
type tally struct {
	in, out       int64 // of the message, or of the stretch that is running
	inOld, outOld int64 // of the stretch before that
}

// took counts n bytes that the library takes.
func (t *tally) took(n int, messages bool) {
	if t.in >= capSpan && !messages {
		t.inOld, t.outOld = t.in, t.out
		t.in, t.out = 0, 0
	}
	t.in += int64(n)
}

// made counts n bytes that have come out, and says whether they may. ahead is how many bytes were counted as taken that
// are not used yet.
func (t *tally) made(n, ahead int, limit Cap, codec Compression) error {
	t.out += int64(n)
	in, out := t.inOld+t.in-int64(ahead), t.outOld+t.out
	most := int64(orDefault(limit.MaxBytes, DefaultMaxInflated))
	ratio := int64(orDefault(limit.MaxRatio, DefaultMaxRatio))
	if out <= most && (out-freeOfRatio)/ratio <= in {
		return nil
	}
	return &CapError{Compression: codec, In: in, Out: out, MaxBytes: most, MaxRatio: ratio}
}

// CapError says by how much compressed bytes exceed a Cap. It matches ErrInflatedTooMuch.
type CapError struct {
	Compression        Compression
	In, Out            int64 // bytes that went in, and that would have come out, as far as they are counted together
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
