package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// browser is a client that sees the messages of WebSocket.
type browser struct {
	*testing.T
	*pipeline.Channel
	messages chan string // "text MESSAGE..."
}

// browse connects to /stomp with a subprotocol.
func browse(t *testing.T, addr, name string) *browser {
	t.Helper()
	loops := &transport.Client{Loops: 1}
	t.Cleanup(func() { require.NoError(t, loops.Close()) })
	b := &browser{T: t, messages: make(chan string, 100)}
	d := websocket.Dialer{Plain: loops.Dial, Protocols: []string{name}, Messages: true}
	ch, err := d.Dial(t.Context(), "ws://"+addr+"/stomp", func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnLend(func(_ *pipeline.Context, m *websocket.Message) error {
			if m.Text() != "\n" { // heart-beats
				b.messages <- m.Type.String() + " " + m.Text()
			}
			return nil
		}))
	})
	require.NoError(t, err)
	b.Channel = ch
	return b
}

// ask sends a frame as text and returns the next message.
func (b *browser) ask(frame, want string) string {
	b.Helper()
	require.NoError(b.T, b.Write(b.Context(), websocket.NewText(frame+"\x00")))
	got := <-b.messages
	require.Contains(b.T, got, want)
	return got
}

// tcp is a client over TCP.
type tcp struct {
	*testing.T
	conn net.Conn
	in   *bufio.Reader
}

func dialTCP(t *testing.T, addr string) *tcp {
	t.Helper()
	conn, in := dial(t, addr)
	return &tcp{t, conn, in}
}

// ask sends a frame and returns the next one that comes.
func (c *tcp) ask(frame, want string) string {
	c.Helper()
	_, err := io.WriteString(c.conn, frame+"\x00")
	require.NoError(c.T, err)
	return c.next(want)
}

func (c *tcp) next(want string) string {
	c.Helper()
	got, err := c.in.ReadString(0)
	require.NoError(c.T, err)
	got = strings.TrimLeft(got, "\n")
	require.True(c.T, strings.HasPrefix(got, want), "%q", got)
	return got
}

const hello = "CONNECT\naccept-version:1.2\nhost:x\n\n"

func TestOneBrokerServesTCPAndWebSocket(t *testing.T) {
	h := mustHub(t)
	addr := serve(t, h)
	over, direct := browse(t, addr, "v12.stomp"), dialTCP(t, addr)
	over.ask(hello, "CONNECTED\nversion:1.2\n")
	direct.ask(hello, "CONNECTED\n")
	over.ask("SUBSCRIBE\nid:1\ndestination:/topic/a\nreceipt:r\n\n", "RECEIPT\nreceipt-id:r\n")
	direct.ask("SUBSCRIBE\nid:2\ndestination:/topic/a\nreceipt:r\n\n", "RECEIPT\n")

	direct.ask("SEND\ndestination:/topic/a\ncontent-type:text/plain\nmood:fine\n\nfrom TCP", "MESSAGE\n")
	got := <-over.messages
	require.True(t, strings.HasPrefix(got, "text MESSAGE\n"), "%q", got)
	for _, part := range []string{"\nsubscription:1\n", "\nmood:fine\n", "\ndestination:/topic/a\n", "\n\nfrom TCP\x00"} {
		require.Contains(t, got, part)
	}
	got = over.ask("SEND\ndestination:/topic/a\ncontent-type:image/png\n\nfrom WebSocket", "\n\nfrom WebSocket\x00")
	require.True(t, strings.HasPrefix(got, "binary MESSAGE\n"), "%q", got)
	require.Contains(t, direct.next("MESSAGE\n"), "\nsubscription:2\n")
}

