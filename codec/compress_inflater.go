package codec

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// inflatePiece is the most bytes that one call of Decode gives.
const inflatePiece = 32 << 10

// Inflater turns compressed bytes into plain ones, emitted as *buffer.Buffer of up to 32 KiB, which the receiver must
// Release. NewDecoder makes a handler of it, which stops between two of them when the channel stops reading, and goes on
// from there:
//
//	codec.NewDecoder(&codec.Inflater{Format: codec.Gzip})
//
// The libraries pull their input from an io.Reader, while here bytes come when they come, and none of their
// readers goes on once that has failed. So the library runs as a coroutine (iter.Pull): no thread, no scheduling and
// nothing in parallel, only a stack of its own that is left when the input is used up and entered again when there
// is more. It ends with the stream, with an error, and with Reset, which must be called otherwise; the driver does.
// Nothing is inflated twice, and what is compressed stays so until it is asked for.
//
// Several Gzip members in a row are one stream, so are Zstd frames; one that the peer's end cuts short is a
// *TruncatedError. Bytes behind the end of a Zlib or Deflate stream are a *CorruptedError, like damage of any kind. The
// first error ends the stream; what comes after it is dropped. When the handler is removed, compressed bytes that were
// not used yet go on untouched, but of those that were used something may not have come out yet.
//
// Set the fields before the first Decode, and do not copy it once used. It belongs to one goroutine at a time.
type Inflater struct {
	Unshared
	// Format is the algorithm. Required.
	Format Compression
	// Cap limits what comes out. The zero value is the default.
	Cap Cap
	// Messages: Renew is called before each message, and Cap limits each of them, instead of each stretch of the
	// stream.
	Messages bool

	alloc    buffer.Allocator
	feed     *feed
	next     func() (struct{}, bool) // runs the coroutine until it needs something; nil: not running
	stop     func()
	backlog  bool // more may come without input
	finished bool
	err      error // why it finished, nil: the stream ended
	reported bool  // err, or bytes behind the end
}

var (
	_ Decoder[*buffer.Buffer]    = (*Inflater)(nil)
	_ EOFDecoder[*buffer.Buffer] = (*Inflater)(nil)
	_ Backlogged                 = (*Inflater)(nil)
	_ Resetter                   = (*Inflater)(nil)
	_ AllocatorUser              = (*Inflater)(nil)
	_ Checker                    = (*Inflater)(nil)
)

// UseAllocator implements AllocatorUser. Without it memory is that of buffer.Shared.
func (d *Inflater) UseAllocator(a buffer.Allocator) { d.alloc = a }

// Check implements Checker.
func (d *Inflater) Check() error { return d.Format.check() }

// Backlog implements Backlogged.
func (d *Inflater) Backlog() bool { return d.backlog }

// Renew counts anew for the Cap, see Messages.
func (d *Inflater) Renew() {
	if d.feed != nil {
		d.feed.count = tally{}
	}
}

// Decode implements Decoder. It consumes what it can inflate; call it again while Backlog says so, with what it left
// of in. The caller must Release f.
func (d *Inflater) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if d.next == nil && !d.finished {
		if err := d.Check(); err != nil || in.Len() == 0 {
			return nil, false, err
		}
		d.start()
	}
	if d.next != nil && len(d.feed.output) == 0 {
		d.turn(in)
	}
	if d.finished {
		return nil, false, d.report(in)
	}
	out := d.feed.output
	d.backlog = len(out) > 0
	if !d.backlog {
		return nil, false, nil
	}
	out = out[:min(len(out), inflatePiece)]
	d.feed.output = d.feed.output[len(out):]
	f = d.alloc.Get(len(out))
	f.Append(out)
	return f, true, nil
}

// start makes the coroutine; it runs at the first turn.
func (d *Inflater) start() {
	if d.alloc == nil {
		d.alloc = buffer.Shared()
	}
	f := &feed{codec: d.Format, limit: d.Cap, messages: d.Messages}
	d.feed = f
	d.next, d.stop = iter.Pull(func(yield func(struct{}) bool) {
		f.yield = yield
		d.err = d.Format.run(f)
		f.yield = nil // a pooled library may still know f
	})
}

// run is inflate that turns a panic of the library, which a peer must not be able to cause, into an error.
func (c Compression) run(f *feed) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f.ahead = nil
			err = &CorruptedError{Codec: c.String(), What: "library failed", Err: fmt.Errorf("panic: %v", r)}
		}
	}()
	return c.inflate(f)
}

// turn runs the library until it gives something or needs more than in has. What it has taken and not used stays in in.
func (d *Inflater) turn(in *buffer.Buffer) {
	f := d.feed
	before := min(f.unused(), in.Len())
	f.input = in.Bytes()[before:]
	_, running := d.next()
	in.Skip(max(in.Len()-len(f.input)-f.unused(), 0))
	f.input = nil
	if !running {
		d.finished, d.backlog, d.next, d.stop = true, false, nil, nil
	}
}

// report says once why nothing more comes, and drops what is not wanted any more.
func (d *Inflater) report(in *buffer.Buffer) error {
	left := in.Len()
	err := d.err
	if err == nil && left > 0 {
		err = &CorruptedError{Codec: d.Format.String(), What: "bytes behind the end of the stream"}
	}
	in.Skip(left)
	if err == nil || d.reported {
		return nil
	}
	d.reported = true
	var known *CorruptedError
	switch {
	case d.feed.over != nil:
		return d.feed.over
	case errors.As(err, &known):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return &TruncatedError{Decoder: d.Format.String()}
	case tooMuch(err):
		return &CapError{Compression: d.Format, MaxWindow: int64(d.Cap.windowBytes())}
	}
	return &CorruptedError{Codec: d.Format.String(), What: "compressed data", Err: err}
}

// DecodeEOF implements EOFDecoder: a stream that is not complete is a *TruncatedError.
func (d *Inflater) DecodeEOF(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if d.feed == nil {
		if err := d.Check(); err != nil || in.Len() == 0 {
			return nil, false, err
		}
		d.start()
	}
	d.feed.eof = true
	return d.Decode(in)
}

// Reset implements Resetter: it ends the coroutine and is ready for another stream.
func (d *Inflater) Reset() {
	if d.stop != nil {
		d.stop()
	}
	d.feed, d.next, d.stop, d.err = nil, nil, nil, nil
	d.backlog, d.finished, d.reported = false, false, false
}
