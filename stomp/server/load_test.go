//go:build load

package server_test

import (
	"context"
	"math/rand/v2"
	"os"
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

const (
	queues = 6
	topics = 3
)

// mix is a server and all who use it at once.
type mix struct {
	ledger     *mixLedger
	address    string
	served     *transport.Server
	dialer     *transport.Client
	parent     context.Context
	until      time.Time
	readersEnd chan struct{}
}

// mixedFor is how long the load lasts: PENSTOCK_LOAD_FOR, such as 2m, or 20 minutes.
func mixedFor(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PENSTOCK_LOAD_FOR")
	if text == "" {
		return 20 * time.Minute
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, "PENSTOCK_LOAD_FOR")
	return d
}

// TestLoadOfManyKindsLosesNothingWhileClientsAndConnectionsAreKilled runs senders, with transactions and without, readers of
// every ack mode, and clients that break off in the midst of a frame, over sockets, while connections are killed at random on
// both sides. No confirmed message may be lost, first deliveries are in order, others are marked, and the counters add up.
func TestLoadOfManyKindsLosesNothingWhileClientsAndConnectionsAreKilled(t *testing.T) {
	b := &broker.Broker{MaxDeliveries: 1 << 30}
	duration := mixedFor(t)
	m := newMix(t, b, duration)
	keep := keepers(t, b)
	calm := newCalm(t, b)

	var senders, readers, others sync.WaitGroup
	for i := range queues {
		for j := range 3 {
			ack := client.AckClientIndividual
			if j == 0 {
				ack = client.AckClient
			}
			readers.Go(func() { m.reads("/queue/"+strconv.Itoa(i), j, ack) })
		}
	}
	for i := range topics {
		readers.Go(func() { m.reads("/topic/"+strconv.Itoa(i), 0, client.AckAuto) })
	}
	for i := range 6 {
		senders.Go(func() { m.sends(i) })
	}
	for i := range 2 {
		senders.Go(func() { m.raws(i) })
	}
	others.Go(m.kills)
	others.Go(func() { calm.talk(m) })
	senders.Wait()
	others.Wait()

	drained := func() bool { return m.ledger.missing() == 0 && b.Stats().Messages == 0 }
	quiet := within(time.Minute, drained)
	t.Logf("%v: %v, left %d", duration, m.ledger.counts, b.Stats().Messages)
	require.True(t, quiet, "%d missing, %+v", m.ledger.missing(), b.Stats())
	m.judge(t, b)
	calm.judge(t)
	close(m.readersEnd)
	readers.Wait()
	for _, k := range keep {
		k.Close()
	}
	require.True(t, within(20*time.Second, func() bool { return b.Stats().Unsettled == 0 }))
}

// judge compares the ledger with the counters of the queues, of which the keepers have seen everything.
func (m *mix) judge(t *testing.T, b *broker.Broker) {
	t.Helper()
	all, kept, unsure, came := m.ledger.settle()
	require.Empty(t, m.ledger.faults)
	var sum broker.DestinationStats
	b.Destinations(func(s broker.DestinationStats) bool {
		if s.Kind == broker.KindQueue {
			sum.Published += s.Published
			sum.Delivered += s.Delivered
			sum.Redelivered += s.Redelivered
			sum.Acknowledged += s.Acknowledged
			sum.Dropped += s.Dropped
			sum.Dead += s.Dead
		}
		return true
	})
	t.Logf("of %d messages to queues %d confirmed, %d in doubt, %d came; counters: %d published, %d delivered, %d of them again, %d acknowledged",
		all, kept, unsure, came, sum.Published, sum.Delivered, sum.Redelivered, sum.Acknowledged)
	require.Positive(t, kept)
	require.Positive(t, sum.Redelivered)
	require.Zero(t, sum.Dropped)
	require.Zero(t, sum.Dead)
	require.EqualValues(t, came, sum.Published, "what came is what was published")
	require.Equal(t, sum.Published, sum.Acknowledged)
	require.Equal(t, sum.Published, sum.Delivered-sum.Redelivered, "each has one first delivery")
	require.GreaterOrEqual(t, came, kept)
	require.LessOrEqual(t, came, kept+unsure)
	require.LessOrEqual(t, m.ledger.counts["redeliveries"], int(sum.Redelivered))
}

func newMix(t *testing.T, b *broker.Broker, duration time.Duration) *mix {
	t.Helper()
	m := &mix{ledger: newMixLedger(), dialer: &transport.Client{}, readersEnd: make(chan struct{})}
	m.served, m.address = serves(t, b)
	t.Cleanup(func() { require.NoError(t, m.dialer.Close()) })
	parent, cancel := context.WithTimeout(t.Context(), duration+5*time.Minute)
	t.Cleanup(cancel)
	m.parent, m.until = parent, time.Now().Add(duration)
	return m
}

// serves listens for sessions of a broker.
func serves(t *testing.T, b *broker.Broker) (*transport.Server, string) {
	t.Helper()
	cfg := server.Config{Broker: b}
	s := &transport.Server{Init: func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&installer{cfg}) }}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return s, s.Addrs()[0].String()
}

