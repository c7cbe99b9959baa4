package websocket

import (
	"bufio"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/penstock-go/penstock/codec"
)

// endOfMessage goes behind the octets of a compressed message: the four that its sender has taken off (RFC 7692, 7.2.2),
// and an empty last block, so that the library sees the end of a stream.
const endOfMessage = "\x00\x00\xff\xff" + "\x01\x00\x00\xff\xff"

// maxFinals is how many last blocks a message may have. Each makes the library begin anew, with up to 32 KiB to copy.
const maxFinals = 16

var (
	errFinals  = errors.New("too many last blocks")
	errStopped = errors.New("stopped")
)

// inflaters are the library's readers with what they need, kept for the next message.
var inflaters = sync.Pool{New: func() any {
	i := &inflater{in: bufio.NewReaderSize(nil, 4<<10)}
	i.flate = flate.NewReader(i.in)
	return i
}}

// inflater turns one compressed message into a plain one.
type inflater struct {
	in    *bufio.Reader
	flate io.ReadCloser // also a flate.Resetter and an io.WriterTo

	packed *Message // being read: parts before part are, and at octets of that; behind them endOfMessage
	part   int
	at     int
	used   int // octets that were read

	gather // what comes out
	text   utf8Check
	most   int // octets that may come out
	ratio  int
	failed error // why Write has stopped the library
}

// inflate returns what packed was before its sender compressed it. packed stays the caller's.
func (d *Decoder) inflate(packed *Message) (*Message, error) {
	if packed.n == 0 {
		return NewMessage(packed.Type), nil // has left out the one octet that RFC 7692, 7.2.3.6, asks for
	}
	i := inflaters.Get().(*inflater)
	i.begin(packed, d)
	err := i.run(d)
	msg := i.end(err)
	if err != nil {
		return nil, err
	}
	if d.Deflate.takeover(!d.Client) {
		d.window = slide(d.window, msg, 1<<d.Deflate.windowBits(!d.Client))
	}
	return msg, nil
}

func (i *inflater) begin(packed *Message, d *Decoder) {
	i.packed, i.part, i.at, i.used = packed, 0, 0, 0
	i.alloc, i.msg = d.msg.alloc, NewMessage(packed.Type)
	i.text, i.failed = utf8Check{}, nil
	i.most = min(d.limits.Message, orDefault(d.Deflate.Cap.MaxBytes, codec.DefaultMaxInflated))
	i.ratio = orDefault(d.Deflate.Cap.MaxRatio, codec.DefaultMaxRatio)
	i.in.Reset((*packedReader)(i))
}

// end makes i ready for another message and gives this one, unless it is not good.
func (i *inflater) end(err error) (msg *Message) {
	if err == nil {
		msg = i.take()
	}
	i.drop()
	i.packed, i.alloc = nil, nil
	i.in.Reset(nil)
	inflaters.Put(i)
	return msg
}

// run inflates the whole message.
func (i *inflater) run(d *Decoder) error {
	window := d.window
	for range maxFinals {
		if err := i.flate.(flate.Resetter).Reset(i.in, window); err != nil { //nolint:errcheck // it is one
			return badDeflate(err)
		}
		_, err := i.flate.(io.WriterTo).WriteTo(i) //nolint:errcheck // it is one
		switch {
		case i.failed != nil:
			return i.failed
		case err != nil:
			return badDeflate(err)
		case i.used-i.in.Buffered() >= i.packed.n: // all of the message
			if i.packed.Type == TypeText && !i.text.whole() {
				return refuse(CodeInvalidPayload, "invalid utf-8")
			}
			return nil
		}
		// The sender marks blocks as last ones. RFC 7692, 7.2.3.4. What follows may refer to what came before.
		i.seal()
		window = slide(append([]byte(nil), d.window...), i.msg, 1<<mostWindowBits)
	}
	return badDeflate(errFinals)
}

func badDeflate(err error) error {
	return &Error{Code: CodeInvalidPayload, Reason: "bad compressed data", Err: err}
}

// Write takes what comes out. An error makes the library stop.
func (i *inflater) Write(p []byte) (int, error) {
	out, in := i.len()+len(p), i.packed.n
	switch {
	case out > i.most || (out-freeOfRatio)/i.ratio > in:
		i.failed = &Error{Code: CodeTooBig, Reason: "message too big", Err: &codec.CapError{
			Compression: codec.Deflate, In: int64(in), Out: int64(out), MaxBytes: int64(i.most), MaxRatio: int64(i.ratio),
		}}
	case i.packed.Type == TypeText && !i.text.write(p):
		i.failed = refuse(CodeInvalidPayload, "invalid utf-8")
	default:
		return i.gather.Write(p)
	}
	return 0, errStopped
}

// packedReader is the side of an inflater that the library reads from.
type packedReader inflater

// Read gives the octets of the message, then endOfMessage.
func (r *packedReader) Read(p []byte) (int, error) {
	for r.part < r.packed.Parts() {
		part := r.packed.Part(r.part)
		if r.at < len(part) {
			n := copy(p, part[r.at:])
			r.at += n
			r.used += n
			return n, nil
		}
		r.part++
		r.at = 0
	}
	n := copy(p, endOfMessage[r.used-r.packed.n:])
	if n == 0 {
		return 0, io.EOF
	}
	r.used += n
	return n, nil
}

// slide returns the last most octets of what window and msg are together. It changes window.
func slide(window []byte, msg *Message, most int) []byte {
	if over := len(window) + msg.n - most; over > 0 {
		window = window[:copy(window, window[min(over, len(window)):])]
	}
	skip := max(msg.n-most, 0)
	for i := range msg.Parts() {
		p := msg.Part(i)
		n := min(skip, len(p))
		skip -= n
		window = append(window, p[n:]...)
	}
	return window
}
