package codectest

import (
	"bytes"
	"fmt"
	"runtime/debug"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// feeding is one decoder on its way through one input, driven as package codec's driver does it, only harsher.
type feeding[M any] struct {
	opts    *Options[M]
	pool    *buffer.Pool
	decoder Decoder[M]
	twice   bool // ask again although nothing has changed

	held   *buffer.Buffer // what the decoder left
	got    []M
	errs   []error // from Decode and DecodeEOF
	before int     // messages that came before the first error
	fault  string  // a rule that the decoder broke
}

const (
	margin   = 8    // bytes of somebody else around the input
	foreign  = 0xee // what they are
	poisoned = 0xdb // what memory becomes when nobody holds it any more
)

// feed gives the decoder what it had left and p, in fresh memory.
func (f *feeding[M]) feed(p []byte) {
	left := 0
	if f.held != nil {
		left = f.held.Len()
	}
	b := f.pool.Get(left + len(p) + 2*margin)
	b.Append(bytes.Repeat([]byte{foreign}, margin))
	if f.held != nil {
		b.Append(f.held.Bytes())
		f.settle()
	}
	b.Append(p)
	fill(b.Reserve(b.Room()), foreign) // stays behind the window
	b.Skip(margin)
	f.held = b
	f.run(f.decoder.Decode, f.twice)
}

// end tells the decoder that no more bytes come.
func (f *feeding[M]) end() {
	d, ok := f.decoder.(eofDecoder[M])
	if !ok || f.fault != "" {
		return
	}
	if f.held == nil {
		f.held = f.pool.Get(0)
	}
	f.run(d.DecodeEOF, false)
}

// run calls decode until it has nothing more to say, and looks at what it did to the bytes.
func (f *feeding[M]) run(decode func(*buffer.Buffer) (M, bool, error), twice bool) {
	window := f.held.Bytes()
	original := bytes.Clone(window)
	asked := false
	for f.fault == "" {
		before, free := f.held.Len(), backlogged(f.decoder)
		m, ok, err := f.call(decode)
		if f.fault != "" {
			return
		}
		used := before - f.held.Len()
		f.take(m, ok, err, used, free)
		if used == 0 && (asked || !twice) && !(ok && free) {
			break
		}
		asked = used == 0 && !free
	}
	if !f.opts.Modifies && !bytes.Equal(window, original) {
		f.broke("the decoder changed its input %s to %s", quote(original), quote(window))
	}
}

// call is one call of the decoder. A panic is a fault.
func (f *feeding[M]) call(decode func(*buffer.Buffer) (M, bool, error)) (m M, ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			f.broke("the decoder panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return decode(f.held)
}

// take keeps what one call returned. free: the decoder had messages that need no bytes.
func (f *feeding[M]) take(m M, ok bool, err error, used int, free bool) {
	switch {
	case used < 0:
		f.broke("the decoder appended to its input")
		buffer.Release(m)
	case err != nil && ok:
		f.broke("the decoder returned a message and the error %q", err)
		buffer.Release(m)
	case err != nil:
		f.errs = append(f.errs, err)
	case ok && used == 0 && f.held.Len() > 0 && !free:
		f.broke("the decoder gave %s without consuming anything", f.opts.show(m))
		buffer.Release(m)
	case ok:
		f.got = append(f.got, m)
		if len(f.errs) == 0 {
			f.before = len(f.got)
		}
	}
}

func (f *feeding[M]) broke(format string, args ...any) {
	if f.fault == "" {
		f.fault = fmt.Sprintf(format, args...)
	}
}

// settle gives up the input, so that only what the messages hold stays as it is.
func (f *feeding[M]) settle() {
	if f.held == nil {
		return
	}
	n := f.held.Cap()
	f.pool.Put(f.held)
	f.held = nil
	f.poison(n)
}

// poison overwrites the memory of n bytes that was given back last, if it was: somebody else may hold it.
func (f *feeding[M]) poison(n int) {
	b := f.pool.Get(n) // what came last goes first
	fill(b.Reserve(b.Room()), poisoned)
	f.pool.Put(b)
}

// fill doubles what it has written, which is faster than a loop, above all under the race detector.
func fill(p []byte, c byte) {
	if len(p) == 0 {
		return
	}
	p[0] = c
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

// release gives up the messages and looks for what is still held.
func (f *feeding[M]) release() {
	for _, m := range f.got {
		buffer.Release(m)
	}
	f.settle()
	drop(f.decoder)
	if n := f.pool.Live(); n != 0 && f.fault == "" {
		f.broke("%d buffers are not released after input, messages and decoder are", n)
	}
}
