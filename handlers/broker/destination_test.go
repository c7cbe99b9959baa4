package broker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDestinationsVanishWhenEmptyAndUnused(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxDestinations: 1}
	defer b.Close()
	for i := range 100 {
		for _, kind := range []string{"queue", "topic"} {
			name := fmt.Sprintf("/%s/%d", kind, i)
			in := attach(t, &b, name, ConsumerConfig{Credit: 1})
			publish(t, &b, name, "1")
			require.True(t, in.all[0].Accept())
			in.Close()
			require.Zero(t, b.registry.count.Load())
		}
	}
}

func TestMembersKnowTheirPlaces(t *testing.T) {
	var l members
	all := make([]*Consumer, 5)
	for i := range all {
		all[i] = new(Consumer)
		l.add(all[i])
	}
	for _, i := range []int{0, 4, 2} {
		l.remove(all[i])
		l.remove(all[i])
		require.Equal(t, -1, all[i].index)
		for place, c := range l {
			require.Equal(t, place, c.index)
		}
	}
	require.ElementsMatch(t, members{all[1], all[3]}, l)
	l.remove(all[1])
	l.remove(all[3])
	require.Empty(t, l)
}

func TestDestinationEndsOnceAndTellsEveryConsumer(t *testing.T) {
	for _, name := range []string{"/queue/a", "/topic/a"} {
		leakCheck(t)
		var b Broker
		one, two := attach(t, &b, name, ConsumerConfig{Credit: 1}), attach(t, &b, name, ConsumerConfig{})
		publish(t, &b, name, "1", "2")
		d := b.registry.find(name)
		d.end(ErrClosed)
		d.end(ErrNoDestination)
		b.forget(d)
		b.forget(d)
		for _, in := range []*inbox{one, two} {
			require.Equal(t, []error{ErrClosed}, in.closed)
			require.Zero(t, in.Credit())
		}
		require.Equal(t, 1, one.Stats().Unsettled)
		one.Close()
		two.Close()
		require.EqualValues(t, 2, b.Stats().Published)
		require.Zero(t, b.Stats().Destinations)
	}
}

func TestSubscriptionThatEndedLeavesItsCountsWithTheTopic(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	stays := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 9})
	for range 3 {
		in := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 1})
		publish(t, &b, "/topic/a", "1", "2")
		in.all[0].Accept()
		in.Close()
	}
	require.Len(t, stays.all, 6)
	want := DestinationStats{
		Name: "/topic/a", Consumers: 1, Messages: 6, Bytes: 54, Unsettled: 6,
		Published: 6, Delivered: 9, Acknowledged: 3, Dropped: 3,
	}
	require.Equal(t, want, b.registry.find("/topic/a").stats())
}
