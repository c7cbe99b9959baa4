package httpx

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// FullResponse is a whole answer: head, body and end in one message. Content-Length is added when it is missing. A small
// body is copied behind the head, so that the answer is one buffer. It is the usual answer of a handler.
//
// NewFullResponse takes one from a pool; a literal works as well. It is counted like Response. One that is kept and
// written again and again is retained before each write and not changed any more.
type FullResponse struct {
	Response
	text  string
	plain []byte
	slice buffer.Slice
}

var _ buffer.Counted = (*FullResponse)(nil)

var fullResponses = sync.Pool{New: func() any { return new(FullResponse) }}

// NewFullResponse returns an answer with that status and no body from the pool. Safe for concurrent use. Encoders do not
// take it: the caller, or the pipeline that it is written to, must Release it.
func NewFullResponse(status int) *FullResponse {
	f := fullResponses.Get().(*FullResponse)
	f.refs.revive()
	f.Status = status
	return f
}

// SetBody makes p the body. p is copied when the answer is encoded and must not change until then.
func (f *FullResponse) SetBody(p []byte) {
	f.dropBody()
	f.plain = p
}

// SetBodyString makes s the body. It is copied when the answer is encoded.
func (f *FullResponse) SetBodyString(s string) {
	f.dropBody()
	f.text = s
}

// SetBodySlice makes s the body and takes its reference. When it is large it travels by reference, without a copy.
func (f *FullResponse) SetBodySlice(s buffer.Slice) {
	f.dropBody()
	f.slice = s
}

// BodyLen returns the octets of the body.
func (f *FullResponse) BodyLen() int { return len(f.text) + len(f.plain) + f.slice.Len() }

func (f *FullResponse) dropBody() {
	f.slice.Release()
	f.text, f.plain, f.slice = "", nil, buffer.Slice{}
}

// appendCopied appends the body when it is one that is copied; byReference returns it when it is not.
func (f *FullResponse) appendCopied(dst []byte) []byte {
	dst = append(dst, f.text...)
	dst = append(dst, f.plain...)
	if n := f.slice.Len(); n > 0 && n <= copiedBody {
		dst = append(dst, f.slice.Bytes()...)
	}
	return dst
}

func (f *FullResponse) byReference() bool { return f.slice.Len() > copiedBody }

// appendReference commits b, which was reserved, and appends the body without copying it.
func (f *FullResponse) appendReference(out *buffer.Writer, b []byte, chunked bool) {
	if chunked {
		b = appendChunkSize(b, f.slice.Len())
	}
	out.Commit(len(b))
	f.slice.Retain()
	out.AppendSlice(f.slice)
	if chunked {
		out.AppendString("\r\n" + lastChunk + "\r\n")
	}
}

// Retain adds one reference; it needs its own Release. Safe for concurrent use.
func (f *FullResponse) Retain() { f.refs.retain("FullResponse") }

// Release drops one reference; the last one gives everything back. One too many panics. Safe for concurrent use.
func (f *FullResponse) Release() {
	if f.refs.drop("FullResponse") {
		f.dropBody()
		f.clear()
		recycle(&fullResponses, f)
	}
}
