package httpx

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// httpCase is one entry of testdata/http.json.
type httpCase struct {
	ID            string   `json:"id"`
	Kind          string   `json:"kind"`
	Level         string   `json:"level"`
	Why           string   `json:"why"`
	Source        string   `json:"source"`
	Note          string   `json:"note"`
	InputText     string   `json:"input_utf8"`
	InputHex      string   `json:"input_hex"`
	ChunksHex     []string `json:"chunks_hex"`
	EOF           bool     `json:"eof"`
	RequestMethod string   `json:"request_method"`
	Role          string   `json:"role"`
	Extensions    any      `json:"extensions"`
	Limits        struct {
		Line   int `json:"max_initial_line"`
		Head   int `json:"max_header"`
		Fields int `json:"max_header_count"`
	} `json:"limits"`
	Message  outMessage      `json:"message"`
	Observed json.RawMessage `json:"observed"`
	Verdict  json.RawMessage `json:"verdict"`
	Expect   struct {
		Messages  json.RawMessage `json:"messages"`
		Error     *caseError      `json:"error"`
		Leftover  string          `json:"leftover_hex"`
		Discarded bool            `json:"discarded"`
		Accept    string          `json:"sec_websocket_accept"`
		Output    string          `json:"output_hex"`
	} `json:"expect"`
}

type caseError struct {
	Status *int   `json:"status"`
	Reason string `json:"reason"`
}

// outMessage is what an encode case writes.
type outMessage struct {
	Type          string      `json:"type"`
	Status        int         `json:"status"`
	Reason        string      `json:"reason"`
	Method        string      `json:"method"`
	Target        string      `json:"target"`
	Headers       [][2]string `json:"headers"`
	Body          string      `json:"body_utf8"`
	Content       []string    `json:"content"`
	Trailers      [][2]string `json:"trailers"`
	RequestMethod string      `json:"request_method"`
	Role          string      `json:"role"`
	Opcode        int         `json:"opcode"`
	PayloadText   string      `json:"payload_utf8"`
	PayloadHex    string      `json:"payload_hex"`
	Code          int         `json:"code"`
}

func loadCases(tb testing.TB) []httpCase {
	tb.Helper()
	f, err := os.Open("testdata/http.json")
	require.NoError(tb, err)
	defer f.Close()
	decode := json.NewDecoder(f)
	decode.DisallowUnknownFields()
	var cases []httpCase
	require.NoError(tb, decode.Decode(&cases))
	return cases
}

func (c *httpCase) input(tb testing.TB) []byte {
	tb.Helper()
	if c.InputText != "" {
		return []byte(c.InputText)
	}
	input, err := hex.DecodeString(c.InputHex + strings.Join(c.ChunksHex, ""))
	require.NoError(tb, err)
	return input
}

// want is what the case expects, in the shape that a feeder returns.
func (c *httpCase) want(tb testing.TB) result {
	tb.Helper()
	var want result
	decode := json.NewDecoder(strings.NewReader(string(c.Expect.Messages)))
	decode.DisallowUnknownFields()
	require.NoError(tb, decode.Decode(&want.messages))
	for i := range want.messages {
		m := &want.messages[i]
		body, err := hex.DecodeString(m.Body)
		require.NoError(tb, err)
		m.Body = string(body)
	}
	if len(want.messages) == 0 {
		want.messages = nil
	}
	if e := c.Expect.Error; e != nil {
		want.reason = e.Reason
		if e.Status != nil {
			want.status = *e.Status
		}
	}
	leftover, err := hex.DecodeString(c.Expect.Leftover)
	require.NoError(tb, err)
	want.leftover = string(leftover)
	return want
}

func (c *httpCase) config() DecoderConfig {
	return DecoderConfig{Limits: Limits{Line: c.Limits.Line, Head: c.Limits.Head, Fields: c.Limits.Fields}}
}

// decoder returns a constructor for the case's side.
func (c *httpCase) decoder(config DecoderConfig) func() decoder {
	if c.Kind == "request" {
		return func() decoder { return NewRequestDecoder(config, new(State)) }
	}
	sent := exchangeKeepAlive | exchangeUpgrade
	if Method(c.RequestMethod) == MethodHead {
		sent |= exchangeHead
	}
	if Method(c.RequestMethod) == MethodConnect {
		sent |= exchangeConnect
	}
	return func() decoder {
		state := new(State)
		for range 4 {
			state.push(sent)
		}
		return NewResponseDecoder(config, state)
	}
}

const randomRounds = 200

func (c *httpCase) decode(t *testing.T, config DecoderConfig) result {
	t.Helper()
	input := c.input(t)
	got := decodeAnyhow(t, c.decoder(config), input, c.EOF, randomRounds)
	if c.ChunksHex != nil {
		f := newFeeder(t, c.decoder(config)())
		for _, chunk := range c.ChunksHex {
			p, err := hex.DecodeString(chunk)
			require.NoError(t, err)
			f.feed(p)
		}
		require.Equal(t, got, f.close(), "cut as the case says")
	}
	return got
}

func testDecodeCases(t *testing.T, kind string, number int) {
	t.Helper()
	ran := 0
	for _, c := range loadCases(t) {
		if c.Kind != kind {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			got, want := c.decode(t, c.config()), c.want(t)
			require.Equal(t, want.reason != "", got.reason != "", "error %q, want %q", got.reason, want.reason)
			require.Equal(t, want.status, got.status, "%s", got.reason)
			// Reasons are compared by eye only: the words of the case file are not ours.
			want.reason = got.reason
			require.Equal(t, want, got)
			if c.Expect.Discarded || got.reason != "" {
				requireSilence(t, &c)
			}
		})
	}
	require.Equal(t, number, ran)
}

