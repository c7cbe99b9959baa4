package broker

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDeliveriesMayComeBeforeAttachReturns(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	publish(t, &b, "/queue/a", "1")
	var early *Consumer
	c, err := b.Attach("/queue/a", ConsumerConfig{Credit: 1, Deliver: func(d *Delivery) { early = d.Consumer }})
	require.NoError(t, err)
	require.Same(t, c, early)
	c.Close()
}

func TestAttachKeepsNoNameOfTheCaller(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	for _, name := range []string{"/queue/a", "/topic/a", "/topic/*"} {
		m := NewMessage(name) // its strings are valid as long as it lives
		in := attach(t, &b, m.Destination, ConsumerConfig{Credit: 1})
		m.Release()
		m = NewMessage("/xxxxxxxxxxxx")
		require.Equal(t, name, in.Destination())
		m.Release()
	}
	publish(t, &b, "/queue/a", "1")
	require.Equal(t, 2, b.Stats().Destinations)
}

func TestWhoeverMeetsADeadDestinationLooksAgain(t *testing.T) {
	for _, name := range []string{"/queue/a", "/topic/a"} {
		leakCheck(t)
		b := Broker{MaxDestinations: 1}
		gone := attach(t, &b, name, ConsumerConfig{})
		dead := b.registry.find(name)
		dead.end(ErrClosed) // and not yet forgotten
		in := attach(t, &b, name, ConsumerConfig{Credit: 9})
		require.NotSame(t, dead, b.registry.find(name))
		b.registry.find(name).end(ErrClosed)
		publish(t, &b, name, "1")
		in.Close()
		in = attach(t, &b, name, ConsumerConfig{Credit: 9})
		tx := b.Begin()
		require.NoError(t, tx.Publish(message(name, "2")))
		gone.Close()
		_, err := tx.Commit()
		require.NoError(t, err)
		require.Equal(t, "2", in.all[len(in.all)-1].Message.Text())
		b.Close()
	}
}

func TestCloseReturnsManyMessagesInOrder(t *testing.T) {
	leakCheck(t)
	const n = 5000
	b := Broker{MaxDeliveries: 1 << 20}
	defer b.Close()
	random := rand.New(rand.NewPCG(1, 2))
	consumers := make([]*inbox, 4)
	for i := range consumers {
		consumers[i] = attach(t, &b, "/queue/a", ConsumerConfig{Credit: n})
	}
	for i := range n {
		publish(t, &b, "/queue/a", strconv.Itoa(i))
	}
	for _, in := range consumers[1:] { // some come back one by one, in any order
		in.Drain()
		got := in.take()
		random.Shuffle(len(got), func(i, k int) { got[i], got[k] = got[k], got[i] })
		for _, d := range got[:n/8] {
			d.Retry()
		}
	}
	for _, in := range consumers {
		in.Drain()
	}
	for _, in := range consumers {
		in.Close()
	}
	last := attach(t, &b, "/queue/a", ConsumerConfig{Credit: n})
	require.Len(t, last.all, n)
	for i, d := range last.all {
		require.Equal(t, strconv.Itoa(i), d.Message.Text())
		require.True(t, d.Redelivered)
	}
}

func TestClosingOneOfManySubscriptionsLeavesTheOthers(t *testing.T) {
	leakCheck(t)
	var b Broker
	all := make([]*inbox, 10)
	for i := range all {
		all[i] = attach(t, &b, "/topic/a", ConsumerConfig{Credit: 100})
	}
	for i, closing := range []int{0, 9, 4, 5, 1} {
		all[closing].Close()
		publish(t, &b, "/topic/a", "x")
		require.Equal(t, 9-i, b.Stats().Consumers)
	}
	for _, i := range []int{2, 3, 6, 7, 8} {
		require.Len(t, all[i].all, 5)
		all[i].Close()
	}
	require.Zero(t, b.Stats().Destinations)
}

func TestStaleDeliveryOfAClosedConsumerDoesNothing(t *testing.T) {
	for _, name := range []string{"/queue/a", "/topic/a"} {
		leakCheck(t)
		var b Broker
		in := attach(t, &b, name, ConsumerConfig{Credit: 1})
		publish(t, &b, name, "1")
		stale := in.take()[0]
		in.Close()
		next := attach(t, &b, name, ConsumerConfig{Credit: 9})
		publish(t, &b, name, "2", "3")
		held := b.Stats().Messages
		require.False(t, stale.Accept())
		require.False(t, stale.AcceptAndGrant())
		require.False(t, stale.Retry())
		require.False(t, stale.Release())
		require.False(t, stale.Reject())
		require.ErrorIs(t, b.Begin().Accept(stale), ErrSettled)
		require.Equal(t, held, b.Stats().Messages)
		require.Equal(t, held, next.Stats().Unsettled)
		b.Close()
	}
}

func TestConsumersAreBoundedAndComeBack(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxConsumers: 3}
	all := []*inbox{
		attach(t, &b, "/queue/a", ConsumerConfig{}), attach(t, &b, "/topic/a", ConsumerConfig{}),
		attach(t, &b, "/topic/*", ConsumerConfig{}),
	}
	for _, in := range all {
		_, err := b.Attach("/queue/a", ConsumerConfig{})
		require.ErrorIs(t, err, ErrTooManyConsumers)
		in.Close()
		in.Close()
		_, err = b.Attach("/temp-queue/1", ConsumerConfig{})
		require.ErrorIs(t, err, ErrNoDestination)
		attach(t, &b, "/queue/b", ConsumerConfig{})
	}
	b.Close()
}
