package broker

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestMessageCountsOnceAsLongAsAnybodyHoldsIt(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	one, two := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 1}), attach(t, &b, "/topic/a", ConsumerConfig{Credit: 1})
	publish(t, &b, "/topic/nobody", "1")
	require.Zero(t, b.Stats().StoredBytes)
	publish(t, &b, "/topic/a", "1")
	require.EqualValues(t, 9+messageCost, b.Stats().StoredBytes)
	one.all[0].Accept()
	m := two.all[0].Message
	m.Retain()
	two.all[0].Accept()
	require.EqualValues(t, 9+messageCost, b.Stats().StoredBytes, "somebody still has it")
	m.Release()
	require.Zero(t, b.Stats().StoredBytes)
}

func TestBrokerIsBoundedAsAWhole(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxTotalBytes: 10 * (9 + messageCost)}
	defer b.Close()
	for i := range 10 {
		publish(t, &b, []string{"/queue/a", "/queue/b"}[i%2], "1")
	}
	in := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 1})
	_, err := b.Publish(message("/topic/a", "1"))
	require.ErrorIs(t, err, ErrFull)
	tx := b.Begin()
	require.NoError(t, tx.Publish(message("/topic/a", "1")))
	_, err = tx.Commit()
	require.ErrorIs(t, err, ErrFull)
	require.EqualValues(t, 2, b.Stats().Refused)
	queue := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1})
	queue.all[0].Accept()
	_, err = tx.Commit()
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, in.texts())
}

func TestPlacesInBacklogsCountBeyondTheFirst(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{})
	places := func() int {
		s := b.Stats()
		return int(s.StoredBytes-s.Bytes-int64(s.Messages)*messageCost) / deliveryCost
	}
	for n := range 1000 {
		publish(t, &b, "/queue/a", "1")
		require.GreaterOrEqual(t, places(), n+1-freePlaces)
		require.LessOrEqual(t, places(), max(0, n+1-freePlaces)+placeStep)
	}
	in.Grant(1000)
	for n, d := range in.take() {
		d.Accept()
		require.GreaterOrEqual(t, places(), 1000-n-1-freePlaces)
		require.LessOrEqual(t, places(), max(0, 1000-n-1-freePlaces)+2*placeStep)
	}
	require.Zero(t, b.Stats().StoredBytes)
	for range 1000 {
		publish(t, &b, "/queue/a", "1")
	}
	b.Close()
	require.Zero(t, b.Stats().StoredBytes)
}

func TestCostsAreTrue(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(Delivery{}), uintptr(deliveryCost))
	require.LessOrEqual(t, unsafe.Sizeof(Message{})+minText, uintptr(messageCost))
}
