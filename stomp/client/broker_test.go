package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
	"github.com/penstock-go/penstock/stomp/server"
)

// shared puts sessions with one configuration into pipelines.
type shared struct{ cfg server.Config }

func (s *shared) HandleAdded(ctx *pipeline.Context) error { return server.Install(ctx, s.cfg) }

// pair is a network with package stomp/server, and clients of it, in virtual time.
func pair(t *testing.T, cfg server.Config) *script {
	t.Helper()
	s := newScript(t, &client.Client{})
	if cfg.Broker == nil {
		cfg.Broker = &broker.Broker{}
	}
	s.net.Listen(address, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&shared{cfg}) })
	s.begin()
	s.net.RunPending()
	require.NotZero(t, s.Version())
	return s
}

// another is one more client in the network of s.
func (s *script) another(c *client.Client) *client.Client {
	s.t.Helper()
	c.Dial, c.Address, c.Reconnect.After = s.net.Dial, address, s.after
	require.NoError(s.t, c.Start())
	s.ring()
	s.net.RunPending()
	s.t.Cleanup(func() { c.StartClose(nil); s.net.RunPending() })
	return c
}

// send sends with a receipt, and requires that it comes.
func (s *script) send(body string) {
	s.t.Helper()
	var o outcome
	require.NoError(s.t, s.StartSend(news(body), o.done))
	s.net.RunPending()
	o.require(s.t, nil)
}

func TestOwnServerEveryAckModeInEveryVersion(t *testing.T) {
	for _, version := range []stomp.Version{stomp.Version10, stomp.Version11, stomp.Version12} {
		for _, mode := range []client.AckMode{client.AckAuto, client.AckClient, client.AckClientIndividual} {
			if version == stomp.Version10 && mode == client.AckClientIndividual {
				continue // 1.0 does not have it
			}
			t.Run(version.String()+" "+mode.String(), func(t *testing.T) {
				s := pair(t, server.Config{Versions: []stomp.Version{version}})
				b := s.another(&client.Client{Versions: []stomp.Version{version}})
				var got []string
				sub := &client.Subscription{Destination: "/queue/a", Ack: mode, Prefetch: 2, Handle: func(_ *pipeline.Context, m *client.Message) {
					got = append(got, m.Body().String())
					require.NoError(t, m.Ack())
				}}
				require.NoError(t, b.StartSubscribe(sub, nil))
				for i := range 10 {
					s.send(strconv.Itoa(i))
				}
				require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, got)
				var left outcome
				require.NoError(t, sub.StartUnsubscribe(left.done))
				s.net.RunPending()
				left.require(t, nil)
				s.send("for the next one")
				require.Len(t, got, 10)
				require.NoError(t, b.StartSubscribe(&client.Subscription{Destination: "/queue/a", Handle: sub.Handle}, nil))
				s.net.RunPending()
				require.Equal(t, "for the next one", got[10])
			})
		}
	}
}

func TestOwnServerDeliversAgainWhatWasNotSettled(t *testing.T) {
	s := pair(t, server.Config{})
	b := s.another(&client.Client{})
	h := &holder{}
	h.Destination, h.Ack, h.Prefetch = "/queue/a", client.AckClientIndividual, 3
	h.Handle = func(_ *pipeline.Context, m *client.Message) { m.Retain(); h.got = append(h.got, m) }
	t.Cleanup(h.release)
	require.NoError(t, b.StartSubscribe(&h.Subscription, nil))
	for _, body := range []string{"1", "2", "3", "4"} {
		s.send(body)
	}
	require.Len(t, h.got, 3, "prefetch")
	require.NoError(t, h.got[1].Ack())
	s.net.RunPending()
	require.Len(t, h.got, 4)
	peers := s.net.Dialed(address)
	peers[1].Channel().CloseWith(pipeline.CloseReset, nil)
	s.net.RunPending()
	require.ErrorIs(t, h.got[0].Ack(), client.ErrStale)
	s.advance(second)
	var bodies []string
	for _, m := range h.got[4:] {
		bodies = append(bodies, m.Body().String())
		require.NoError(t, m.Ack())
	}
	require.Equal(t, []string{"1", "3", "4"}, bodies)
}

func TestOwnServerRefusesAModeThatTheVersionDoesNotHave(t *testing.T) {
	s := pair(t, server.Config{Versions: []stomp.Version{stomp.Version10}})
	var made outcome
	sub := &client.Subscription{Destination: "/queue/a", Ack: client.AckClientIndividual, Handle: listen("").Handle}
	require.NoError(t, s.StartSubscribe(sub, made.done))
	s.net.RunPending()
	var refused *client.ServerError
	require.ErrorAs(t, made.err, &refused)
	require.Zero(t, s.Stats().Subscriptions)
}