// requireSilence feeds a good message behind the input of c, and another with the rest of the connection.
func requireSilence(t *testing.T, c *httpCase) {
	t.Helper()
	f := newFeeder(t, c.decoder(c.config())())
	f.feed(c.input(t))
	if c.EOF {
		f.eof()
	}
	before := len(f.result.messages)
	f.feed([]byte("GET /evil HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	require.Len(t, f.result.messages, before)
	require.Empty(t, f.close().leftover)
}

func TestRequestCases(t *testing.T)  { testDecodeCases(t, "request", 106) }
func TestResponseCases(t *testing.T) { testDecodeCases(t, "response", 18) }

// encoder is what both encoders are to a driver.
type encoder interface {
	Encode(out *buffer.Writer, m any) error
	Size(m any) int
}

// whole returns m as one message.
func (m *outMessage) whole() (any, error) {
	if m.Type == "request" {
		f := NewFullRequest(Method(m.Method), m.Target)
		f.SetBodyString(m.Body)
		return f, addPairs(&f.Header, m.Headers)
	}
	f := NewFullResponse(m.Status)
	f.Reason = m.Reason
	f.SetBodyString(m.Body)
	return f, addPairs(&f.Header, m.Headers)
}

// streamed returns m as a head and pieces.
func (m *outMessage) streamed() ([]any, error) {
	var messages []any
	var err error
	if m.Type == "request" {
		r := NewRequest(Method(m.Method), m.Target)
		messages, err = append(messages, r), addPairs(&r.Header, m.Headers)
		r.Length = int64(len(m.Body))
	} else {
		r := NewResponse(m.Status)
		r.Reason = m.Reason
		messages, err = append(messages, r), addPairs(&r.Header, m.Headers)
	}
	for _, part := range append(m.Content, m.Body) {
		if part != "" || m.Type != "request" {
			messages = append(messages, contentOf(part))
		}
	}
	last := EmptyLast
	if len(m.Trailers) > 0 {
		last = &Content{Last: true, Trailer: new(Header)}
		err = errors.Join(err, addPairs(last.Trailer, m.Trailers))
	}
	return append(messages, last), err
}

// encode writes m with e, as one message or streamed, and returns the octets.
func (m *outMessage) encode(e encoder, whole bool) (string, error) {
	var out buffer.Writer
	out.Reset(nil, 0)
	defer out.Discard()
	var messages []any
	var err error
	if whole {
		messages = make([]any, 1)
		messages[0], err = m.whole()
	} else {
		messages, err = m.streamed()
	}
	for _, msg := range messages {
		if err == nil {
			err = e.Encode(&out, msg)
		}
		buffer.Release(msg)
	}
	return written(&out, err)
}

func written(out *buffer.Writer, err error) (string, error) {
	v := out.View()
	defer v.Release()
	return string(v.Bytes()), err
}

func addPairs(h *Header, pairs [][2]string) error {
	for _, p := range pairs {
		if err := h.Add(p[0], p[1]); err != nil {
			return err
		}
	}
	return nil
}

// encoder returns an encoder for the case's side.
func (c *httpCase) encoder() encoder {
	if c.Message.Type == "request" {
		return NewRequestEncoder(nil)
	}
	state := new(State)
	asked := exchangeKeepAlive
	if Method(c.Message.RequestMethod) == MethodHead {
		asked |= exchangeHead
	}
	state.push(asked)
	return NewResponseEncoder(state)
}

func TestEncodeCases(t *testing.T) {
	ran := 0
	for _, c := range loadCases(t) {
		if c.Kind != "encode" || c.Message.Type == "ws" {
			continue
		}
		ran++
		for _, whole := range []bool{true, false} {
			name := c.ID + "/streamed"
			if whole {
				name = c.ID
			}
			if whole && c.Message.Content != nil {
				continue // cannot be one message
			}
			t.Run(name, func(t *testing.T) {
				got, err := c.Message.encode(c.encoder(), whole)
				if c.Expect.Error != nil {
					require.EqualError(t, err, "httpx: "+c.Expect.Error.Reason)
					require.True(t, got == "" || !whole)
					return
				}
				require.NoError(t, err)
				want, err := hex.DecodeString(c.Expect.Output)
				require.NoError(t, err)
				require.Equal(t, string(want), got)
			})
		}
	}
	require.Equal(t, 10, ran)
}

// TestCasesOfOtherPackages names what is not decoded or encoded here, so that nothing of the file is skipped unseen.
func TestCasesOfOtherPackages(t *testing.T) {
	elsewhere := map[string]int{}
	here := 0
	accepts := 0
	for _, c := range loadCases(t) {
		switch {
		case c.Kind == "encode" && c.Message.Type == "ws":
			elsewhere["encode "+c.Message.Type]++
		case c.Kind == "request", c.Kind == "response", c.Kind == "encode":
			here++
		default:
			elsewhere[c.Kind]++
		}
		if c.Expect.Accept != "" {
			accepts++
		}
	}
	require.Equal(t, map[string]int{"ws-frame": 43, "encode ws": 3}, elsewhere)
	require.Equal(t, 106+18+10, here)
	require.Equal(t, 1, accepts, "handshake answers are WebSocket's")
}
