package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// serve runs STOMP servers on address, which may end in ":0", and gives the address and what stops it.
func serve(t *testing.T, address string) (at string, stop func()) {
	t.Helper()
	s := &transport.Server{Init: func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(installer{}) }, Loops: 2}
	s.Logger = slog.New(slog.DiscardHandler) // tests break connections on purpose
	require.Eventually(t, func() bool { return s.Listen(t.Context(), "tcp://"+address) == nil }, 10*time.Second, time.Millisecond)
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			require.NoError(t, s.Close())
			require.NoError(t, <-served)
		})
	}
	t.Cleanup(stop)
	return s.Addrs()[0].String(), stop
}

// dialed gives c a dialer, and closes it all at the end.
func dialed(t *testing.T, c *client.Client) {
	t.Helper()
	d := &transport.Client{Loops: 2}
	c.Dial = d.Dial
	t.Cleanup(func() {
		_ = c.Close(t.Context()) // t.Context has ended by now: at once
		require.NoError(t, d.Close())
		require.Zero(t, d.Channels().Len())
	})
}

// body makes a SEND frame with a large body for every tenth number.
func body(i int) *stomp.Frame {
	text := fmt.Sprintf("message %d ", i)
	if i%10 == 0 {
		text += strings.Repeat("x", 20_000)
	}
	return news(text)
}

func TestManyGoroutinesSendAndReceiveOverTCP(t *testing.T) {
	at, _ := serve(t, "127.0.0.1:0")
	c := &client.Client{Address: at, MaxUnsent: 64 << 10}
	dialed(t, c)
	require.NoError(t, c.Connect(t.Context()))
	var got atomic.Int64
	all := make(chan struct{})
	const senders, each = 8, 200
	sub := &client.Subscription{Destination: "/queue/a", Handle: func(_ *pipeline.Context, m *client.Message) {
		if m.Destination() != "/queue/a" || !strings.HasPrefix(m.Body().String(), "message ") {
			t.Errorf("got %v", m.Frame())
		}
		if got.Add(1) == senders*each {
			close(all)
		}
	}}
	require.NoError(t, c.Subscribe(t.Context(), sub))
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for i := range each {
				var err error
				switch i % 4 {
				case 0:
					err = c.SendReceipt(t.Context(), body(i))
				case 1:
					for err = client.ErrBusy; errors.Is(err, client.ErrBusy); {
						err = c.StartSend(body(i), nil)
					}
				default:
					err = c.Send(t.Context(), body(i))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	<-all
	require.NoError(t, sub.Unsubscribe(t.Context()))
	require.NoError(t, c.SendReceipt(t.Context(), body(1)))
	require.NoError(t, c.Close(t.Context()))
	require.EqualValues(t, senders*each, got.Load())
	require.Equal(t, client.Stats{Connected: 1}, c.Stats())
}

func TestAClientSurvivesItsServersRestart(t *testing.T) {
	at, stop := serve(t, "127.0.0.1:0")
	states := make(chan client.Status, 1000)
	c := &client.Client{
		Address: at, MaxOffline: 10, Reconnect: client.Reconnect{Min: time.Millisecond, Max: 10 * time.Millisecond},
		OnStatus: func(s client.Status) { states <- s },
	}
	dialed(t, c)
	require.NoError(t, c.Connect(t.Context()))
	require.Equal(t, client.StateConnected, (<-states).State)
	messages := make(chan string, 10)
	require.NoError(t, c.Subscribe(t.Context(), &client.Subscription{
		Destination: "/queue/a", Handle: func(_ *pipeline.Context, m *client.Message) { messages <- m.Body().String() },
	}))
	for round := range 3 {
		stop()
		require.Equal(t, client.StateDisconnected, (<-states).State)
		_, stop = serve(t, at)
		for s := range states {
			if s.State == client.StateConnected {
				break
			}
		}
		text := fmt.Sprintf("round %d", round)
		require.NoError(t, c.SendReceipt(t.Context(), news(text)))
		require.Equal(t, text, <-messages)
	}
	require.NoError(t, c.Close(t.Context()))
}

func TestStartConnectsWhenTheServerComes(t *testing.T) {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := probe.Addr().String()
	require.NoError(t, probe.Close())
	failed := make(chan struct{}, 1000)
	c := &client.Client{Address: at, MaxOffline: 1, Reconnect: client.Reconnect{Min: time.Millisecond, Max: 10 * time.Millisecond}}
	c.OnStatus = func(s client.Status) {
		if s.State == client.StateDisconnected {
			failed <- struct{}{}
		}
	}
	dialed(t, c)
	require.NoError(t, c.Start())
	<-failed
	<-failed
	serve(t, at)
	require.NoError(t, c.SendReceipt(t.Context(), news("it has waited")))
	require.NoError(t, c.Close(t.Context()))
}

// Everything that may happen at once does: no call hangs, and each receipt is confirmed or said to be unknown.
func TestCallsEndWhateverHappensMeanwhile(t *testing.T) {
	at, _ := serve(t, "127.0.0.1:0")
	for range 10 {
		var channels sync.Map
		d := &transport.Client{Loops: 2}
		c := &client.Client{Address: at, MaxOffline: 5, Resend: true, Reconnect: client.Reconnect{Min: time.Microsecond, Max: time.Millisecond}}
		c.Dial = func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
			ch, err := d.Dial(parent, address, init)
			if err == nil {
				channels.Store(ch, nil)
			}
			return ch, err
		}
		require.NoError(t, c.Start())
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 50 {
					err := c.SendReceipt(t.Context(), body(i))
					known := err == nil || errors.Is(err, client.ErrUnconfirmed) || errors.Is(err, client.ErrNotConnected) ||
						errors.Is(err, client.ErrBusy) || errors.Is(err, client.ErrClosed)
					if !known {
						t.Error(err)
					}
				}
			})
		}
		wg.Go(func() {
			for range 20 {
				sub := listen("/queue/a")
				sub.Handle = func(_ *pipeline.Context, m *client.Message) { _ = m.Ack() }
				if c.StartSubscribe(&sub.Subscription, nil) == nil {
					_ = sub.StartUnsubscribe(nil)
				}
				if tx, err := c.Begin(); err == nil {
					_ = tx.Abort() // this server has no transactions: ERROR, and another connection
				}
			}
		})
		wg.Go(func() {
			for range 20 {
				channels.Range(func(ch, _ any) bool {
					ch.(*pipeline.Channel).CloseWith(pipeline.CloseReset, nil)
					channels.Delete(ch)
					return true
				})
				_ = c.Send(t.Context(), news("between"))
			}
		})
		wg.Wait()
		parent, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := c.Close(parent)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		cancel()
		require.NoError(t, d.Close())
		require.Zero(t, c.Stats().Unsent)
	}
}

func TestOverTLS(t *testing.T) {
	certificate := selfSigned(t)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	require.NoError(t, err)
	conns := &transport.Conns{Loops: 1}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		conn, err := listener.Accept()
		if err == nil {
			_, err = conns.Open(t.Context(), conn, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(installer{}) })
		}
		if err != nil {
			t.Error(err)
		}
	})
	dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the test's own certificate
	d := &transport.Conns{Loops: 1, Dialer: dialer.DialContext}
	c := &client.Client{Dial: d.Dial, Address: listener.Addr().String()}
	require.NoError(t, c.Connect(t.Context()))
	require.NoError(t, c.SendReceipt(t.Context(), news("hello")))
	require.NoError(t, c.Close(t.Context()))
	accepting.Wait()
	require.NoError(t, d.Close())
	require.NoError(t, conns.Close())
	require.NoError(t, listener.Close())
}
