package main

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place is a broker at work with loops for its clients.
type place struct {
	*testing.T
	addr   string
	broker broker.Broker
	loops  transport.Client
	parent context.Context
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{T: t, loops: transport.Client{Loops: 1}}
	srv := transport.Server{Init: connections(&p.broker)}
	require.NoError(t, srv.Listen(t.Context(), "tcp://127.0.0.1:0"))
	p.addr = srv.Addrs()[0].String()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background()) }()
	parent, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	p.parent = parent
	t.Cleanup(func() {
		cancel()
		require.NoError(t, p.loops.Close())
		require.NoError(t, srv.Close())
		require.NoError(t, <-served)
		p.broker.Close()
	})
	return p
}

// overTCP makes a client.
func (p *place) overTCP() *client.Client { return p.connect(p.loops.Dial) }

// overWebSocket makes a client of one version.
func (p *place) overWebSocket(v stomp.Version) *client.Client {
	d := &websocket.Dialer{Plain: p.loops.Dial, Protocols: []string{v.Subprotocol()}, Text: true}
	c := p.connect(d.Dial)
	require.Equal(p.T, v, c.Version())
	return c
}

func (p *place) connect(dial pipeline.DialFunc) *client.Client {
	p.Helper()
	c := &client.Client{Dial: dial, Address: p.addr, Host: "/"}
	require.NoError(p.T, c.Connect(p.parent))
	p.Cleanup(func() { require.NoError(p.T, c.Close(p.parent)) })
	return c
}

// send publishes a text and waits for its receipt.
func (p *place) send(c *client.Client, destination, text string) {
	p.Helper()
	f := stomp.NewFrame(stomp.CommandSend, "destination", destination, "content-type", "text/plain")
	f.Body.AppendString(text)
	require.NoError(p.T, c.SendReceipt(p.parent, f))
}

// inbox is what a subscription got.
type inbox struct {
	*client.Subscription
	mu    sync.Mutex
	texts []string
	kept  []*client.Message
}

// subscribe collects what comes; what is not settled by itself is kept.
func (p *place) subscribe(c *client.Client, destination string, ack client.AckMode, prefetch int) *inbox {
	p.Helper()
	in := &inbox{}
	in.Subscription = &client.Subscription{
		Destination: destination, Ack: ack, Prefetch: prefetch,
		Handle: func(_ *pipeline.Context, m *client.Message) {
			in.mu.Lock()
			defer in.mu.Unlock()
			text := m.Body().String()
			if m.Header("redelivered") != "" {
				text += " again"
			}
			in.texts = append(in.texts, text)
			if ack != client.AckAuto {
				m.Retain()
				in.kept = append(in.kept, m)
			}
		},
	}
	p.Cleanup(in.drop)
	require.NoError(p.T, c.Subscribe(p.parent, in.Subscription))
	return in
}

func (i *inbox) drop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, m := range i.kept {
		m.Release()
	}
	i.kept = nil
}

// got waits for so many texts and returns them all.
func (p *place) got(in *inbox, n int) []string {
	p.Helper()
	var texts []string
	require.Eventually(p.T, func() bool {
		in.mu.Lock()
		defer in.mu.Unlock()
		texts = append(texts[:0], in.texts...)
		return len(texts) >= n
	}, 20*time.Second, time.Millisecond, "%d messages", n)
	return texts
}

func TestTopicsReachEverybodyOverEveryWay(t *testing.T) {
	p := newPlace(t)
	sender := p.overTCP()
	inboxes := []*inbox{p.subscribe(p.overTCP(), "/topic/news", client.AckAuto, 0)}
	for _, v := range []stomp.Version{stomp.Version10, stomp.Version11, stomp.Version12} {
		inboxes = append(inboxes, p.subscribe(p.overWebSocket(v), "/topic/news", client.AckAuto, 0))
	}
	for i := range 20 {
		p.send(sender, "/topic/news", fmt.Sprint(i))
	}
	for _, in := range inboxes {
		got := p.got(in, 20)
		require.Len(t, got, 20)
		for i, text := range got {
			require.Equal(t, fmt.Sprint(i), text)
		}
	}
}

func TestQueuesShareTheirMessages(t *testing.T) {
	p := newPlace(t)
	sender := p.overWebSocket(stomp.Version12)
	for i := range 10 { // before anybody consumes
		p.send(sender, "/queue/work", fmt.Sprint(i))
	}
	one := p.subscribe(p.overTCP(), "/queue/work", client.AckClientIndividual, 4)
	other := p.subscribe(p.overTCP(), "/queue/work", client.AckClientIndividual, 100)
	require.Equal(t, []string{"0", "1", "2", "3"}, p.got(one, 4), "as many as it may have")
	require.Equal(t, []string{"4", "5", "6", "7", "8", "9"}, p.got(other, 6))
	one.mu.Lock()
	require.NoError(t, one.kept[0].Nack())
	require.NoError(t, one.kept[1].Ack())
	one.mu.Unlock()
	require.Eventually(t, func() bool { return p.broker.Stats().Acknowledged == 1 }, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return p.broker.Stats().Redelivered == 1 }, 20*time.Second, time.Millisecond)
	require.Equal(t, 9, p.broker.Stats().Messages)
}

func TestWhatALostClientDidNotAcknowledgeGoesToOthers(t *testing.T) {
	p := newPlace(t)
	sender := p.overTCP()
	lost := &client.Client{Dial: p.loops.Dial, Address: p.addr, Host: "/", Reconnect: client.Reconnect{Attempts: -1}}
	require.NoError(t, lost.Connect(p.parent))
	first := p.subscribe(lost, "/queue/work", client.AckClientIndividual, 0)
	p.send(sender, "/queue/work", "a")
	p.send(sender, "/queue/work", "b")
	p.got(first, 2)
	require.NoError(t, lost.Close(p.parent))
	second := p.subscribe(p.overWebSocket(stomp.Version12), "/queue/work", client.AckClientIndividual, 0)
	require.Equal(t, []string{"a again", "b again"}, p.got(second, 2))
}

func TestTransactionsAreAllOrNothing(t *testing.T) {
	p := newPlace(t)
	sender := p.overTCP()
	in := p.subscribe(p.overTCP(), "/topic/t", client.AckAuto, 0)
	for _, text := range []string{"kept", "dropped"} {
		tx, err := sender.Begin()
		require.NoError(t, err)
		for range 2 {
			f := stomp.NewFrame(stomp.CommandSend, "destination", "/topic/t")
			f.Body.AppendString(text)
			require.NoError(t, tx.Send(p.parent, f))
		}
		if text == "kept" {
			require.NoError(t, tx.Commit(p.parent))
		} else {
			require.NoError(t, tx.Abort())
		}
	}
	p.send(sender, "/topic/t", "after")
	require.Equal(t, []string{"kept", "kept", "after"}, p.got(in, 3))
}

func TestWildcardsAndLargeMessages(t *testing.T) {
	p := newPlace(t)
	in := p.subscribe(p.overWebSocket(stomp.Version12), "/topic/a.*", client.AckAuto, 0)
	sender := p.overTCP()
	large := make([]byte, 3<<20)
	for i := range large {
		large[i] = 'a' + byte(i%26)
	}
	p.send(sender, "/topic/b.c", "not for us")
	p.send(sender, "/topic/a.b", string(large))
	p.send(sender, "/topic/a.c", "small")
	got := p.got(in, 2)
	require.True(t, got[0] == string(large), "%d octets", len(got[0])) //nolint:testifylint // they would be printed
	require.Equal(t, "small", got[1])
}
