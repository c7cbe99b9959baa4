package broker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDrainTakesBackCredit(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 5})
	other := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1})
	publish(t, &b, "/queue/a", "1")
	require.Equal(t, 4, in.Credit())
	require.Equal(t, 4, in.Drain())
	require.Zero(t, in.Drain())
	publish(t, &b, "/queue/a", "2", "3")
	require.Equal(t, []string{"1"}, texts(in.all))
	require.Equal(t, []string{"2"}, other.texts())
	in.Grant(0)
	in.Grant(-7)
	require.Zero(t, in.Credit())
	in.Grant(1)
	require.Equal(t, []string{"1", "3"}, in.texts())
}

func TestCreditDoesNotOverflow(t *testing.T) {
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: int(^uint(0) >> 1)})
	in.Grant(int(^uint(0) >> 1))
	require.Equal(t, maxCredit, in.Credit())
	none := attach(t, &b, "/queue/a", ConsumerConfig{Credit: -1})
	require.Zero(t, none.Credit())
}

func TestClosedConsumerGetsNothing(t *testing.T) {
	for _, destination := range []string{"/queue/a", "/topic/a", "/topic/*"} {
		leakCheck(t)
		var b Broker
		in := attach(t, &b, destination, ConsumerConfig{Credit: 5})
		require.Equal(t, destination, in.Destination())
		in.Close()
		in.Grant(5)
		publish(t, &b, "/queue/a", "1")
		publish(t, &b, "/topic/a", "1")
		require.Empty(t, in.all)
		require.Empty(t, in.closed, "it was the owner who closed")
		b.Close()
		require.Empty(t, in.closed)
	}
}

func TestConsumersThatComeAndGoKeepTheRing(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	var all []*inbox
	for range 5 {
		all = append(all, attach(t, &b, "/queue/a", ConsumerConfig{Credit: 100}))
	}
	all[0].Close()
	all[3].Close()
	for range 6 {
		publish(t, &b, "/queue/a", "x")
	}
	for _, i := range []int{1, 2, 4} {
		require.Len(t, all[i].all, 2)
		all[i].Drain()
	}
	require.Nil(t, b.registry.find("/queue/a").queue.ready)
}

func TestPanicInAConsumersFunctionLocksNobodyOut(t *testing.T) {
	for _, name := range []string{"/queue/a", "/topic/a", "/topic/*"} {
		var b Broker
		where := strings.ReplaceAll(name, "*", "a")
		var first *Delivery
		c, err := b.Attach(name, ConsumerConfig{Credit: 1, Deliver: func(d *Delivery) {
			if first != nil {
				panic("bad consumer")
			}
			first = d
		}})
		require.NoError(t, err)
		publish(t, &b, where, "1", "2", "3")
		require.Panics(t, func() { first.AcceptAndGrant() })
		require.Panics(t, func() { c.Grant(1) })
		c.Drain()
		in := attach(t, &b, name, ConsumerConfig{Credit: 9})
		publish(t, &b, where, "4")
		require.Equal(t, []string{"4"}, in.texts())
		c.Close()
		b.Close()
	}
}

func TestAConsumerKnowsItsKind(t *testing.T) {
	b := &Broker{}
	defer b.Close()
	for name, kind := range map[string]Kind{"/queue/a": KindQueue, "/topic/a": KindTopic, "/topic/*": KindTopic, "#": KindTopic} {
		c, err := b.Attach(name, ConsumerConfig{Deliver: func(*Delivery) {}})
		require.NoError(t, err)
		require.Equal(t, kind, c.Kind(), name)
		c.Close()
	}
}
