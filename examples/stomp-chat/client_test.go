package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/stomp"
)

// lobby is a chat with clients, in memory.
type lobby struct {
	*testing.T
	*embedded.Network
}

func newLobby(t *testing.T) *lobby {
	t.Helper()
	routes, err := new(chat).routes()
	require.NoError(t, err)
	n := embedded.NewNetwork(embedded.Config{})
	n.Listen("chat:80", httpx.Init(httpx.ServerConfig{Handle: routes.Serve}))
	t.Cleanup(func() {
		left, err := n.Finish()
		require.NoError(t, err)
		require.NoError(t, left.Err())
	})
	return &lobby{t, n}
}

// client is one that sees the messages of WebSocket.
type client struct {
	*lobby
	*pipeline.Channel
	decoder stomp.Decoder
	types   []websocket.Type // of the messages that came, one for each frame
	frames  []*stomp.Frame
	beats   int
	code    websocket.Code // of the server's Close frame
}

// join connects with a subprotocol and logs in as a client of that version.
func (l *lobby) join(name string) *client {
	l.Helper()
	c := l.dial(name)
	c.text("CONNECT\naccept-version:1.0,1.1,1.2\nhost:chat\nlogin:Ann\n\n\x00")
	f, _ := c.next()
	require.Equal(l.T, stomp.CommandConnected, f.Command)
	require.Equal(l.T, name, stomp.ParseVersion(f.Headers.Get("version")).Subprotocol())
	return c
}

// dial connects with a subprotocol.
func (l *lobby) dial(name string) *client {
	l.Helper()
	c := &client{lobby: l, decoder: stomp.Decoder{State: &stomp.State{}}}
	d := websocket.Dialer{
		Plain: l.Dial, Protocols: []string{name}, Messages: true,
		Deflate: &websocket.Deflate{Cap: codec.Cap{MaxRatio: 1100}},
		Config:  websocket.Config{Limits: websocket.Limits{Frame: 4 << 20}},
	}
	ch, err := d.Dial(l.Context(), "ws://chat:80/chat", func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(c) })
	require.NoError(l.T, err)
	c.Channel = ch
	l.Cleanup(func() {
		for _, f := range c.frames {
			f.Release()
		}
	})
	return c
}

// HandleRead checks that each message is one frame, whole, or a heart-beat.
func (c *client) HandleRead(ctx *pipeline.Context, msg any) error {
	m, ok := msg.(*websocket.Message)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	defer m.Release()
	if m.Text() == "\n" {
		if m.Type != websocket.TypeText {
			return fmt.Errorf("a heart-beat as %s", m)
		}
		c.beats++
		return nil
	}
	in := buffer.FromBytes(m.Bytes())
	defer in.Release()
	decoded, ok, err := c.decoder.Decode(in)
	if err != nil || !ok || in.Len() > 0 {
		return fmt.Errorf("%s is not one frame: %v, %d octets left, %w", m, decoded, in.Len(), err)
	}
	c.types, c.frames = append(c.types, m.Type), append(c.frames, decoded.(*stomp.Frame))
	return nil
}

// HandleEvent notes why the connection ends.
func (c *client) HandleEvent(_ *pipeline.Context, event any) error {
	if e, ok := event.(websocket.CloseEvent); ok {
		c.code = e.Code
	}
	return nil
}

// text sends octets as one text message.
func (c *client) text(octets string) { c.send(websocket.NewText(octets)) }

// binary sends octets as one binary message.
func (c *client) binary(octets string) { c.send(websocket.NewBinary([]byte(octets))) }

func (c *client) send(m *websocket.Message) {
	c.Helper()
	require.NoError(c.T, c.Channel.Send(m, nil))
	c.RunPending()
}

// next takes the oldest frame that came. It lives as long as the test.
func (c *client) next() (*stomp.Frame, websocket.Type) {
	c.Helper()
	require.NotEmpty(c.T, c.frames, "no frame has come")
	f, t := c.frames[0], c.types[0]
	c.frames, c.types = c.frames[1:], c.types[1:]
	c.Cleanup(f.Release)
	return f, t
}

// enter subscribes to a room.
func (c *client) enter(room string) {
	c.Helper()
	c.text("SUBSCRIBE\nid:1\ndestination:/topic/chat." + room + "\nreceipt:entered\n\n\x00")
	f, _ := c.next()
	require.Equal(c.T, "RECEIPT entered", strings.TrimSpace(string(f.Command)+" "+f.Headers.Get("receipt-id")))
}

var (
	_ pipeline.ReadHandler  = (*client)(nil)
	_ pipeline.EventHandler = (*client)(nil)
)
