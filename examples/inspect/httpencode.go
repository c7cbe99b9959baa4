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

// encodedCase makes a case of the ways to encode the same message.
func (c *httpCase) encodedCase(ways ...way) (*testCase, error) {
	t := &testCase{ways: ways}
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

func (c *httpCase) encodeRequest() (*testCase, error) {
	return nil, errors.New("requests are not encoded yet")
}

// encodeResponse makes a case that writes a response in one message, unless its body comes in pieces, and streamed.
func (c *httpCase) encodeResponse() (*testCase, error) {
	m := c.Message
	var ways []way
	if m.Content == nil && m.Trailers == nil {
		ways = append(ways, way{"whole", func() (any, error) {
			f := httpx.NewFullResponse(m.Status)
			f.Reason = m.Reason
			f.SetBodyString(m.Body)
			return m.encode(addFields(&f.Header, m.Headers), f)
		}})
	}
	ways = append(ways, way{"streamed", func() (any, error) {
		r := httpx.NewResponse(m.Status)
		r.Reason = m.Reason
		body, err := m.pieces()
		return m.encode(errors.Join(addFields(&r.Header, m.Headers), err), append([]any{r}, body...)...)
	}})
	return c.encodedCase(ways...)
}

// encode writes msgs, unless they were refused while they were made. It takes them.
func (m *outMessage) encode(refusal error, msgs ...any) (any, error) {
	if refusal != nil {
		for _, msg := range msgs {
			buffer.Release(msg)
		}
		return encodedAs(nil, refusal), nil
	}
	state, err := asked(m.RequestMethod)
	if err != nil {
		return nil, err
	}
	return encodedAs(encode(codec.NewEncoder[any](httpx.NewResponseEncoder(state)), msgs...)), nil
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
