package main

import (
	"encoding/hex"
	"errors"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// outMessage is what an encode case of HTTP or WebSocket writes.
type outMessage struct {
	Type          string      `json:"type"` // request, response or ws
	Status        int         `json:"status"`
	Reason        string      `json:"reason"`
	Method        string      `json:"method"`
	Target        string      `json:"target"`
	Headers       [][2]string `json:"headers"`
	Body          string      `json:"body_utf8"`
	Content       []string    `json:"content"` // a streamed body
	Trailers      [][2]string `json:"trailers"`
	RequestMethod string      `json:"request_method"`
	Role          string      `json:"role"` // of WebSocket
	Opcode        int         `json:"opcode"`
	PayloadText   string      `json:"payload_utf8"`
	PayloadHex    string      `json:"payload_hex"`
	Code          int         `json:"code"` // of a close frame
}

// httpEncoded is what an encode case expects.
type httpEncoded struct {
	OutputHex string     `json:"output_hex,omitempty"`
	Error     *httpError `json:"error,omitempty"`
}

// encoded adds to a case of encoding how its outcome is compared.
func (c *httpCase) encoded(t *testCase) (*testCase, error) {
	var err error
	t.differences, err = expectations(func(want, got *httpEncoded) { levelErrors(want.Error, &got.Error) }, c.Expect)
	return t, err
}

// encodedAs is what came out of an encoder. A refused stream may have begun.
func encodedAs(output []byte, refusal error) httpEncoded {
	if refusal != nil {
		return httpEncoded{Error: httpErrorOf(refusal)}
	}
	return httpEncoded{OutputHex: hex.EncodeToString(output)}
}

// encodeRequest makes a case that writes a request in one message, unless its body comes in pieces, and streamed.
func (c *httpCase) encodeRequest() (*testCase, error) {
	m := c.Message
	whole := func() (*httpx.Header, any) {
		f := httpx.NewFullRequest(httpx.Method(m.Method), m.Target)
		f.SetBodyString(m.Body)
		return &f.Header, f
	}
	head := func() (*httpx.Header, any) {
		r := httpx.NewRequest(httpx.Method(m.Method), m.Target)
		r.Length = httpx.LengthChunked // unless a field says otherwise
		return &r.Header, r
	}
	return c.encodeWith(whole, head, func() (codec.Encoder[any], error) { return httpx.NewRequestEncoder(nil), nil })
}

// encodeResponse does the same for a response.
func (c *httpCase) encodeResponse() (*testCase, error) {
	m := c.Message
	whole := func() (*httpx.Header, any) {
		f := httpx.NewFullResponse(m.Status)
		f.Reason = m.Reason
		f.SetBodyString(m.Body)
		return &f.Header, f
	}
	head := func() (*httpx.Header, any) {
		r := httpx.NewResponse(m.Status)
		r.Reason = m.Reason
		return &r.Header, r
	}
	return c.encodeWith(whole, head, func() (codec.Encoder[any], error) {
		state, err := asked(m.RequestMethod, false)
		return httpx.NewResponseEncoder(state), err
	})
}

// encodeWith makes a case of what whole and head make, each with its header, which is empty.
func (c *httpCase) encodeWith(whole, head func() (*httpx.Header, any), newEncoder func() (codec.Encoder[any], error)) (*testCase, error) {
	run := func(h *httpx.Header, msgs []any, refusal error) (any, error) {
		e, err := newEncoder()
		if refusal = errors.Join(refusal, addFields(h, c.Message.Headers)); refusal == nil && err == nil {
			return encodedAs(encode(codec.NewEncoder(e), msgs...)), nil
		}
		for _, msg := range msgs {
			buffer.Release(msg)
		}
		return encodedAs(nil, refusal), err
	}
	t := &testCase{}
	if c.Message.Content == nil && c.Message.Trailers == nil {
		t.ways = append(t.ways, way{"whole", func() (any, error) {
			h, msg := whole()
			return run(h, []any{msg}, nil)
		}})
	}
	t.ways = append(t.ways, way{"streamed", func() (any, error) {
		h, msg := head()
		body, refusal := c.Message.pieces()
		return run(h, append([]any{msg}, body...), refusal)
	}})
	return c.encoded(t)
}

// pieces are the messages of the body, the last one with the trailers. They are there even when trailers are refused.
func (m *outMessage) pieces() ([]any, error) {
	texts := m.Content
	if texts == nil {
		texts = []string{m.Body}
	}
	list := make([]any, 0, len(texts)+1)
	for _, text := range texts {
		b := buffer.FromString(text)
		list = append(list, httpx.NewContent(b.Slice(0, b.Len())))
		b.Release()
	}
	if m.Trailers == nil {
		return append(list, httpx.EmptyLast), nil
	}
	last := &httpx.Content{Last: true, Trailer: new(httpx.Header)}
	return append(list, last), addFields(last.Trailer, m.Trailers)
}

func addFields(h *httpx.Header, pairs [][2]string) error {
	for _, p := range pairs {
		if err := h.Add(p[0], p[1]); err != nil {
			return err
		}
	}
	return nil
}
