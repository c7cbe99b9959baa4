package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func websocketEntry() entry {
	return entry{name: "websocket", kinds: []string{"ws-frame", "encode"}, parse: parseWebSocket, stream: streamWebSocket}
}

// wsDecoded is what a case of kind ws-frame expects.
type wsDecoded struct {
	Messages []wsMessage `json:"messages"`
	Error    *httpError  `json:"error,omitempty"` // its status is the code to close with
	Leftover string      `json:"leftover_hex,omitempty"`
}

type wsMessage struct {
	Type       string         `json:"type"` // text, binary, ping, pong or close
	PayloadHex string         `json:"payload_hex"`
	Code       websocket.Code `json:"code,omitempty"`
}

func parseWebSocket(raw []byte) (*testCase, error) {
	c, err := parseHTTP(raw, "ws-frame", "ws")
	switch {
	case err != nil:
		return nil, err
	case c.Kind == "encode":
		return c.encodeWebSocket()
	}
	pieces, err := c.pieces()
	if err != nil {
		return nil, err
	}
	if _, err = c.frameDecoder(); err != nil {
		return nil, err
	}
	t := &testCase{}
	for _, streamed := range []bool{false, true} {
		t.ways = append(t.ways, inputWays(fmt.Sprintf(", streamed %t", streamed), pieces, func(pieces [][]byte) (any, error) {
			d, err := c.frameDecoder()
			if err != nil {
				return nil, err
			}
			d.Stream = streamed
			return decodeWebSocket(d, pieces, c.EOF)
		})...)
	}
	t.differences, err = expectations(func(want, got *wsDecoded) { levelErrors(want.Error, &got.Error) }, c.Expect)
	return t, err
}

// frameDecoder is that of the side under test.
func (c *httpCase) frameDecoder() (*websocket.Decoder, error) {
	d := &websocket.Decoder{Client: c.Role == "client"}
	switch {
	case c.Role != "client" && c.Role != "server":
		return nil, fmt.Errorf("unknown role %q", c.Role)
	case c.Extensions == "permessage-deflate":
		d.Deflate = &websocket.Deflate{ServerTakeover: true, ClientTakeover: true}
	case c.Extensions != "":
		return nil, fmt.Errorf("unknown extension %q", c.Extensions)
	}
	return d, nil
}

// streamWebSocket decodes what a client sends.
func streamWebSocket(input []byte, eof bool) (any, error) {
	return decodeWebSocket(&websocket.Decoder{}, [][]byte{input}, eof)
}

func decodeWebSocket(d *websocket.Decoder, pieces [][]byte, eof bool) (any, error) {
	got := wsDecoded{Messages: []wsMessage{}}
	var body []byte // of a message that comes in pieces
	run := decoding{decoder: codec.NewDecoder[any](d), eof: eof, probe: "\x89\x80\x00\x00\x00\x00"}
	run.message = func(msg any) error {
		m := wsMessage{}
		var payload []byte
		switch msg := msg.(type) {
		case *websocket.Message:
			m.Type, payload = msg.Type.String(), msg.Bytes()
		case *websocket.Piece:
			if msg.Data != nil {
				body = append(body, msg.Data.Bytes()...)
			}
			if !msg.Last {
				return nil
			}
			m.Type, payload, body = msg.Type.String(), body, nil
		case *websocket.Ping:
			m.Type, payload = "ping", msg.Data
		case *websocket.Pong:
			m.Type, payload = "pong", msg.Data
		case *websocket.Close:
			m.Type, m.Code, payload = "close", msg.Code, []byte(msg.Reason)
		default:
			return fmt.Errorf("%w: unknown message %T", errBroken, msg)
		}
		m.PayloadHex = hex.EncodeToString(payload)
		got.Messages = append(got.Messages, m)
		return nil
	}
	result, err := run.run(pieces, func() {})
	got.Leftover = hex.EncodeToString(result.rest)
	if result.refusal != nil {
		got.Error = wsErrorOf(result.refusal)
	}
	return got, err
}

func wsErrorOf(err error) *httpError {
	var refused *websocket.Error
	if !errors.As(err, &refused) {
		return &httpError{Reason: err.Error()}
	}
	e := &httpError{Reason: refused.Reason}
	if refused.Code.Sendable() {
		code := int(refused.Code)
		e.Status = &code
	}
	return e
}

// encodeWebSocket makes a case that writes one frame of a server.
func (c *httpCase) encodeWebSocket() (*testCase, error) {
	m := c.Message
	payload, err := hex.DecodeString(m.PayloadHex)
	if err != nil {
		return nil, err
	}
	payload = append(payload, m.PayloadText...)
	if m.Role != "server" { // the masks of a client can't be foreseen
		return nil, fmt.Errorf("unknown role %q", m.Role)
	}
	newMessage := map[int]func() any{
		0x1: func() any { return websocket.NewText(string(payload)) },
		0x2: func() any { return websocket.NewBinary(payload) },
		0x8: func() any { return &websocket.Close{Code: websocket.Code(m.Code), Reason: string(payload)} },
		0x9: func() any { return &websocket.Ping{Data: payload} },
		0xa: func() any { return &websocket.Pong{Data: payload} },
	}[m.Opcode]
	if newMessage == nil {
		return nil, errors.New("unknown opcode " + strconv.Itoa(m.Opcode))
	}
	return c.encoded(&testCase{ways: []way{{"whole", func() (any, error) {
		output, refusal := encode(codec.NewEncoder[any](&websocket.Encoder{}), newMessage())
		if refusal != nil {
			return httpEncoded{Error: wsErrorOf(refusal)}, nil
		}
		return httpEncoded{OutputHex: hex.EncodeToString(output)}, nil
	}}}})
}

// handshake gives pieces to a server of WebSocket and returns the Sec-WebSocket-Accept of its answer.
func handshake(pieces [][]byte) (accept string, err error) {
	quiet := websocket.Protocol{Install: func(ctx *pipeline.Context) error {
		return ctx.AddBefore(pipeline.OnLend(func(*pipeline.Context, *websocket.Message) error { return nil }))
	}}
	upgrader := &websocket.Upgrader{Protocols: []websocket.Protocol{quiet}}
	ch, err := embedded.NewInit(embedded.Config{}, httpx.Init(httpx.ServerConfig{Handle: upgrader.Handle}))
	if err != nil {
		return "", err
	}
	for _, p := range pieces {
		err = errors.Join(err, ch.Feed(p))
	}
	head, _, _ := strings.Cut(ch.WireString(), "\r\n\r\n")
	for line := range strings.SplitSeq(head, "\r\n") {
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Sec-WebSocket-Accept") {
			accept = strings.TrimSpace(value)
		}
	}
	ch.PeerReset() // no closing handshake
	ch.RunPending()
	_ = ch.CheckErr()
	ch.DiscardWire()
	_, left := ch.Finish()
	return accept, errors.Join(err, left)
}
