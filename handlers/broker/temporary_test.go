package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTemporaryDestinationBelongsToItsOwner(t *testing.T) {
	for _, kind := range []Kind{KindQueue, KindTopic} {
		t.Run(kind.String(), func(t *testing.T) {
			leakCheck(t)
			var b Broker
			mine, err := b.Temporary(kind)
			require.NoError(t, err)
			require.Regexp(t, "^/temp-"+kind.String()+"/[0-9a-f]{32}$", mine.Name())
			yours, err := b.Temporary(kind)
			require.NoError(t, err)
			require.NotEqual(t, mine.Name(), yours.Name())

			_, err = b.Attach(mine.Name(), ConsumerConfig{})
			require.ErrorIs(t, err, ErrNotOwner)
			_, err = b.Attach(mine.Name(), ConsumerConfig{Temporary: yours})
			require.ErrorIs(t, err, ErrNotOwner)
			_, err = b.Attach("/queue/a", ConsumerConfig{Temporary: yours})
			require.ErrorIs(t, err, ErrNotOwner)
			spy := attach(t, &b, "#", ConsumerConfig{Credit: 10})

			in := attach(t, &b, mine.Name(), ConsumerConfig{Temporary: mine, Credit: 10})
			publish(t, &b, mine.Name(), "1", "2")
			require.Equal(t, []string{"1", "2"}, texts(in.all))
			require.Empty(t, spy.all, "wildcards do not find it")
			in.Close()
			publishedTo := b.registry.find(mine.Name())
			require.NotNil(t, publishedTo, "it lives without consumers")
			again := attach(t, &b, mine.Name(), ConsumerConfig{Temporary: mine})

			mine.Close()
			mine.Close()
			require.Equal(t, []error{ErrNoDestination}, again.closed)
			_, err = b.Publish(message(mine.Name(), "3"))
			require.ErrorIs(t, err, ErrNoDestination)
			_, err = b.Attach(mine.Name(), ConsumerConfig{Temporary: mine})
			require.ErrorIs(t, err, ErrNoDestination)
			yours.Close()
			require.Zero(t, b.Stats().Destinations)
			require.Zero(t, b.Stats().Messages)
		})
	}
}

func TestNamesOfTemporaryDestinationsCannotBeMade(t *testing.T) {
	var b Broker
	for _, name := range []string{"/temp-queue/a", "temp-topic.a", "/temp-queue"} {
		_, err := b.Attach(name, ConsumerConfig{})
		require.ErrorIs(t, err, ErrNoDestination, name)
		_, err = b.Publish(message(name, "x"))
		require.ErrorIs(t, err, ErrNoDestination, name)
	}
}

func TestUnsettledDeliveriesOfAClosedTemporaryKeepTheirMessages(t *testing.T) {
	leakCheck(t)
	var b Broker
	mine, err := b.Temporary(KindQueue)
	require.NoError(t, err)
	in := attach(t, &b, mine.Name(), ConsumerConfig{Temporary: mine, Credit: 10})
	publish(t, &b, mine.Name(), "1", "2")
	mine.Close()
	require.Equal(t, "1", in.all[0].Message.Text())
	require.False(t, in.all[0].Accept())
	in.Grant(1)
	require.Zero(t, in.Credit())
	in.Close() // releases the other one
	require.False(t, in.all[1].Accept())
	require.Equal(t, Stats{Published: 2, Delivered: 2, Dropped: 2}, b.Stats())
}