func TestTheStatusTellsWhatIsOverWebSocket(t *testing.T) {
	addr := serve(t, mustHub(t))
	browse(t, addr, "v12.stomp").ask(hello, "CONNECTED\n")
	dialTCP(t, addr).ask(hello, "CONNECTED\n")
	_, body := get(t, "http://"+addr+"/status.json")
	var r report
	require.NoError(t, json.Unmarshal([]byte(body), &r))
	require.Equal(t, map[string]int{"HTTP": 2, "STOMP": 1, "STOMP over WebSocket": 1}, r.Seen)
	pipelines := map[string]string{}
	for _, c := range r.Connections {
		pipelines[c.Protocol] = c.Pipeline
	}
	require.Contains(t, pipelines["STOMP over WebSocket"], "websocket.Stream")
	for _, p := range []string{"STOMP over WebSocket", "STOMP"} {
		require.Contains(t, pipelines[p], "stomp/server.Session")
	}
	require.NotContains(t, pipelines["STOMP"], "websocket")
	for protocol, p := range pipelines {
		require.NotContains(t, p, "handlers.Detect", protocol)
	}
	require.NotContains(t, pipelines["STOMP over WebSocket"], "httpx.", "it has left HTTP")
}

func TestEachVersionHasItsSubprotocol(t *testing.T) {
	addr := serve(t, mustHub(t))
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		b := browse(t, addr, "v"+strings.ReplaceAll(version, ".", "")+".stomp")
		b.ask("CONNECT\naccept-version:"+version+"\nhost:x\n\n", "CONNECTED\n")
	}
	loops := transport.Client{Loops: 1}
	defer func() { require.NoError(t, loops.Close()) }()
	for _, names := range [][]string{nil, {"v13.stomp"}} {
		d := websocket.Dialer{Plain: loops.Dial, Protocols: names}
		_, err := d.Dial(t.Context(), "ws://"+addr+"/stomp", func(*pipeline.Channel) error { return nil })
		var refused *websocket.HandshakeError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 400, refused.Status)
	}
}

func TestFramesMayBeSpreadOverMessagesOfWebSocket(t *testing.T) {
	b := browse(t, serve(t, mustHub(t)), "v12.stomp")
	input := hello + "\x00\nSUBSCRIBE\nid:1\ndestination:/topic/a\n\n\x00SEND\ndestination:/topic/a\n\none\x00SEND\ndestination:/topic/a\n\ntwo\x00"
	for i := range len(input) {
		require.NoError(t, b.Send(websocket.NewText(input[i:i+1]), nil))
	}
	require.Contains(t, <-b.messages, "CONNECTED\n")
	require.Contains(t, <-b.messages, "\n\none\x00")
	require.Contains(t, <-b.messages, "\n\ntwo\x00")
}

func TestAWrongFrameEndsItsConnectionOnly(t *testing.T) {
	addr := serve(t, mustHub(t))
	bad, good := browse(t, addr, "v12.stomp"), dialTCP(t, addr)
	good.ask(hello, "CONNECTED\n")
	good.ask("SUBSCRIBE\nid:1\ndestination:/topic/a\nreceipt:r\n\n", "RECEIPT\n")
	bad.ask(hello, "CONNECTED\n")
	bad.ask("SEND\nk:\\x\n\n", "ERROR\n")
	for i := range 3 {
		got := good.ask(fmt.Sprintf("SEND\ndestination:/topic/a\n\n%d", i), "MESSAGE\n")
		require.True(t, strings.HasSuffix(got, fmt.Sprintf("\n\n%d\x00", i)))
	}
}

func TestDrainingEndsEveryKindOfConnection(t *testing.T) {
	h := mustHub(t)
	require.NoError(t, h.server.Listen(t.Context(), "tcp://127.0.0.1:0"))
	parent, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.server.Serve(parent) }()
	addr := h.server.Addrs()[0].String()
	over, direct := browse(t, addr, "v12.stomp"), dialTCP(t, addr)
	over.ask(hello, "CONNECTED\n")
	over.ask("SUBSCRIBE\nid:1\ndestination:/topic/a\nreceipt:r\n\n", "RECEIPT\n")
	direct.ask(hello, "CONNECTED\n")
	direct.ask("SUBSCRIBE\nid:1\ndestination:/queue/a\nreceipt:r\n\n", "RECEIPT\n")
	began := time.Now()
	stop()
	require.NoError(t, <-served)
	require.Less(t, time.Since(began), 10*time.Second, "nobody is waited for")
	require.Eventually(t, over.Closed, 10*time.Second, time.Millisecond)
	_, err := io.ReadAll(direct.in)
	require.NoError(t, err)
	require.Zero(t, h.broker.Stats().Consumers)
}
