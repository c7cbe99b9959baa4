package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustHub(t *testing.T) *hub {
	t.Helper()
	h, err := newHub()
	require.NoError(t, err)
	return h
}

// serve runs h on a free port for the length of the test and gives its address.
func serve(t *testing.T, h *hub) string {
	t.Helper()
	require.NoError(t, h.server.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- h.server.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, h.server.Close())
		require.NoError(t, <-served)
	})
	return h.server.Addrs()[0].String()
}

func dial(t *testing.T, addr string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return conn, bufio.NewReader(conn)
}

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second}).Get(url)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, string(body)
}

func TestPageAndJSONShowTheirOwnConnection(t *testing.T) {
	addr := serve(t, mustHub(t))
	resp, body := get(t, "http://"+addr+"/")
	require.Equal(t, 200, resp.StatusCode)
	require.Contains(t, resp.Header.Get("Content-Type"), "text/html")
	require.Contains(t, body, "httpx.RequestDecoder")
	resp, body = get(t, "http://"+addr+"/status.json")
	require.Equal(t, 200, resp.StatusCode)
	var r report
	require.NoError(t, json.Unmarshal([]byte(body), &r))
	require.NotEmpty(t, r.Connections)
	mine := r.Connections[len(r.Connections)-1]
	require.Equal(t, "HTTP", mine.Protocol)
	require.Contains(t, mine.Pipeline, "bytes → ")
	require.NotEmpty(t, r.Pools)
}

func TestThePageIsKeptUpToDateOverWebSocket(t *testing.T) {
	h := mustHub(t)
	addr := serve(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan struct{})
	go func() { defer close(told); h.tell(ctx, 10*time.Millisecond) }()
	client := transport.Client{Loops: 1}
	dialer := websocket.Dialer{Plain: client.Dial, Messages: true}
	reports := make(chan string, 100)
	_, err := dialer.Dial(t.Context(), "ws://"+addr+"/live", func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnLend(func(_ *pipeline.Context, m *websocket.Message) error {
			select {
			case reports <- m.Text():
			default: // enough of them
			}
			return nil
		}))
	})
	require.NoError(t, err)
	for range 3 {
		require.Contains(t, <-reports, "<td>WebSocket<td>")
	}
	cancel()
	<-told
	require.NoError(t, client.Close())
}

func TestOtherTargetsAndMethodsAreRefused(t *testing.T) {
	addr := serve(t, mustHub(t))
	resp, _ := get(t, "http://"+addr+"/nothing")
	require.Equal(t, 404, resp.StatusCode)
	conn, in := dial(t, addr)
	_, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n")
	require.NoError(t, err)
	all, err := io.ReadAll(in)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(all), "HTTP/1.1 405 "), "%.100q", all)
	require.Contains(t, string(all), "HTTP/1.1 200 OK")
}

func TestMessagesOfOneSTOMPClientReachAnother(t *testing.T) {
	addr := serve(t, mustHub(t))
	sub, subIn := dial(t, addr)
	pub, pubIn := dial(t, addr)
	exchange := func(conn net.Conn, in *bufio.Reader, frame, want string) string {
		t.Helper()
		_, err := io.WriteString(conn, frame+"\x00")
		require.NoError(t, err)
		if want == "" {
			return ""
		}
		got, err := in.ReadString(0)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(strings.TrimLeft(got, "\n"), want), "%q", got)
		return got
	}
	exchange(sub, subIn, "CONNECT\naccept-version:1.2\nhost:x\n\n", "CONNECTED\n")
	exchange(pub, pubIn, "STOMP\naccept-version:1.1,1.2\nhost:x\n\n", "CONNECTED\n")
	exchange(sub, subIn, "SUBSCRIBE\ndestination:/a\nid:7\nreceipt:s\n\n", "RECEIPT\n")
	exchange(pub, pubIn, "SEND\ndestination:/a\nmood:fine\nreceipt:p\n\nhello", "RECEIPT\n")
	message := exchange(sub, subIn, "\n", "MESSAGE\n")
	require.Contains(t, message, "\nsubscription:7\n")
	require.Contains(t, message, "\nmood:fine\n")
	require.True(t, strings.HasSuffix(message, "\n\nhello\x00"), "%q", message)
	exchange(pub, pubIn, "DISCONNECT\nreceipt:bye\n\n", "RECEIPT\n")
	_, err := pubIn.ReadByte()
	require.ErrorIs(t, err, io.EOF)
}

func TestUnknownFirstBytesGetAClearRefusal(t *testing.T) {
	addr := serve(t, mustHub(t))
	for _, first := range []string{"SSH-2.0-OpenSSH\r\n", "\x16\x03\x01\x02\x00\x01", "\x00", "GETT / HTTP/1.1\r\n", "connect\n"} {
		t.Run(fmt.Sprintf("%.12q", first), func(t *testing.T) {
			conn, in := dial(t, addr)
			_, err := io.WriteString(conn, first)
			require.NoError(t, err)
			all, err := io.ReadAll(in)
			require.NoError(t, err)
			require.Equal(t, refusal, string(all))
		})
	}
}

func TestSilentConnectionsAreClosedAtTheDeadline(t *testing.T) {
	h := mustHub(t)
	h.within = 300 * time.Millisecond
	addr := serve(t, h)
	for name, first := range map[string]string{
		"nothing":            "",
		"half a method":      "GE",
		"half a head":        "GET / HTTP/1.1\r\nHost:",
		"half a STOMP frame": "CONNECT\naccept-version:1.2\n",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			conn, in := dial(t, addr)
			_, err := io.WriteString(conn, first)
			require.NoError(t, err)
			_, err = io.ReadAll(in)
			require.NoError(t, err)
			require.GreaterOrEqual(t, time.Since(began), h.within)
		})
	}
}

func TestRunDrainsWhenItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, "127.0.0.1:0", &demo{count: 1, out: io.Discard, every: time.Hour}) }()
	cancel()
	require.NoError(t, <-ended)
}

func TestTheDefaultPortMayBeTaken(t *testing.T) {
	taken, err := net.Listen("tcp", defaultAddr)
	if err == nil {
		defer func() { require.NoError(t, taken.Close()) }()
	}
	h := mustHub(t)
	addr, err := listen(t.Context(), h, "")
	require.NoError(t, err)
	require.NotEqual(t, defaultAddr, addr.String())
	require.NoError(t, h.server.Close())
}
