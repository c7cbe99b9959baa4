package broker

import (
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
