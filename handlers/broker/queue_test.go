package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueKeepsMessagesUntilAConsumerHasCredit(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	publish(t, &b, "/queue/a", "1", "2", "3")
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 2})
	require.Equal(t, []string{"1", "2"}, in.texts())
	in.Grant(1)
	require.Equal(t, []string{"3"}, in.texts())
	in.Close()
	require.Equal(t, 3, b.Stats().Messages, "unsettled messages stay in the queue")
}

func TestQueueSharesMessagesInTurnAmongConsumersWithCredit(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	one := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1})
	two := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
	three := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
	none := attach(t, &b, "/queue/a", ConsumerConfig{})
	publish(t, &b, "/queue/a", "1", "2", "3", "4", "5")
	require.Equal(t, []string{"1"}, one.texts())
	require.Equal(t, []string{"2", "4"}, two.texts())
	require.Equal(t, []string{"3", "5"}, three.texts())
	require.Empty(t, none.texts())
}

func TestAcceptedMessageIsGoneAndTheQueueVanishesWhenUnused(t *testing.T) {
	leakCheck(t)
	var b Broker
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
	publish(t, &b, "/queue/a", "1", "2")
	for _, d := range in.take() {
		require.True(t, d.Accept())
		require.False(t, d.Accept(), "twice")
	}
	require.Equal(t, Stats{Destinations: 1, Consumers: 1, Published: 2, Delivered: 2, Acknowledged: 2}, b.Stats())
	in.Close()
	in.Close()
	require.Equal(t, Stats{Published: 2, Delivered: 2, Acknowledged: 2}, b.Stats())
}

func TestWhatComesBackComesInItsOldPlaceAndIsMarked(t *testing.T) {
	tests := map[string]struct {
		back  func(in *inbox, got []*Delivery)
		want  []string
		count []int
	}{
		"released, last first": {
			func(_ *inbox, got []*Delivery) { got[2].Release(); got[0].Release() },
			[]string{"1*", "3*", "4", "5"},
			[]int{1, 1, 1, 1},
		},
		"withdrawn": {
			func(_ *inbox, got []*Delivery) { got[0].Withdraw(); got[2].Withdraw() },
			[]string{"1", "3", "4", "5"},
			[]int{1, 1, 1, 1},
		},
		"retried, first first": {
			func(_ *inbox, got []*Delivery) { got[0].Retry(); got[1].Retry(); got[2].Retry() },
			[]string{"1*", "2*", "3*", "4", "5"},
			[]int{2, 2, 2, 1, 1},
		},
		"the middle one": {
			func(_ *inbox, got []*Delivery) { got[1].Retry() },
			[]string{"2*", "4", "5"},
			[]int{2, 1, 1},
		},
		"closed": {
			func(in *inbox, got []*Delivery) { got[1].Accept(); in.Close() },
			[]string{"1*", "3*", "4", "5"},
			[]int{1, 1, 1, 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			leakCheck(t)
			var b Broker
			defer b.Close()
			publish(t, &b, "/queue/a", "1", "2", "3", "4", "5")
			in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 3})
			got := in.take()
			tt.back(in, got)
			next := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
			again := next.take()
			require.Equal(t, tt.want, texts(again))
			for i, d := range again {
				require.Equal(t, tt.count[i], d.Count)
			}
			require.Equal(t, len(again), next.Stats().Unsettled)
		})
	}
}

func TestMessagesOfAClosedConsumerGoToTheOthersAtOnce(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	one := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 3})
	publish(t, &b, "/queue/a", "1", "2", "3")
	got := one.take()
	two := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 2})
	one.Close()
	require.Equal(t, []string{"1*", "2*"}, two.texts())
	for _, d := range got {
		require.False(t, d.Accept(), "it went away with its consumer")
	}
	require.Equal(t, 3, b.Stats().Messages)
}