// keepers keep each queue, and so its counters, and take nothing.
func keepers(t *testing.T, b *broker.Broker) (all []*broker.Consumer) {
	t.Helper()
	for i := range queues {
		k, err := b.Attach("/queue/"+strconv.Itoa(i), broker.ConsumerConfig{
			Deliver: func(*broker.Delivery) { t.Error("a delivery without credit") },
		})
		require.NoError(t, err)
		all = append(all, k)
	}
	return all
}

func (m *mix) running() bool { return time.Now().Before(m.until) }

// rest lets up to so many milliseconds pass.
func (m *mix) rest(milliseconds int) {
	select {
	case <-time.After(time.Duration(rand.IntN(milliseconds)) * time.Millisecond):
	case <-m.parent.Done():
	}
}

func (m *mix) newClient() *client.Client {
	version := stomp.Version10 + stomp.Version(rand.IntN(3))
	return &client.Client{Dial: m.dialer.Dial, Address: m.address, Versions: []stomp.Version{version}}
}

func (m *mix) queue() string { return "/queue/" + digit(queues) }

func digit(n int) string { return strconv.Itoa(rand.IntN(n)) }

// kills ends connections at random, on either side and in each manner, and stops clients from reading for a while.
func (m *mix) kills() {
	modes := []pipeline.CloseMode{pipeline.CloseReset, pipeline.CloseNow, pipeline.CloseDrain}
	for m.running() {
		m.rest(120)
		clients := m.dialer.Channels().Channels()
		n := rand.IntN(100)
		if n < 50 {
			clients = m.served.Channels().Channels()
		}
		if len(clients) == 0 {
			continue
		}
		victim := clients[rand.IntN(len(clients))]
		if n < 85 {
			m.ledger.count("kills")
			victim.CloseWith(modes[rand.IntN(len(modes))], nil)
			continue
		}
		m.ledger.count("pauses")
		_ = victim.Post(func() { // a channel that has closed has nothing to read
			names := victim.Pipeline().Names()
			if len(names) == 0 {
				return
			}
			place := victim.Pipeline().Get(names[0])
			place.SetAutoRead(false)
			victim.After(500*time.Millisecond, func() { place.SetAutoRead(true) })
		})
	}
}

// within asks until the answer is yes or the time is over.
func within(d time.Duration, yes func() bool) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); !yes(); {
		if time.Now().After(end) {
			return false
		}
		<-tick.C
	}
	return true
}

// calm is a sender and a subscriber of a topic whose connections nobody kills: it gets everything, once and in order.
type calm struct {
	sender, subscriber *client.Client
	mu                 sync.Mutex
	got, wrong, sent   int
}

func newCalm(t *testing.T, b *broker.Broker) *calm {
	t.Helper()
	_, address := serves(t, b)
	dialer := &transport.Client{Loops: 1}
	t.Cleanup(func() { require.NoError(t, dialer.Close()) })
	c := &calm{}
	for _, p := range []**client.Client{&c.sender, &c.subscriber} {
		*p = &client.Client{Dial: dialer.Dial, Address: address}
		require.NoError(t, (*p).Connect(t.Context()))
		t.Cleanup(func() { require.NoError(t, (*p).Close(context.Background())) })
	}
	require.NoError(t, c.subscriber.Subscribe(t.Context(), &client.Subscription{
		Destination: "/topic/calm", Handle: func(_ *pipeline.Context, m *client.Message) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if m.Body().String() != strconv.Itoa(c.got) || m.Header("redelivered") != "" {
				c.wrong++
			}
			c.got++
		},
	}))
	return c
}

func (c *calm) talk(m *mix) {
	for m.running() {
		if err := c.sender.SendReceipt(m.parent, frame("/topic/calm", strconv.Itoa(c.sent))); err != nil {
			m.ledger.fault("calm: %v", err)
			return
		}
		c.sent++
		m.rest(10)
	}
}

func (c *calm) judge(t *testing.T) {
	t.Helper()
	arrived := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.got >= c.sent
	}
	require.True(t, within(10*time.Second, arrived))
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Equal(t, c.sent, c.got)
	require.Zero(t, c.wrong)
	t.Logf("calm: %d messages to a topic came once and in order", c.got)
}
