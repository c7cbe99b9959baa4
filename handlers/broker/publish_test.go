package broker

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTopicGivesEachSubscriptionEveryMessageInOrder(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	one := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 10})
	two := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 10})
	other := attach(t, &b, "/topic/b", ConsumerConfig{Credit: 10})
	publish(t, &b, "/topic/a", "1", "2", "3")
	first := one.take()
	require.Equal(t, []string{"1", "2", "3"}, texts(first))
	require.Equal(t, []string{"1", "2", "3"}, two.texts())
	require.Empty(t, other.texts())
	require.Equal(t, []uint64{1, 2, 3}, []uint64{first[0].Tag, first[1].Tag, first[2].Tag})
	require.Equal(t, 1, first[0].Count)
	one.Close()
	two.Close()
	other.Close()
	require.Zero(t, b.Stats().Destinations, "a topic without subscriptions vanishes")
}

func TestTopicWithoutSubscriptionsDropsAndCounts(t *testing.T) {
	leakCheck(t)
	var b Broker
	publish(t, &b, "/topic/a", "1", "2")
	require.Equal(t, Stats{Published: 2, Unrouted: 2}, b.Stats())
}

func TestSubscriptionKeepsABacklogUntilItHasCredit(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 1})
	publish(t, &b, "/topic/a", "1", "2", "3", "4")
	require.Equal(t, []string{"1"}, texts(in.all))
	require.Equal(t, ConsumerStats{Backlog: 3, BacklogBytes: 27, Unsettled: 1, Delivered: 1}, in.Stats())
	in.Grant(2)
	require.Equal(t, []string{"1", "2", "3"}, texts(in.all))
	require.True(t, in.all[0].AcceptAndGrant())
	require.Len(t, in.all, 4)
	require.Equal(t, ConsumerStats{Unsettled: 3, Delivered: 4, Acknowledged: 1}, in.Stats())
	in.Close()
}

func TestRetriedMessageOfASubscriptionComesBeforeItsBacklog(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 2})
	publish(t, &b, "/topic/a", "1", "2", "3")
	got := in.take()
	require.True(t, got[0].Retry())
	in.Grant(5)
	require.Equal(t, []string{"1*", "3"}, in.texts())
}

func TestFilterOfASubscriptionKeepsMessagesOutOfItsBacklog(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/topic/a", ConsumerConfig{Filter: func(m *Message) bool { return m.Text() != "2" }})
	publish(t, &b, "/topic/a", "1", "2", "3")
	require.Equal(t, 2, in.Stats().Backlog)
	in.Grant(9)
	require.Equal(t, []string{"1", "3"}, in.texts())
}

func TestNumbersOfMessagesRise(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	one := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 9})
	two := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
	for range 3 {
		publish(t, &b, "/topic/a", "x")
		publish(t, &b, "/queue/a", "x")
	}
	for i := range 3 {
		require.EqualValues(t, 2*i+1, one.all[i].Message.ID())
		require.EqualValues(t, 2*i+2, two.all[i].Message.ID())
	}
}

func TestAllSubscriptionsOfATopicSeeTheSameOrder(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	const publishers, each = 4, 200
	one := attach(t, &b, "/topic/a", ConsumerConfig{Credit: publishers * each})
	two := attach(t, &b, "/topic/a", ConsumerConfig{Credit: publishers * each})
	var all sync.WaitGroup
	for i := range publishers {
		all.Go(func() { publishAll(t, &b, "/topic/a", strconv.Itoa(i), each) })
	}
	all.Wait()
	first := texts(one.all)
	require.Equal(t, first, texts(two.all))
	require.Len(t, first, publishers*each)
	last := uint64(0)
	for _, d := range one.all {
		require.Greater(t, d.Message.ID(), last)
		last = d.Message.ID()
	}
}

func TestMessageThatEveryFilterRefusesIsUnrouted(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	for _, name := range []string{"/topic/a", "/topic/*"} {
		attach(t, &b, name, ConsumerConfig{Credit: 1, Filter: func(*Message) bool { return false }})
	}
	publish(t, &b, "/topic/a", "1")
	require.EqualValues(t, 1, b.Stats().Unrouted)
	require.Zero(t, b.Stats().Messages)
}

func TestPublishTakesTheMessageAlsoWhenItFails(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxMessages: 1, MaxDestinations: 3}
	publish(t, &b, "/queue/full", "1")
	full := attach(t, &b, "/topic/full", ConsumerConfig{Policy: PolicyPause})
	wild := attach(t, &b, "/topic/wild/*", ConsumerConfig{Policy: PolicyPause})
	publish(t, &b, "/topic/full", "1")
	publish(t, &b, "/topic/wild/a", "1")
	for name, want := range map[string]error{
		"/queue/full": ErrFull, "/topic/full": ErrFull, "/topic/wild/b": ErrFull, "/queue/new": ErrTooManyDestinations,
		"/temp-queue/a": ErrNoDestination, "": ErrName,
	} {
		_, err := b.Publish(message(name, "x"))
		require.ErrorIs(t, err, want, name)
	}
	full.Close()
	wild.Close()
	b.Close()
	_, err := b.Publish(message("/topic/full", "x"))
	require.ErrorIs(t, err, ErrClosed)
}

func TestAnybodyMayReadAMessageThatWaits(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	var readers sync.WaitGroup
	for range 4 {
		c, err := b.Attach("/topic/a", ConsumerConfig{Credit: 100, Deliver: func(d *Delivery) {
			readers.Go(func() {
				if d.Message.Property("k") != "v" || d.Message.Text() != "body" || d.Message.Size() != 8+1+1+4 {
					t.Errorf("changed: %v, %d", d.Message, d.Message.Size())
				}
				d.Accept()
			})
		}})
		require.NoError(t, err)
		defer c.Close()
	}
	for range 25 {
		m := message("/topic/a", "body")
		m.AppendProperty("k", "v")
		_, err := b.Publish(m)
		require.NoError(t, err)
	}
	readers.Wait()
	require.EqualValues(t, 100, b.Stats().Acknowledged)
}
