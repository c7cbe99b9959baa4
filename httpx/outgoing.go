package httpx

import (
	"strconv"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// copiedBody is the length up to which a body piece is copied behind its head instead of travelling by reference: one
// buffer in one write costs less than two.
const copiedBody = 1 << 10

// sending is how the body of a message goes out.
type sending uint8

const (
	sendNothing    sending = iota // no body; what is given is dropped
	sendFixed                     // so many octets
	sendChunked                   // RFC 9112, 7.1
	sendUntilClose                // to a client that knows no chunks
)

// outgoing is the message that an encoder has under way.
type outgoing struct {
	open     bool // a head is written and its body has not ended
	dropping bool // the head was complete by itself: content up to its Last is dropped
	mode     sending
	left     int64 // octets to come, with sendFixed
}

// begin notes that a head is written. It is complete by itself when no octet of a body may follow.
func (o *outgoing) begin(mode sending, left int64) {
	complete := mode == sendNothing || mode == sendFixed && left == 0
	*o = outgoing{open: !complete, dropping: complete, mode: mode, left: left}
}

// end notes that the message is complete, and that nothing of it may follow.
func (o *outgoing) end() { *o = outgoing{} }

// content writes a piece of the body. When it fails nothing is written and nothing has changed.
func (o *outgoing) content(out *buffer.Writer, c *Content) error {
	if !o.open {
		return o.drop(c.Last)
	}
	n := c.Len()
	if err := o.check(int64(n), c); err != nil {
		return err
	}
	chunked := o.mode == sendChunked
	switch {
	case n == 0 && !(chunked && c.Last):
		// RFC 9112, 7.1: an empty chunk would be the last one.
	case n > copiedBody:
		o.byReference(out, c)
	default:
		b := out.Reserve(c.wireBytes())[:0]
		if chunked && n > 0 {
			b = append(append(appendChunkSize(b, n), c.Bytes()...), "\r\n"...)
		} else {
			b = append(b, c.Bytes()...)
		}
		if chunked && c.Last {
			b = appendEnd(b, c.Trailer)
		}
		out.Commit(len(b))
	}
	o.left -= int64(n)
	if c.Last {
		o.end()
	}
	return nil
}

// drop takes content behind a head that was complete by itself.
func (o *outgoing) drop(last bool) error {
	if !o.dropping {
		return ErrOrder
	}
	o.dropping = !last
	return nil
}

// check reports what is wrong with a piece of n octets.
func (o *outgoing) check(n int64, c *Content) error {
	switch {
	case o.mode == sendFixed && n > o.left:
		return refuse(0, "body longer than content-length")
	case o.mode == sendFixed && c.Last && n < o.left:
		return refuse(0, "body shorter than content-length")
	case o.mode == sendChunked && c.Last:
		return checkTrailer(c.Trailer)
	}
	return nil
}

// checkTrailer refuses fields that may not stand behind a body. RFC 9110, 6.5.1.
func checkTrailer(h *Header) error {
	if h == nil {
		return nil
	}
	for i := range h.fields {
		if trailerName(h.nameAt(&h.fields[i])) != fieldOther {
			return refuse(0, "forbidden trailer")
		}
	}
	return nil
}

// byReference writes a large piece without copying it.
func (o *outgoing) byReference(out *buffer.Writer, c *Content) {
	if o.mode == sendChunked {
		out.Commit(len(appendChunkSize(out.Reserve(chunkAround)[:0], c.Len())))
	}
	c.Data.Retain()
	out.AppendSlice(c.Data)
	if o.mode != sendChunked {
		return
	}
	out.AppendString("\r\n")
	if c.Last {
		out.Commit(len(appendEnd(out.Reserve(endBytes(c.Trailer))[:0], c.Trailer)))
	}
}

// file counts a piece of the body that is sent straight from a file: only a length that is known leaves room for one.
// It has no Last: an EmptyLast follows the last piece. skip: the piece is behind a head that was complete by itself.
func (o *outgoing) file(f *pipeline.FileRegion) (skip bool, err error) {
	n := int64(f.Len())
	switch {
	case !o.open:
		return o.dropping, o.drop(false)
	case o.mode != sendFixed:
		return false, refuse(0, "file in a body without content-length")
	case n > o.left:
		return false, refuse(0, "body longer than content-length")
	}
	o.left -= n
	return false, nil
}

const (
	lastChunk   = "0\r\n"
	chunkAround = 16 + len("\r\n") + len("\r\n")
)

// wireBytes returns the most octets that the piece takes, besides what travels by reference.
func (c *Content) wireBytes() int {
	n := chunkBytes(c.Len())
	if c.Last {
		n += endBytes(c.Trailer)
	}
	return n
}

// endBytes returns how many octets appendEnd writes at most.
func endBytes(trailer *Header) int {
	n := len(lastChunk) + len("\r\n")
	if trailer != nil {
		n += trailer.wireBytes()
	}
	return n
}

// appendEnd writes the last chunk and the trailer section. RFC 9112, 7.1.
func appendEnd(dst []byte, trailer *Header) []byte {
	dst = append(dst, lastChunk...)
	if trailer != nil {
		dst = trailer.appendWire(dst, 0)
	}
	return append(dst, "\r\n"...)
}

// chunkBytes returns the most octets that a body piece of n octets takes, besides what travels by reference.
func chunkBytes(n int) int {
	if n > copiedBody {
		return chunkAround
	}
	return chunkAround + n
}

func appendChunkSize(dst []byte, n int) []byte {
	return append(strconv.AppendUint(dst, uint64(n), 16), "\r\n"...)
}
