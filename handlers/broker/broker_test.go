package broker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClosedBrokerEndsConsumersAndRefusesAll(t *testing.T) {
	leakCheck(t)
	var b Broker
	var all []*inbox
	for _, name := range []string{"/queue/a", "/queue/a", "/topic/a", "/topic/a", "/topic/*"} {
		all = append(all, attach(t, &b, name, ConsumerConfig{Credit: 1}))
	}
	temporary, err := b.Temporary(KindQueue)
	require.NoError(t, err)
	publish(t, &b, "/queue/a", "1", "2", "3")
	publish(t, &b, "/topic/a", "1", "2", "3")
	publish(t, &b, temporary.Name(), "1")
	tx := b.Begin()
	require.NoError(t, tx.Publish(message("/queue/a", "4")))
	require.NoError(t, tx.Accept(all[0].all[0]))
	b.Close()
	b.Close()
	for _, in := range all {
		require.Equal(t, []error{ErrClosed}, in.closed)
		require.NotEmpty(t, in.all[0].Message.Text(), "readable until settled")
	}
	_, err = b.Publish(message("/topic/a", "x"))
	require.ErrorIs(t, err, ErrClosed)
	for _, name := range []string{"/queue/a", "/topic/a", "/topic/*"} {
		_, err = b.Attach(name, ConsumerConfig{})
		require.ErrorIs(t, err, ErrClosed)
	}
	_, err = b.Temporary(KindTopic)
	require.ErrorIs(t, err, ErrClosed)
	_, err = tx.Commit()
	require.ErrorIs(t, err, ErrClosed)
	tx.Abort()
	temporary.Close()
	require.Equal(t, Stats{Published: 7, Delivered: 5, Dropped: 13, StoredBytes: 3 * (9 + messageCost)}, b.Stats(), "3 + 3*3 + 1; three are in somebody's hands")
}

func TestDestinationsAreBoundedAndComeBack(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxDestinations: 3}
	defer b.Close()
	publish(t, &b, "/queue/a", "1")
	wild := attach(t, &b, "/topic/#", ConsumerConfig{})
	temporary, err := b.Temporary(KindTopic)
	require.NoError(t, err)
	_, err = b.Publish(message("/queue/b", "1"))
	require.ErrorIs(t, err, ErrTooManyDestinations)
	for _, name := range []string{"/queue/b", "/topic/b", "/topic/*"} {
		_, err = b.Attach(name, ConsumerConfig{})
		require.ErrorIs(t, err, ErrTooManyDestinations)
	}
	_, err = b.Temporary(KindQueue)
	require.ErrorIs(t, err, ErrTooManyDestinations)
	publish(t, &b, "/topic/nobody/knows", "1") // takes no place
	temporary.Close()
	publish(t, &b, "/queue/b", "1")
	wild.Close()
	publish(t, &b, "/queue/c", "1")
	for i := range 1000 { // topics with one subscription each, one after the other
		name := fmt.Sprintf("/topic/%d", i)
		in, err := b.Attach(name, ConsumerConfig{})
		require.ErrorIs(t, err, ErrTooManyDestinations)
		require.Nil(t, in)
	}
}

func TestBadNamesAreRefused(t *testing.T) {
	leakCheck(t)
	var b Broker
	for _, name := range []string{"", string(make([]byte, MaxNameBytes+1))} {
		_, err := b.Publish(message(name, "x"))
		require.ErrorIs(t, err, ErrName)
	}
}

func TestOwnKindsDecide(t *testing.T) {
	leakCheck(t)
	b := Broker{Kind: func(string) Kind { return KindQueue }}
	defer b.Close()
	publish(t, &b, "orders", "1")
	in := attach(t, &b, "orders", ConsumerConfig{Credit: 1})
	require.Equal(t, []string{"1"}, in.texts())
}
