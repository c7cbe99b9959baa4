package websocket_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func newNetwork(t *testing.T) *embedded.Network {
	t.Helper()
	n := embedded.NewNetwork(embedded.Config{})
	t.Cleanup(func() {
		_, err := n.Finish()
		require.NoError(t, err)
	})
	return n
}

// elsewhere runs f on another goroutine, and the network until it has returned; step is called in between.
func elsewhere(t *testing.T, n *embedded.Network, f func() error, step func()) error {
	t.Helper()
	n.Listen("wake-up", nil)
	ch, err := n.Dial(t.Context(), "wake-up", func(*pipeline.Channel) error { return nil })
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		done <- f()
		_ = ch.Loop().Post(func() {}) // the network looks again
	}()
	require.NoError(t, n.RunUntil(t.Context(), func() bool {
		step()
		select {
		case err = <-done:
			return true
		default:
			return false
		}
	}))
	return err
}

func TestDialerConnectsAndInitFillsThePipelineBehind(t *testing.T) {
	n := newNetwork(t)
	u := upgrader()
	u.Deflate = &websocket.Deflate{}
	n.Listen("server:80", httpx.Init(httpx.ServerConfig{Handle: u.Handle}))
	d := &websocket.Dialer{Plain: n.Dial, Protocols: []string{"shout"}, Deflate: &websocket.Deflate{}}
	rec := new(pipelinetest.Recorder)
	var got []string
	ch, err := d.Dial(t.Context(), "ws://server/chat", func(ch *pipeline.Channel) error {
		agreed, ok := websocket.AgreementOf(ch)
		require.True(t, ok)
		require.Equal(t, "shout", agreed.Protocol)
		require.NotNil(t, agreed.Deflate)
		return ch.Pipeline().AddLast(rec, pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
			got = append(got, string(b.Bytes()))
			return nil
		}))
	})
	require.NoError(t, err)
	require.Equal(t, []string{"added", "active"}, rec.Take()[:2], "handlers hear that the connection is theirs")
	require.NoError(t, ch.Send(buffer.FromString("hello\nwor"), nil))
	require.NoError(t, ch.Send(buffer.FromString("ld\n"), nil))
	n.RunPending()
	require.Equal(t, []string{"HELLO\n", "WORLD\n"}, got)
	require.NotContains(t, ch.Pipeline().String(), "httpx")
	require.NoError(t, ch.Close())
	n.RunPending()
	require.True(t, ch.Closed())
}

func TestDialerGivesWholeMessagesWhenAsked(t *testing.T) {
	n := newNetwork(t)
	n.Listen("server:8080", httpx.Init(httpx.ServerConfig{Handle: upgrader().Handle}))
	d := &websocket.Dialer{Plain: n.Dial, Target: "/chat", Messages: true}
	var got []string
	ch, err := d.Dial(t.Context(), "server:8080", func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnLend(func(_ *pipeline.Context, m *websocket.Message) error {
			got = append(got, m.Text())
			return nil
		}))
	})
	require.NoError(t, err)
	require.NoError(t, ch.Send(websocket.NewText("hello"), nil))
	n.RunPending()
	require.Equal(t, []string{"hello"}, got)
}

func TestDialerWaitsOnOtherGoroutines(t *testing.T) {
	n := newNetwork(t)
	n.Listen("server:80", httpx.Init(httpx.ServerConfig{Handle: upgrader().Handle}))
	var ch *pipeline.Channel
	dial := func(d *websocket.Dialer) error {
		return elsewhere(t, n, func() (err error) {
			ch, err = d.Dial(context.Background(), "ws://server", nil)
			return err
		}, func() {})
	}
	require.NoError(t, dial(&websocket.Dialer{Plain: n.Dial}))
	require.False(t, ch.Closed())
	err := dial(&websocket.Dialer{Plain: n.Dial, Protocols: []string{"unknown"}})
	var e *websocket.HandshakeError
	require.ErrorAs(t, err, &e)
	require.Equal(t, "no subprotocol", e.Reason)
}

// scripted dials a server that the test plays: it answers by what answer makes of the request.
func scripted(t *testing.T, n *embedded.Network, d *websocket.Dialer, play func(s *embedded.Channel)) error {
	t.Helper()
	n.Listen("server:80", nil)
	d.Plain = n.Dial
	played := false
	return elsewhere(t, n, func() error {
		_, err := d.Dial(context.Background(), "ws://server:80/x", nil)
		return err
	}, func() {
		if all := n.Dialed("server:80"); len(all) > 0 && !played && all[len(all)-1].Untaken() > 0 {
			played = true
			play(all[len(all)-1])
		}
	})
}

func TestDialerSaysWhyThereIsNoWebSocket(t *testing.T) {
	for name, tt := range map[string]struct {
		play   func(n *embedded.Network, s *embedded.Channel)
		reason string
		status int
		cause  error
	}{
		"refused": {func(_ *embedded.Network, s *embedded.Channel) {
			_ = s.FeedString("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
		}, "the server refused", 403, nil},
		"no HTTP":   {func(_ *embedded.Network, s *embedded.Channel) { _ = s.FeedString("SSH-2.0\r\n") }, "no good answer", 0, nil},
		"end":       {func(_ *embedded.Network, s *embedded.Channel) { s.PeerClose(); s.RunPending() }, "no answer", 0, io.ErrUnexpectedEOF},
		"reset":     {func(_ *embedded.Network, s *embedded.Channel) { s.PeerReset(); s.RunPending() }, "no good answer", 0, pipeline.ErrReset},
		"no answer": {func(n *embedded.Network, _ *embedded.Channel) { n.AdvanceTime(10 * time.Second) }, "no answer", 0, nil},
		"not ours": {func(_ *embedded.Network, s *embedded.Channel) {
			_ = s.FeedString("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")
		}, "wrong Sec-WebSocket-Accept", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t)
			err := scripted(t, n, &websocket.Dialer{}, func(s *embedded.Channel) { tt.play(n, s) })
			var e *websocket.HandshakeError
			require.ErrorAs(t, err, &e)
			require.Equal(t, tt.reason, e.Reason)
			require.Equal(t, tt.status, e.Status)
			if tt.cause != nil {
				require.ErrorIs(t, err, tt.cause)
			}
			n.RunPending()
			require.True(t, n.Dialed("server:80")[0].Closed())
		})
	}
	var late *handlers.TimeoutError
	n := newNetwork(t)
	err := scripted(t, n, &websocket.Dialer{Within: time.Second}, func(*embedded.Channel) { n.AdvanceTime(time.Second) })
	require.ErrorAs(t, err, &late)
}

