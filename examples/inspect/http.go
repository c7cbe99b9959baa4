package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
)

func requestEntry() entry {
	return entry{name: "http-request", kinds: []string{"request", "encode"}, parse: parseRequest, stream: streamRequests}
}

func responseEntry() entry {
	return entry{name: "http-response", kinds: []string{"response", "encode"}, parse: parseResponse, stream: streamResponses}
}

// httpCase is a case as its file has it.
type httpCase struct {
	about
	octets
	EOF           bool            `json:"eof"`            // the peer closes behind the input
	RequestMethod string          `json:"request_method"` // what a response answers
	Limits        httpLimits      `json:"limits"`
	Role          string          `json:"role"`       // of WebSocket: which side decodes
	Extensions    string          `json:"extensions"` // of WebSocket: what was negotiated
	Message       *outMessage     `json:"message"`    // what an encode case writes
	Expect        json.RawMessage `json:"expect"`
}

type httpLimits struct {
	Line   int `json:"max_initial_line"`
	Head   int `json:"max_header"`
	Fields int `json:"max_header_count"`
}

// httpDecoded is what a case of kind request or response expects.
type httpDecoded struct {
	Messages  []httpMessage `json:"messages"`
	Error     *httpError    `json:"error,omitempty"`
	Leftover  string        `json:"leftover_hex,omitempty"`
	Discarded bool          `json:"discarded,omitempty"`
	Accept    string        `json:"sec_websocket_accept,omitempty"`
}

type httpError struct {
	Status *int   `json:"status"` // what a server answers or a WebSocket closes with
	Reason string `json:"reason"`
}

// httpMessage is a complete message with its body joined. Text is shown octet by octet, as Latin-1.
type httpMessage struct {
	Method         string      `json:"method,omitempty"`
	Target         string      `json:"target,omitempty"`
	Status         int         `json:"status,omitempty"`
	Reason         *string     `json:"reason,omitempty"`
	Version        string      `json:"version"`
	Headers        [][2]string `json:"headers"`
	BodyHex        string      `json:"body_hex"`
	Trailers       [][2]string `json:"trailers"`
	KeepAlive      bool        `json:"keep_alive"`
	ExpectContinue bool        `json:"expect_continue,omitempty"`
	Upgrade        bool        `json:"upgrade,omitempty"`
	Interim        bool        `json:"interim,omitempty"`
}

func parseHTTP(raw []byte, kind, messageType string) (*httpCase, error) {
	var c httpCase
	if err := strictly(raw, &c); err != nil {
		return nil, err
	}
	if c.Kind != kind && (c.Message == nil || c.Message.Type != messageType) {
		return nil, errOther
	}
	return &c, nil
}

func parseRequest(raw []byte) (*testCase, error) {
	c, err := parseHTTP(raw, "request", "request")
	switch {
	case err != nil:
		return nil, err
	case c.Kind == "encode":
		return c.encodeRequest()
	}
	return c.decode("GET /probe HTTP/1.1\r\nHost: a\r\n\r\n", func(*httpDecoded) (codec.Decoder[any], error) {
		return httpx.NewRequestDecoder(c.config(), new(httpx.State)), nil
	})
}

func parseResponse(raw []byte) (*testCase, error) {
	c, err := parseHTTP(raw, "response", "response")
	switch {
	case err != nil:
		return nil, err
	case c.Kind == "encode":
		return c.encodeResponse()
	}
	return c.decode("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", func(expect *httpDecoded) (codec.Decoder[any], error) {
		upgrade := slices.ContainsFunc(expect.Messages, func(m httpMessage) bool { return m.Upgrade })
		state, err := asked(c.RequestMethod, upgrade) // a case does not say what else its request has
		return httpx.NewResponseDecoder(c.config(), state), err
	})
}

func (c *httpCase) config() httpx.DecoderConfig {
	return httpx.DecoderConfig{Limits: httpx.Limits{Line: c.Limits.Line, Head: c.Limits.Head, Fields: c.Limits.Fields}}
}

// asked is the state of a connection on which some requests with that method wait for their answers, or one that asks
// for another protocol.
func asked(method string, upgrade bool) (*httpx.State, error) {
	request := "GET / HTTP/1.1\r\nHost: a\r\n"
	switch method {
	case "", "GET":
	case "HEAD":
		request = "HEAD / HTTP/1.1\r\nHost: a\r\n"
	case "CONNECT":
		request = "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n"
	default:
		return nil, fmt.Errorf("unknown request method %q", method)
	}
	if upgrade {
		request += "Connection: Upgrade\r\nUpgrade: x\r\n"
	}
	state := new(httpx.State)
	requests := decoding{
		decoder: codec.NewDecoder[any](httpx.NewRequestDecoder(httpx.DecoderConfig{}, state)),
		message: func(any) error { return nil },
	}
	result, err := requests.run([][]byte{[]byte(strings.Repeat(request+"\r\n", 4))}, func() {})
	return state, errors.Join(err, result.refusal)
}

