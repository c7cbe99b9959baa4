package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
)

// stalled subscribes a client with little credit whose socket takes nothing any more.
func stalled(p *peers, name, version string) {
	p.t.Helper()
	p.connect(name, version)
	p.frame(name, "SUBSCRIBE destination:/topic/a id:1 prefetch-count:2", "")
	p.conn(name).Block()
}

var big = strings.Repeat("x", 20_000)

func TestAMessageCountsAsAcceptedWhenItWasWritten(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1", "")
	p.conn("A").Block()
	p.publish("/queue/a", "first", "second")
	p.pump()
	require.Zero(t, p.broker.Stats().Acknowledged)
	require.Equal(t, 2, p.broker.Stats().Unsettled)
	p.reset("A")
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/queue/a id:1", "")
	require.Equal(t, []string{"MESSAGE 1 again first", "MESSAGE 1 again second"}, p.got("B"))
	require.Equal(t, uint64(2), p.broker.Stats().Acknowledged)
}

func TestASlowConsumerPausesItsPublishers(t *testing.T) {
	p := newPeers(t)
	p.cfg.Policy, p.cfg.MaxBacklog = broker.PolicyPause, 10
	stalled(p, "slow", "1.2")
	p.connect("A", "1.2")
	p.send("A", strings.Repeat("SEND\ndestination:/topic/a\n\n"+big+"\x00", 20))
	require.False(t, p.conn("A").Channel().Reading())
	require.Equal(t, uint64(6), p.broker.Stats().Published)
	p.conn("slow").Unblock()
	p.pump()
	require.Len(t, p.got("slow"), 20, "all of them arrive")
	require.True(t, p.conn("A").Channel().Reading())
}

func TestASlowConsumerLosesTheOldest(t *testing.T) {
	p := newPeers(t)
	p.cfg.Policy, p.cfg.MaxBacklog = broker.PolicyDropOldest, 5
	stalled(p, "slow", "1.2")
	for i := range 20 {
		p.publish("/topic/a", fmt.Sprint(i))
	}
	p.conn("slow").RunPending() // two are given out
	s := p.session("slow").Subscriptions()[0]
	require.Equal(t, 2, s.Broker.Unsettled)
	require.Equal(t, 3, s.Broker.Backlog)
	require.Equal(t, uint64(15), s.Broker.Dropped, "counted exactly")
	p.conn("slow").Unblock()
	p.pump()
	require.Equal(t, "MESSAGE 1 0,MESSAGE 1 1,MESSAGE 1 17,MESSAGE 1 18,MESSAGE 1 19", strings.Join(p.got("slow"), ","))
	require.Equal(t, uint64(15), p.broker.Stats().Dropped)
}

func TestASlowConsumerIsDisconnected(t *testing.T) {
	p := newPeers(t)
	p.cfg.Policy, p.cfg.MaxBacklog = broker.PolicyDisconnect, 5
	stalled(p, "slow", "1.2")
	p.connect("good", "1.2")
	p.frame("good", "SUBSCRIBE destination:/topic/a id:1", "")
	for i := range 20 {
		p.publish("/topic/a", fmt.Sprint(i))
		p.pump()
	}
	require.Len(t, p.got("good"), 20)
	require.False(t, p.conn("slow").Channel().IsOpen())
	p.conn("slow").Unblock()
	p.pump()
	f := p.refused("slow", broker.ErrSlow.Error())
	require.Equal(t, "1", f.Headers.Get("subscription"))
	require.Equal(t, 1, p.broker.Stats().Consumers)
}

// A peer that takes nothing is never sent more than its high watermark and one message, whatever its credit.
func TestDeliveriesStopAtTheWatermark(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client", "")
	p.frame("A", "SUBSCRIBE destination:/queue/b id:2", "")
	p.conn("A").Block()
	for range 100 {
		p.publish("/queue/a", big)
		p.publish("/queue/b", big)
	}
	p.conn("A").RunPending()
	high := pipeline.Options{}.WithDefaults().WriteHigh
	require.LessOrEqual(t, p.conn("A").Channel().Pending(), high+len(big)+200)
	waiting := 0
	for _, s := range p.session("A").Subscriptions() {
		waiting += s.Waiting
	}
	require.GreaterOrEqual(t, waiting, 195)
	p.conn("A").Unblock()
	p.pump()
	require.Len(t, p.got("A"), 200)
	require.Equal(t, uint64(100), p.broker.Stats().Acknowledged)
}

func TestSubscriptionsTakeTurns(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	for range 100 {
		p.publish("/queue/a", big)
		p.publish("/queue/b", big)
	}
	p.send("A", "SUBSCRIBE\ndestination:/queue/a\nid:1\nack:client\n\n\x00SUBSCRIBE\ndestination:/queue/b\nid:2\nack:client\n\n\x00")
	got := p.got("A")
	require.Len(t, got, 200)
	first := 0
	for _, text := range got[:50] {
		if strings.HasPrefix(text, "MESSAGE 1") {
			first++
		}
	}
	require.InDelta(t, 25, first, 16, "of 50 messages")
}

// One that does not read among 100: the others get every message at once, and the slow one's policy is counted.
func TestOneSlowConsumerAmongAHundred(t *testing.T) {
	const messages, size = 300, 2000
	p := newPeers(t)
	p.cfg.Policy, p.cfg.MaxBacklog = broker.PolicyDropOldest, 50
	stalled(p, "slow", "1.2")
	for i := range 99 {
		name := fmt.Sprint("good", i)
		p.connect(name, "1.2")
		p.frame(name, "SUBSCRIBE destination:/topic/a id:1", "")
	}
	body := strings.Repeat("x", size)
	for i := range messages {
		p.publish("/topic/a", body)
		for name, ch := range p.conns {
			ch.RunPending()
			if name != "slow" {
				require.NotZero(t, ch.Untaken(), "message %d for %s waits for nobody", i, name)
				ch.Wire()
			}
		}
	}
	s := p.session("slow").Subscriptions()[0].Broker
	require.Equal(t, uint64(messages-50), s.Dropped)
	require.Equal(t, 50, s.Backlog+s.Unsettled)
	require.Equal(t, uint64(99*messages), p.broker.Stats().Acknowledged)
	p.conn("slow").AdvanceTime(pipeline.DefaultWriteStall + time.Second)
	require.True(t, p.closed("slow"), "a peer that takes nothing at all is given up")
}

func TestDeliveriesOfManyGoroutinesArriveInOrder(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	const senders, each = 4, 200
	for i := range senders {
		p.frame("A", fmt.Sprintf("SUBSCRIBE destination:/topic/%d id:%d", i, i), "")
	}
	done := make(chan struct{}, senders)
	for i := range senders {
		go func() {
			defer func() { done <- struct{}{} }()
			for n := range each {
				m := broker.NewMessage(fmt.Sprint("/topic/", i))
				m.AppendString(fmt.Sprint(n))
				_, _ = p.broker.Publish(m)
			}
		}()
	}
	for range senders {
		<-done
	}
	p.pump()
	next := map[string]int{}
	for _, f := range p.frames["A"] {
		id := f.Headers.Get("subscription")
		require.Equal(t, fmt.Sprint(next[id]), f.Body.String())
		next[strings.Clone(id)]++
	}
	require.Len(t, next, senders)
	for _, n := range next {
		require.Equal(t, each, n)
	}
}
