package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMessageDiesAfterTooManyTries(t *testing.T) {
	for _, destination := range []string{"/queue/a", "/topic/a", "/topic/#"} {
		leakCheck(t)
		var dead []string
		b := Broker{MaxDeliveries: 3}
		b.Dead = func(m *Message) {
			dead = append(dead, m.Text())
			_, err := b.Publish(m.Clone("/queue/dead")) // it may call everything
			require.NoError(t, err)
		}
		in := attach(t, &b, destination, ConsumerConfig{Credit: 100})
		where := destination
		if destination == "/topic/#" {
			where = "/topic/a"
		}
		publish(t, &b, where, "1")
		counts := []int{}
		for len(in.all) > 0 {
			d := in.take()[0]
			counts = append(counts, d.Count)
			if len(counts) == 1 {
				require.True(t, d.Release()) // not a try
				continue
			}
			require.True(t, d.Retry())
		}
		require.Equal(t, []int{1, 1, 2, 3}, counts)
		require.Equal(t, []string{"1"}, dead)
		s := in.Stats()
		require.Equal(t, ConsumerStats{Credit: 96, Delivered: 4, Redelivered: 3, Dropped: 1}, s)
		require.EqualValues(t, 1, b.Stats().Dead)
		letters := attach(t, &b, "/queue/dead", ConsumerConfig{Credit: 1})
		require.Equal(t, []string{"1"}, letters.texts())
		b.Close()
	}
}

func TestRejectedMessageIsDeadAndDroppedWithoutAHook(t *testing.T) {
	leakCheck(t)
	var b Broker
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1})
	publish(t, &b, "/queue/a", "1")
	require.True(t, in.all[0].Reject())
	require.False(t, in.all[0].Reject())
	in.Close()
	require.Equal(t, Stats{Published: 1, Delivered: 1, Dead: 1}, b.Stats())
}

func TestZeroDeliveryCannotBeSettled(t *testing.T) {
	require.False(t, new(Delivery).Accept())
}

func TestTheReceiversListStartsEmpty(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 20})
	for range 5 {
		publish(t, &b, "/queue/a", "1", "2", "3")
		got := in.take()
		for i, d := range got {
			require.Nil(t, d.Next)
			d.Next = got[0]
			if i == 0 {
				require.True(t, d.Release())
				require.Nil(t, in.all[0].Next, "it came again")
			}
		}
		in.all = append(in.all, got[1:]...)
		for _, d := range in.take() {
			require.True(t, d.AcceptAndGrant())
		}
	}
}
