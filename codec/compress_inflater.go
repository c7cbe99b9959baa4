package codec

import (
	"errors"
	"io"
	"iter"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	inflatePiece = 32 << 10 // most bytes that one call of Decode gives
	inflateSmall = 8 << 10  // what is less is copied, so that it does not hold that much memory
)

// Inflater turns compressed bytes into plain ones, emitted as *buffer.Buffer of up to 32 KiB, which the receiver must
// Release. NewDecoder makes a handler of it:
//
//	codec.NewDecoder(&codec.Inflater{Format: codec.Gzip})
//
// The libraries pull their input from an io.Reader, while here bytes come when they come, and none of their
// readers goes on once that has failed. So the library runs as a coroutine (iter.Pull): no thread, no scheduling and
// nothing in parallel, only a stack of its own that is left when the input is used up and entered again when there
// is more. It ends with the stream, with an error, and with Reset, which must be called otherwise; the driver does.
//
// The first error ends the stream; what comes after it is dropped. So is what comes after the end of a Zlib or
// Deflate stream, which is an error, too. Set the fields before the first Decode, and do not copy it once used.
type Inflater struct {
	// Format is the algorithm. Required.
	Format Compression
	// Cap limits what comes out. The zero value is the default.
	Cap Cap

	alloc    buffer.Allocator
	feed     *feed
	next     func() (int, bool) // runs the coroutine until it needs something; nil: not started
	stop     func()
	backlog  bool // the last call gave something, and more may be there without input
	finished bool
	err      error // why it finished, nil: the stream ended
	reported bool  // err, or bytes behind the end
	in, out  int64 // bytes so far
}

var (
	_ Decoder[*buffer.Buffer]    = (*Inflater)(nil)
	_ EOFDecoder[*buffer.Buffer] = (*Inflater)(nil)
	_ Backlogged                 = (*Inflater)(nil)
	_ Resetter                   = (*Inflater)(nil)
	_ AllocatorUser              = (*Inflater)(nil)
	_ Checker                    = (*Inflater)(nil)
)

// errStopped is what a library's reader gets when its stream is abandoned.
var errStopped = errors.New("codec: inflater was reset")

// feed connects a library with the call of Decode that is running. It is all that a pooled library may still refer to
// when its stream is over.
type feed struct {
	window []byte // input of this call
	used   int    // of it
	room   []byte // for the output of this call
	eof    bool   // no more input will come
	yield  func(int) bool
}

// wait leaves the coroutine until there is input.
func (f *feed) wait() error {
	for f.used == len(f.window) {
		if f.eof {
			return io.EOF
		}
		if f.yield == nil || !f.yield(0) {
			return errStopped
		}
	}
	return nil
}

// Read implements io.Reader for the library.
func (f *feed) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := f.wait(); err != nil {
		return 0, err
	}
	n := copy(p, f.window[f.used:])
	f.used += n
	return n, nil
}

// ReadByte implements io.ByteReader, so that the library takes no byte more than it needs.
func (f *feed) ReadByte() (byte, error) {
	if f.used == len(f.window) {
		if err := f.wait(); err != nil {
			return 0, err
		}
	}
	c := f.window[f.used]
	f.used++
	return c, nil
}

// Write implements io.Writer for what the library has made: it fills the rooms of as many calls as it takes.
func (f *feed) Write(p []byte) (int, error) {
	total := 0
	for len(p) > 0 {
		n := copy(f.room, p)
		p = p[n:]
		total += n
		if !f.yield(n) {
			return total, errStopped
		}
	}
	return total, nil
}

// UseAllocator implements AllocatorUser. Without it memory is that of buffer.Shared.
func (d *Inflater) UseAllocator(a buffer.Allocator) { d.alloc = a }

// Check implements Checker.
func (d *Inflater) Check() error { return d.Format.check() }

// Backlog implements Backlogged.
func (d *Inflater) Backlog() bool { return d.backlog }

// Renew counts anew for the Cap: for protocols that send many messages through one stream and limit each.
func (d *Inflater) Renew() { d.in, d.out = 0, 0 }

// Decode implements Decoder. It consumes what it can inflate; call it again while Backlog says so. The caller must
// Release f.
func (d *Inflater) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if d.next == nil && !d.finished {
		if err := d.Check(); err != nil || in.Len() == 0 {
			return nil, false, err
		}
		d.start()
	}
	if d.finished {
		return nil, false, d.report(in)
	}
	if d.alloc == nil {
		d.alloc = buffer.Shared()
	}
	out := d.alloc.Get(inflatePiece)
	n, err := d.turn(in, out.Reserve(inflatePiece))
	if n == 0 || err != nil {
		out.Release()
		return nil, false, err
	}
	if n <= inflateSmall {
		small := d.alloc.Get(n)
		small.Append(out.Reserve(n))
		out.Release()
		return small, true, nil
	}
	out.Commit(n)
	return out, true, nil
}

// start makes the coroutine; it runs at the first turn.
func (d *Inflater) start() {
	f := &feed{}
	d.feed = f
	d.next, d.stop = iter.Pull(func(yield func(int) bool) {
		f.yield = yield
		d.err = d.Format.inflate(f, d.Cap)
		f.yield = nil
	})
}

// turn runs the library until it has filled some of room or needs more than in has.
func (d *Inflater) turn(in *buffer.Buffer, room []byte) (n int, err error) {
	f := d.feed
	f.window, f.used, f.room = in.Bytes(), 0, room
	n, running := d.next()
	in.Skip(f.used)
	d.in += int64(f.used)
	d.out += int64(n)
	f.window, f.used, f.room = nil, 0, nil
	d.backlog = running && n > 0
	if !running {
		d.finished, d.next, d.stop = true, nil, nil
		return 0, d.report(in)
	}
	if n > 0 {
		if err = d.Cap.check(d.Format, d.in, d.out); err != nil {
			d.abandon(err)
			d.reported = true
			in.Skip(in.Len())
		}
	}
	return n, err
}

// report says once why nothing more comes, and drops what is not wanted any more.
func (d *Inflater) report(in *buffer.Buffer) error {
	left := in.Len()
	err := d.err
	if err == nil && left > 0 {
		err = &CorruptedError{Codec: d.Format.String(), What: "bytes behind the end of the stream"}
	}
	if err == nil || d.reported {
		in.Skip(left)
		return nil
	}
	d.reported = true
	in.Skip(left)
	var c *CorruptedError
	switch {
	case errors.As(err, &c):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return &TruncatedError{Decoder: d.Format.String()}
	case tooMuch(err):
		return &CapError{Compression: d.Format, In: d.in, Out: d.out, MaxWindow: int64(d.Cap.windowBytes())}
	}
	return &CorruptedError{Codec: d.Format.String(), What: "compressed data", Err: err}
}

// abandon ends the coroutine in the middle of its stream.
func (d *Inflater) abandon(err error) {
	if d.stop != nil {
		d.stop()
	}
	d.next, d.stop = nil, nil
	d.finished, d.backlog, d.err = true, false, err
}

// DecodeEOF implements EOFDecoder: a stream that is not complete is a *TruncatedError.
func (d *Inflater) DecodeEOF(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if d.next == nil && in.Len() == 0 {
		return nil, false, nil
	}
	if d.feed == nil {
		d.start()
	}
	d.feed.eof = true
	return d.Decode(in)
}

// Reset implements Resetter: it ends the coroutine and is ready for another stream.
func (d *Inflater) Reset() {
	d.abandon(nil)
	d.finished, d.reported, d.feed = false, false, nil
	d.Renew()
}