// decode makes a case for the decoders that newDecoder makes.
func (c *httpCase) decode(probe string, newDecoder func(expect *httpDecoded) (codec.Decoder[any], error)) (*testCase, error) {
	pieces, err := c.pieces()
	if err != nil {
		return nil, err
	}
	var expect httpDecoded
	if err := strictly(c.Expect, &expect); err != nil {
		return nil, err
	}
	t := &testCase{ways: inputWays("", pieces, func(pieces [][]byte) (any, error) {
		d, err := newDecoder(&expect)
		if err != nil {
			return nil, err
		}
		got, err := decodeHTTP(decoding{decoder: codec.NewDecoder(d), eof: c.EOF, probe: probe, discard: expect.Discarded}, pieces)
		if expect.Accept != "" && err == nil {
			got.Accept, err = handshake(pieces)
		}
		return got, err
	})}
	t.differences, err = expectations(func(want, got *httpDecoded) {
		levelErrors(want.Error, &got.Error)
	}, c.Expect)
	return t, err
}

// levelErrors makes the reasons alike, since each implementation has words of its own. Both are copies.
func levelErrors(want *httpError, got **httpError) {
	if want != nil && *got != nil {
		*got = &httpError{Status: (*got).Status, Reason: want.Reason}
	}
}

func streamRequests(input []byte, eof bool) (any, error) {
	d := httpx.NewRequestDecoder(httpx.DecoderConfig{}, new(httpx.State))
	return decodeHTTP(decoding{decoder: codec.NewDecoder[any](d), eof: eof}, [][]byte{input})
}

func streamResponses(input []byte, eof bool) (any, error) {
	state, err := asked("GET", false)
	if err != nil {
		return nil, err
	}
	d := httpx.NewResponseDecoder(httpx.DecoderConfig{}, state)
	return decodeHTTP(decoding{decoder: codec.NewDecoder[any](d), eof: eof}, [][]byte{input})
}

// decodeHTTP runs d over pieces.
func decodeHTTP(d decoding, pieces [][]byte) (httpDecoded, error) {
	var j joiner
	d.message = j.add
	result, err := d.run(pieces, func() {})
	got := httpDecoded{Messages: append([]httpMessage{}, j.messages...), Leftover: hex.EncodeToString(result.rest)}
	if result.refusal != nil {
		got.Error = httpErrorOf(result.refusal)
	} else {
		got.Discarded = result.discarded
	}
	return got, err
}

func httpErrorOf(err error) *httpError {
	var refused *httpx.Error
	if !errors.As(err, &refused) {
		return &httpError{Reason: err.Error()}
	}
	e := &httpError{Reason: refused.Reason}
	if refused.Status != 0 {
		e.Status = &refused.Status
	}
	return e
}

// joiner makes complete messages of heads and pieces.
type joiner struct {
	messages []httpMessage
	open     *httpMessage // its head has come, its end has not
	body     []byte
}

// add takes the next message of a decoder.
func (j *joiner) add(msg any) error {
	switch m := msg.(type) {
	case *httpx.Request:
		return j.begin(m.Length == 0, &httpMessage{
			Method: string(m.Method), Target: latin1(m.Target()), Version: m.Version.String(), Headers: fields(&m.Header),
			KeepAlive: m.KeepAlive, ExpectContinue: m.ExpectContinue, Upgrade: m.Upgrade,
		})
	case *httpx.Response:
		reason := m.Reason
		return j.begin(m.Length == 0, &httpMessage{
			Status: m.Status, Reason: &reason, Version: m.Version.String(), Headers: fields(&m.Header),
			KeepAlive: !m.Close, Upgrade: m.Upgrade, Interim: m.Interim(),
		})
	case *httpx.Content:
		if j.open == nil {
			return fmt.Errorf("%w: content outside a message", errBroken)
		}
		j.body = append(j.body, m.Bytes()...)
		if m.Trailer != nil {
			j.open.Trailers = fields(m.Trailer)
		}
		if m.Last {
			j.end()
		}
		return nil
	}
	return fmt.Errorf("%w: unknown message %T", errBroken, msg)
}

func (j *joiner) begin(whole bool, m *httpMessage) error {
	if j.open != nil {
		return fmt.Errorf("%w: a head inside a message", errBroken)
	}
	j.open = m
	m.Trailers = [][2]string{}
	if whole {
		j.end()
	}
	return nil
}

func (j *joiner) end() {
	j.open.BodyHex = hex.EncodeToString(j.body)
	j.messages = append(j.messages, *j.open)
	j.open, j.body = nil, nil
}

func fields(h *httpx.Header) [][2]string {
	list := [][2]string{}
	for name, value := range h.All() {
		list = append(list, [2]string{latin1(name), latin1(value)})
	}
	return list
}

// latin1 shows octets one by one.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}
