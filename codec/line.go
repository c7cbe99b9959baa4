package codec

import (
	"bytes"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Line cuts bytes into lines that end in \n or \r\n and emits each as a *buffer.Buffer, which the receiver must
// Release. A line over the limit is one *TooLongError and is dropped without being held; the next line is a frame
// again. The zero value is ready; do not copy it once used.
type Line struct {
	Unshared
	// MaxBytes is the limit of one line without its end. 0 = DefaultMaxLine.
	MaxBytes int
	// KeepEnd leaves the line end in the frame.
	KeepEnd bool
	// ReportLate reports a line that is too long when all of it is dropped, with its length, and not as soon as
	// it is known to be.
	ReportLate bool

	cutter
	scanned    int // bytes at the front of the window in which no line end is
	discarding bool
	dropped    int64  // bytes dropped of the current line
	droppedCR  bool   // the last of them was \r
	work       uint64 // bytes looked at, for the test of linearity
}

var (
	_ Decoder[*buffer.Buffer]    = (*Line)(nil)
	_ EOFDecoder[*buffer.Buffer] = (*Line)(nil)
	_ Bounded                    = (*Line)(nil)
	_ Resetter                   = (*Line)(nil)
)

// Decode implements Decoder. The caller must Release f.
func (l *Line) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	for in.Len() > 0 {
		b := in.Bytes()
		from := min(l.scanned, len(b))
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			l.work += uint64(len(b) - from)
			return nil, false, l.partial(in)
		}
		l.work += uint64(i + 1)
		l.scanned = 0
		if f, err = l.line(in, from+i); f != nil || err != nil {
			return f, f != nil, err
		}
	}
	return nil, false, nil
}

// line takes the line whose \n is at offset end. It is nil when it was the rest of a dropped one.
func (l *Line) line(in *buffer.Buffer, end int) (*buffer.Buffer, error) {
	n := end
	if n > 0 && in.Bytes()[n-1] == '\r' {
		n--
	}
	if l.discarding {
		if end == 0 && l.droppedCR {
			n--
		}
		in.Skip(end + 1)
		return nil, l.late(n)
	}
	switch {
	case n > l.limit():
		in.Skip(end + 1)
		return nil, l.tooLong(int64(n))
	case l.KeepEnd:
		return l.cut(in, end+1), nil
	}
	f := l.cut(in, n)
	in.Skip(end + 1 - n)
	return f, nil
}

// partial deals with bytes that have no line end.
func (l *Line) partial(in *buffer.Buffer) error {
	b := in.Bytes()
	n := len(b)
	if b[n-1] == '\r' && !l.discarding {
		n-- // may be half of a line end
	}
	if !l.discarding && n <= l.limit() {
		l.scanned = len(b)
		return nil
	}
	begins := !l.discarding
	l.discarding, l.scanned = true, 0
	l.dropped += int64(len(b))
	l.droppedCR = b[len(b)-1] == '\r'
	in.Skip(len(b))
	if begins && !l.ReportLate {
		return l.tooLong(0)
	}
	return nil
}

// late ends the dropping of a line of which n more bytes have come, and reports it if that was not done before.
func (l *Line) late(n int) error {
	length := l.dropped + int64(n)
	l.Reset()
	if !l.ReportLate {
		return nil
	}
	return l.tooLong(length)
}

// tooLong says the same however the line arrived: early there is no length in it.
func (l *Line) tooLong(n int64) error {
	if !l.ReportLate {
		n = 0
	}
	return &TooLongError{Codec: "line", Limit: l.limit(), Length: n}
}

// DecodeEOF implements EOFDecoder: bytes without a line end are a *TruncatedError.
func (l *Line) DecodeEOF(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if f, ok, err = l.Decode(in); ok || err != nil {
		return f, ok, err
	}
	if l.discarding {
		return nil, false, l.late(0)
	}
	l.scanned = 0
	return nil, false, truncated(in, "line")
}

func (l *Line) limit() int { return orDefault(l.MaxBytes, DefaultMaxLine) }

// MaxHeld implements Bounded: a line and half of its end.
func (l *Line) MaxHeld() int { return l.limit() + 1 }

// Reset implements Resetter.
func (l *Line) Reset() { l.scanned, l.discarding, l.dropped, l.droppedCR = 0, false, 0, false }