func TestOwnServerTransactions(t *testing.T) {
	s := pair(t, server.Config{})
	e := listen("/queue/a")
	b := s.another(&client.Client{})
	require.NoError(t, b.StartSubscribe(&e.Subscription, nil))
	tx, err := s.Begin()
	require.NoError(t, err)
	require.NoError(t, tx.StartSend(news("1")))
	require.NoError(t, tx.StartSend(news("2")))
	dropped, err := s.Begin()
	require.NoError(t, err)
	require.NoError(t, dropped.StartSend(news("3")))
	require.NoError(t, dropped.Abort())
	s.net.RunPending()
	require.Empty(t, e.got)
	var committed outcome
	require.NoError(t, tx.StartCommit(committed.done))
	s.net.RunPending()
	committed.require(t, nil)
	require.Equal(t, []string{"1", "2"}, e.got)
}

func TestOwnServerRefusesLogins(t *testing.T) {
	cfg := server.Config{Authenticate: func(_ *pipeline.Context, l *server.Login) {
		if l.Passcode == "right" {
			l.Accept()
			return
		}
		l.Refuse("wrong passcode")
	}}
	s := newScript(t, &client.Client{Login: "me", Passcode: "wrong", Reconnect: client.Reconnect{Attempts: -1}})
	s.net.Listen(address, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&shared{cfg}) })
	s.begin()
	s.net.RunPending()
	require.Len(t, s.status, 1)
	require.Contains(t, s.status[0], "given up: stomp/client: the server refused: ")
	s.Passcode = "right"
	s.begin()
	s.net.RunPending()
	require.Equal(t, "connected, version 1.2", s.status[1])
}

func TestOwnServerAndClientKeepEachOtherAlive(t *testing.T) {
	s := pair(t, server.Config{})
	for range 100 {
		s.net.AdvanceTime(time.Minute)
	}
	require.Equal(t, []string{"connected, version 1.2"}, s.status)
	require.Equal(t, uint64(1), s.Stats().Connected)
}

// worker takes messages of a queue, settles most of them on other goroutines, and notes what it has settled.
type worker struct {
	mu      sync.Mutex
	seen    map[string]int
	settled map[string]bool
	wrong   []string // second deliveries that were not marked
	busy    sync.WaitGroup
}

func (w *worker) take(_ *pipeline.Context, m *client.Message) {
	body := m.Body().String()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[body]++
	if w.seen[body] > 1 && m.Header(stomp.HeaderRedelivered) != "true" {
		w.wrong = append(w.wrong, body)
	}
	m.Retain()
	w.busy.Go(func() {
		defer m.Release()
		w.mu.Lock()
		defer w.mu.Unlock()
		if m.Ack() == nil {
			w.settled[body] = true
		}
	})
}

func (w *worker) done(sent map[string]bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for body := range sent {
		if !w.settled[body] {
			return false
		}
	}
	return true
}

// Connections are reset all the time: what was confirmed arrives, and is marked when it comes again.
func TestOwnServerLosesNothingThatItConfirmed(t *testing.T) {
	cfg := server.Config{Broker: &broker.Broker{MaxDeliveries: 1000}}
	srv := &transport.Server{Loops: 2, Init: func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&shared{cfg}) }}
	srv.Logger = slog.New(slog.DiscardHandler)
	require.NoError(t, srv.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background()) }()
	d := &transport.Client{Loops: 2}
	w := &worker{seen: map[string]int{}, settled: map[string]bool{}}
	clients := make([]*client.Client, 3)
	for i := range clients {
		c := &client.Client{
			Dial: d.Dial, Address: srv.Addrs()[0].String(), MaxOffline: 100,
			Reconnect: client.Reconnect{Min: time.Microsecond, Max: time.Millisecond},
		}
		clients[i] = c
		require.NoError(t, c.Start())
		require.NoError(t, c.StartSubscribe(&client.Subscription{
			Destination: "/queue/a", Ack: client.AckClientIndividual, Prefetch: 20, Handle: w.take,
		}, nil))
	}
	sent := map[string]bool{}
	var mu sync.Mutex
	var senders sync.WaitGroup
	for i, c := range clients {
		senders.Go(func() {
			for n := range 200 {
				body := fmt.Sprintf("%d of %d", n, i)
				switch err := c.SendReceipt(t.Context(), news(body)); {
				case err == nil:
					mu.Lock()
					sent[body] = true
					mu.Unlock()
				case !errors.Is(err, client.ErrUnconfirmed) && !errors.Is(err, client.ErrNotConnected):
					t.Error(err)
				}
			}
		})
	}
	stop := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		for tick := time.NewTicker(3 * time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
			if all := d.Channels().Channels(); len(all) > 0 {
				all[rand.IntN(len(all))].CloseWith(pipeline.CloseReset, nil)
			}
		}
	})
	senders.Wait()
	close(stop)
	killer.Wait()
	require.Eventually(t, func() bool { return w.done(sent) }, 20*time.Second, time.Millisecond)
	for _, c := range clients {
		require.NoError(t, c.Close(t.Context()))
	}
	w.busy.Wait()
	require.NoError(t, d.Close())
	require.NoError(t, srv.Close())
	require.NoError(t, <-served)
	require.Greater(t, len(sent), 100)
	require.Empty(t, w.wrong)
	cfg.Broker.Close()
}
