package codec

import (
	"bytes"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Delimiter cuts bytes into frames that end in one of several delimiters and emits each as a *buffer.Buffer, which the
// receiver must Release. The delimiter that is complete first ends the frame; of several that end at the same byte the
// longest does, so that the frame is as short as it can be ("\r\n" beside "\n"). This does not depend on how the bytes
// arrive. A frame over the limit is one *TooLongError and is dropped without being held. Do not copy it once used.
type Delimiter struct {
	Unshared
	// Delimiters end a frame. Required; none may be empty. Do not change them once used.
	Delimiters [][]byte
	// MaxBytes is the limit of one frame without its delimiter. 0 = DefaultMaxLine.
	MaxBytes int
	// KeepEnd leaves the delimiter in the frame.
	KeepEnd bool
	// ReportLate reports a frame that is too long when all of it is dropped, with its length, and not as soon as
	// it is known to be.
	ReportLate bool

	cutter
	hunts      []hunt
	longest    int // bytes of the longest delimiter
	discarding bool
	dropped    int64  // bytes dropped of the current frame
	work       uint64 // bytes looked at, for the test of linearity
}

// hunt is the search for one delimiter. What it has found stays valid while frames in front of it are taken, so
// that a delimiter that is rare is not searched for again behind each frame.
type hunt struct {
	delim []byte
	at    int // where it begins next, from the window's start; -1: not found yet
	from  int // it does not begin before this offset, unless it was found
}

var (
	_ Decoder[*buffer.Buffer]    = (*Delimiter)(nil)
	_ EOFDecoder[*buffer.Buffer] = (*Delimiter)(nil)
	_ Bounded                    = (*Delimiter)(nil)
	_ Resetter                   = (*Delimiter)(nil)
	_ Checker                    = (*Delimiter)(nil)
)

// Decode implements Decoder. The caller must Release f.
func (d *Delimiter) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if d.hunts == nil {
		if err := d.Check(); err != nil {
			return nil, false, err
		}
		d.begin()
	}
	for in.Len() > 0 {
		at, width := d.find(in.Bytes())
		if width == 0 {
			return nil, false, d.partial(in)
		}
		if f, err = d.frame(in, at, width); f != nil || err != nil {
			return f, f != nil, err
		}
	}
	return nil, false, nil
}

func (d *Delimiter) begin() {
	d.hunts = make([]hunt, len(d.Delimiters))
	for i, delim := range d.Delimiters {
		d.hunts[i] = hunt{delim: delim, at: -1}
		d.longest = max(d.longest, len(delim))
	}
}

// find is the delimiter that ends the frame at the front of b: where it begins, and its length, 0 when none is there.
func (d *Delimiter) find(b []byte) (at, width int) {
	for i := range d.hunts {
		h := &d.hunts[i]
		if h.at < 0 {
			d.work += h.search(b)
		}
		if h.at < 0 {
			continue
		}
		end, best := h.at+len(h.delim), at+width
		if width == 0 || end < best || end == best && len(h.delim) > width {
			at, width = h.at, len(h.delim)
		}
	}
	return at, width
}

// search looks on from where it was and returns how many bytes it looked at.
func (h *hunt) search(b []byte) uint64 {
	from := min(h.from, len(b))
	i := bytes.Index(b[from:], h.delim)
	if i >= 0 {
		h.at = from + i
		return uint64(i + len(h.delim))
	}
	h.from = max(from, len(b)-len(h.delim)+1)
	return uint64(len(b) - from)
}

// consumed moves the search along when n bytes leave the front of the window.
func (h *hunt) consumed(n int) {
	h.from = max(h.from-n, 0)
	if h.at >= n {
		h.at -= n
	} else {
		h.at = -1
	}
}

func (d *Delimiter) skip(in *buffer.Buffer, n int) {
	in.Skip(n)
	for i := range d.hunts {
		d.hunts[i].consumed(n)
	}
}

// frame takes the frame whose delimiter was found. It is nil when it was the rest of a dropped one.
func (d *Delimiter) frame(in *buffer.Buffer, at, width int) (f *buffer.Buffer, err error) {
	switch {
	case d.discarding:
		err = d.late(int64(at))
		d.discarding, d.dropped = false, 0
	case at > d.limit():
		err = d.tooLong(int64(at))
	case d.KeepEnd:
		f = d.front(in, at+width)
	default:
		f = d.front(in, at)
	}
	d.skip(in, at+width)
	return f, err
}

// partial deals with bytes that have no delimiter. The last ones may be the beginning of one.
func (d *Delimiter) partial(in *buffer.Buffer) error {
	n := in.Len() - (d.longest - 1)
	if n <= 0 || !d.discarding && n <= d.limit() {
		return nil
	}
	begins := !d.discarding
	d.discarding = true
	d.dropped += int64(n)
	d.skip(in, n)
	if begins && !d.ReportLate {
		return d.tooLong(0)
	}
	return nil
}

// late reports a dropped frame whose last n bytes have come, if that was not done before.
func (d *Delimiter) late(n int64) error {
	if !d.ReportLate {
		return nil
	}
	return d.tooLong(d.dropped + n)
}

// tooLong says the same however the frame arrived: early there is no length in it.
func (d *Delimiter) tooLong(n int64) error {
	if !d.ReportLate {
		n = 0
	}
	return &TooLongError{Codec: "delimiter", Limit: d.limit(), Length: n}
}

// DecodeEOF implements EOFDecoder: bytes without a delimiter are a *TruncatedError.
func (d *Delimiter) DecodeEOF(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if f, ok, err = d.Decode(in); ok || err != nil {
		return f, ok, err
	}
	if d.discarding {
		err = d.late(int64(in.Len()))
		in.Skip(in.Len())
	} else {
		err = truncated(in, "delimiter")
	}
	d.Reset()
	return nil, false, err
}

func (d *Delimiter) limit() int { return orDefault(d.MaxBytes, DefaultMaxLine) }

// MaxHeld implements Bounded: a frame and its delimiter.
func (d *Delimiter) MaxHeld() int { return d.limit() + d.longest }

// Check implements Checker.
func (d *Delimiter) Check() error { return checkDelimiters(d.Delimiters) }

// Reset implements Resetter.
func (d *Delimiter) Reset() {
	d.discarding, d.dropped = false, 0
	for i := range d.hunts {
		d.hunts[i].at, d.hunts[i].from = -1, 0
	}
}

func checkDelimiters(delims [][]byte) error {
	if len(delims) == 0 {
		return wrongSettings("no delimiters")
	}
	for _, delim := range delims {
		if len(delim) == 0 {
			return wrongSettings("empty delimiter")
		}
	}
	return nil
}