func TestDialerPassesTheErrorsOfInitAndOfTheConnection(t *testing.T) {
	n := newNetwork(t)
	n.Listen("server:80", httpx.Init(httpx.ServerConfig{Handle: upgrader().Handle}))
	broken := errors.New("broken")
	d := &websocket.Dialer{Plain: n.Dial}
	_, err := d.Dial(t.Context(), "ws://server/", func(*pipeline.Channel) error { return broken })
	require.ErrorIs(t, err, broken)
	_, err = d.Dial(t.Context(), "ws://nobody/", nil)
	require.ErrorContains(t, err, "refused")
	d.Protocols = []string{"a b"}
	_, err = d.Dial(t.Context(), "ws://server/", nil)
	var bad *httpx.Error
	require.ErrorAs(t, err, &bad)
}

func TestDialerEndsWithItsParent(t *testing.T) {
	n := newNetwork(t)
	n.Listen("server:80", nil)
	d := &websocket.Dialer{Plain: n.Dial}
	parent, cancel := context.WithCancel(t.Context())
	err := elsewhere(t, n, func() error {
		_, err := d.Dial(parent, "ws://server/", nil)
		return err
	}, func() {
		if len(n.Dialed("server:80")) > 0 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	n.RunPending()
	require.True(t, n.Dialed("server:80")[0].Closed())
}

func TestDialerOnTheLoopReportsOnTheChannel(t *testing.T) {
	n := newNetwork(t)
	n.Listen("server:80", nil)
	d := &websocket.Dialer{Plain: n.Dial, Within: time.Second}
	ch, err := d.Dial(t.Context(), "ws://server/", nil)
	require.NoError(t, err)
	require.True(t, ch.IsOpen())
	n.AdvanceTime(time.Second)
	require.True(t, ch.Closed())
	var e *websocket.HandshakeError
	require.ErrorAs(t, n.Dialed("server:80")[0].CheckErr(), &e)
}

func TestDialerReadsAddresses(t *testing.T) {
	var to, request string
	plain := errors.New("plain")
	secret := errors.New("secret")
	record := func(err error) pipeline.DialFunc {
		return func(_ context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
			to = address
			ch, e := embedded.NewInit(embedded.Config{}, init)
			if e != nil {
				return nil, e
			}
			request = ch.WireString()
			_, _ = ch.Finish()
			return nil, err
		}
	}
	d := &websocket.Dialer{Plain: record(plain), TLS: record(secret), Target: "/default?q"}
	for _, tt := range []struct {
		address, to, host, target string
		tls                       bool
	}{
		{"ws://example.org", "example.org:80", "example.org", "/default?q", false},
		{"ws://example.org/", "example.org:80", "example.org", "/", false},
		{"ws://example.org:80/a?b=c", "example.org:80", "example.org", "/a?b=c", false},
		{"ws://example.org:8080/a", "example.org:8080", "example.org:8080", "/a", false},
		{"wss://example.org/a%20b", "example.org:443", "example.org", "/a%20b", true},
		{"wss://example.org:80/", "example.org:80", "example.org:80", "/", true},
		{"ws://[::1]/", "[::1]:80", "[::1]", "/", false},
		{"ws://[::1]:81/", "[::1]:81", "[::1]:81", "/", false},
		{"example.org:81", "example.org:81", "example.org:81", "/default?q", false},
	} {
		_, err := d.Dial(t.Context(), tt.address, nil)
		if tt.tls {
			require.ErrorIs(t, err, secret)
		} else {
			require.ErrorIs(t, err, plain)
		}
		require.Equal(t, tt.to, to)
		require.True(t, strings.HasPrefix(request, "GET "+tt.target+" HTTP/1.1\r\n"), request)
		require.Contains(t, request, "\r\nHost: "+tt.host+"\r\n")
	}
	for _, address := range []string{"http://example.org", "ws://", "ws://a:b@example.org", "ws://example.org/#x", "ws://exa mple", "ws://example.org:x/"} {
		_, err := d.Dial(t.Context(), address, nil)
		require.ErrorIs(t, err, websocket.ErrAddress, "%s", address)
	}
	_, err := (&websocket.Dialer{}).Dial(t.Context(), "wss://example.org", nil)
	require.ErrorIs(t, err, websocket.ErrAddress)
}

func TestDialedConnectionsMayBeRemovedFromBelow(t *testing.T) {
	n := newNetwork(t)
	n.Listen("server:80", nil)
	d := &websocket.Dialer{Plain: func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		return n.Dial(parent, address, func(ch *pipeline.Channel) error {
			if err := init(ch); err != nil {
				return err
			}
			names := ch.Pipeline().Names()
			return ch.Pipeline().Remove(names[len(names)-1])
		})
	}}
	_, err := d.Dial(t.Context(), "ws://server/", nil)
	require.ErrorIs(t, err, net.ErrClosed)
}
