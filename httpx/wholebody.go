package httpx

import "github.com/penstock-go/penstock/pipeline/buffer"

// wholeBody is the body of a FullRequest or FullResponse, in the form that it was given in.
type wholeBody struct {
	text  string
	plain []byte
	slice buffer.Slice

	joined *buffer.Buffer // pieces that came so far, of a body that is not complete
}

// SetBody makes p the body. p is copied when the message is encoded and must not change until then.
func (w *wholeBody) SetBody(p []byte) {
	w.dropBody()
	w.plain = p
}

// SetBodyString makes s the body. It is copied when the message is encoded.
func (w *wholeBody) SetBodyString(s string) {
	w.dropBody()
	w.text = s
}

// SetBodySlice makes s the body and takes its reference. When it is large it travels by reference, without a copy.
func (w *wholeBody) SetBodySlice(s buffer.Slice) {
	w.dropBody()
	w.slice = s
}

// room makes room in joined for n more octets; it at least doubles, so that joining is linear.
func (w *wholeBody) room(pool buffer.Allocator, n int) {
	if w.joined == nil {
		w.joined = pool.Get(n)
		return
	}
	if n <= w.joined.Room() {
		return
	}
	held := w.joined.Len()
	larger := pool.Get(held + max(held, n))
	larger.Append(w.joined.Bytes())
	w.joined.Release()
	w.joined = larger
}

// Body returns the octets of the body, read-only and valid until the body changes or the message is released. A body that
// was set as a string is copied. A message that an Aggregator put together has its body in one piece.
func (w *wholeBody) Body() []byte {
	switch {
	case w.text != "":
		return []byte(w.text)
	case w.plain != nil:
		return w.plain
	}
	return w.slice.Bytes()
}

// BodyLen returns the octets of the body.
func (w *wholeBody) BodyLen() int { return len(w.text) + len(w.plain) + w.slice.Len() }

func (w *wholeBody) dropBody() {
	w.text, w.plain = "", nil
	if w.slice != (buffer.Slice{}) || w.joined != nil {
		w.dropShared()
	}
}

// dropShared gives back what dropBody must release.
func (w *wholeBody) dropShared() {
	w.slice.Release()
	w.slice = buffer.Slice{}
	if w.joined != nil {
		w.joined.Release()
		w.joined = nil
	}
}

// join appends a piece to the body. A body that comes in one piece stays where it is; others are copied as they come, so
// that they take the memory of their octets and hold no read buffer.
func (w *wholeBody) join(pool buffer.Allocator, c *Content) {
	n := c.Len()
	switch {
	case n == 0:
	case c.Last && w.joined == nil:
		c.Data.Retain()
		w.slice = c.Data
	default:
		w.room(pool, n)
		w.joined.Append(c.Bytes())
	}
	if c.Last && w.joined != nil {
		w.slice = w.joined.Slice(0, w.joined.Len())
		w.joined.Release()
		w.joined = nil
	}
}

// wireBytes returns the most octets that write adds with that trailer, besides what travels by reference.
func (w *wholeBody) wireBytes(trailer *Header) int {
	return len(w.text) + len(w.plain) + chunkBytes(w.slice.Len()) + endBytes(trailer)
}

// write commits b, a head that was reserved with wireBytes behind it, and the body.
func (w *wholeBody) write(out *buffer.Writer, b []byte, mode sending, trailer *Header) {
	n := w.BodyLen()
	chunked := mode == sendChunked
	switch {
	case mode == sendNothing:
	case w.slice.Len() > copiedBody:
		if chunked {
			b = appendChunkSize(b, n)
		}
		out.Commit(len(b))
		w.slice.Retain()
		out.AppendSlice(w.slice)
		if !chunked {
			return
		}
		out.AppendString("\r\n")
		b = appendEnd(out.Reserve(endBytes(trailer))[:0], trailer)
	case chunked:
		if n > 0 {
			b = append(w.appendCopied(appendChunkSize(b, n)), "\r\n"...)
		}
		b = appendEnd(b, trailer)
	default:
		b = w.appendCopied(b)
	}
	out.Commit(len(b))
}

func (w *wholeBody) appendCopied(dst []byte) []byte {
	dst = append(dst, w.text...)
	dst = append(dst, w.plain...)
	if w.slice.Len() > 0 {
		dst = append(dst, w.slice.Bytes()...)
	}
	return dst
}
