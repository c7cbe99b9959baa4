package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTransactionTakesEffectAtCommit(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/in", ConsumerConfig{Credit: 3})
	out := attach(t, &b, "/queue/out", ConsumerConfig{Credit: 10})
	topic := attach(t, &b, "/topic/out", ConsumerConfig{Credit: 10})
	publish(t, &b, "/queue/in", "1", "2", "3")
	got := in.take()
	tx := b.Begin()
	require.NoError(t, tx.Publish(message("/queue/out", "a")))
	require.NoError(t, tx.Accept(got[0]))
	require.NoError(t, tx.Retry(got[1]))
	require.NoError(t, tx.Reject(got[2]))
	require.NoError(t, tx.Publish(message("/topic/out", "b")))
	require.NoError(t, tx.Publish(message("/queue/out", "c")))
	require.Empty(t, out.all)
	require.False(t, got[0].Accept(), "it belongs to the transaction")
	require.ErrorIs(t, tx.Accept(got[0]), ErrSettled)
	require.Equal(t, 3, in.Stats().Unsettled)

	p, err := tx.Commit()
	require.NoError(t, err)
	require.Nil(t, p)
	require.Equal(t, []string{"a", "c"}, out.texts())
	require.Equal(t, []string{"b"}, topic.texts())
	s := in.Stats()
	require.Equal(t, ConsumerStats{Backlog: 1, BacklogBytes: s.BacklogBytes, Delivered: 3, Acknowledged: 1, Dropped: 1}, s)
	in.Grant(1)
	require.Equal(t, []string{"2*"}, in.texts())

	_, err = tx.Commit()
	require.ErrorIs(t, err, ErrTransactionDone)
	require.ErrorIs(t, tx.Publish(message("/queue/out", "d")), ErrTransactionDone)
	require.ErrorIs(t, tx.Accept(got[0]), ErrTransactionDone)
	tx.Abort()
}

func TestAbortLeavesDeliveriesUnsettledAndDropsMessages(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/in", ConsumerConfig{Credit: 3})
	publish(t, &b, "/queue/in", "1")
	d := in.take()[0]
	tx := b.Begin()
	require.NoError(t, tx.Accept(d))
	require.NoError(t, tx.Publish(message("/queue/out", "a")))
	tx.Abort()
	require.Equal(t, 1, in.Stats().Unsettled)
	require.True(t, d.Accept())
	require.Equal(t, 1, b.Stats().Destinations, "no message came to the other queue")
}

func TestFailedCommitChangesNothingAndMayBeRepeated(t *testing.T) {
	tests := map[string]struct {
		last string
		want error
	}{
		"full queue":       {"/queue/full", ErrFull},
		"full topic":       {"/topic/full", ErrFull},
		"unknown":          {"/temp-queue/77", ErrNoDestination},
		"no room for more": {"/queue/new", ErrTooManyDestinations},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			leakCheck(t)
			b := Broker{MaxMessages: 2, MaxDestinations: 4}
			defer b.Close()
			in := attach(t, &b, "/queue/in", ConsumerConfig{Credit: 3})
			attach(t, &b, "/topic/full", ConsumerConfig{Policy: PolicyPause})
			publish(t, &b, "/queue/full", "1", "2")
			publish(t, &b, "/topic/full", "1", "2")
			publish(t, &b, "/queue/in", "1")
			tx := b.Begin()
			require.NoError(t, tx.Accept(in.all[0]))
			require.NoError(t, tx.Publish(message("/queue/out", "a")))
			require.NoError(t, tx.Publish(message(tt.last, "b")))
			before := b.Stats()
			_, err := tx.Commit()
			require.ErrorIs(t, err, tt.want)
			after := b.Stats()
			after.Refused = before.Refused
			require.Equal(t, before, after, "the queue that had been made is gone, too")
			require.Equal(t, 1, in.Stats().Unsettled)
			_, err = tx.Commit()
			require.ErrorIs(t, err, tt.want)
			tx.Abort()
			require.True(t, in.all[0].Accept())
		})
	}
}

func TestTransactionIsBounded(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxActions: 3, MaxTransactionBytes: 30}
	defer b.Close()
	in := attach(t, &b, "/queue/in", ConsumerConfig{Credit: 9})
	publish(t, &b, "/queue/in", "1", "2", "3", "4")
	tx := b.Begin()
	require.NoError(t, tx.Publish(message("/queue/a", "12345678901234567890")))
	require.ErrorIs(t, tx.Publish(message("/queue/a", "123")), ErrTransactionTooLarge)
	require.NoError(t, tx.Accept(in.all[0]))
	require.NoError(t, tx.Accept(in.all[1]))
	require.ErrorIs(t, tx.Accept(in.all[2]), ErrTransactionTooLarge)
	require.True(t, in.all[2].Accept(), "it stays with the caller")
	_, err := tx.Commit()
	require.NoError(t, err)
	require.EqualValues(t, 3, in.Stats().Acknowledged)
}

func TestCommitMayPassALimitByItsOwnMessages(t *testing.T) {
	b := Broker{MaxMessages: 2}
	defer b.Close()
	tx := b.Begin()
	for range 5 {
		require.NoError(t, tx.Publish(message("/queue/a", "x")))
	}
	p, err := tx.Commit()
	require.NoError(t, err)
	require.NotNil(t, p)
	require.Equal(t, 5, b.Stats().Messages)
}

func TestDeliveriesInATransactionOutliveTheirConsumer(t *testing.T) {
	tests := map[string]struct {
		end  func(tx *Transaction)
		want []string
	}{
		"commit": {func(tx *Transaction) { _, _ = tx.Commit() }, []string{"2*"}},
		"abort":  {(*Transaction).Abort, []string{"1*", "2*"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			leakCheck(t)
			var b Broker
			defer b.Close()
			in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 2})
			topic := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 2})
			publish(t, &b, "/queue/a", "1", "2")
			publish(t, &b, "/topic/a", "1", "2")
			tx := b.Begin()
			require.NoError(t, tx.Accept(in.all[0]))
			require.NoError(t, tx.Accept(topic.all[0]))
			in.Close()
			topic.Close()
			tt.end(tx)
			next := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
			got := next.take()
			require.Equal(t, tt.want, texts(got))
			for _, d := range got {
				require.True(t, d.Accept())
			}
			next.Close()
			require.Zero(t, b.Stats().Destinations)
		})
	}
}

func TestQueueVanishesWithTheLastTransactionThatHoldsItsMessages(t *testing.T) {
	leakCheck(t)
	var b Broker
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1})
	publish(t, &b, "/queue/a", "1")
	tx := b.Begin()
	require.NoError(t, tx.Accept(in.all[0]))
	in.Close()
	require.Equal(t, 1, b.Stats().Destinations)
	_, err := tx.Commit()
	require.NoError(t, err)
	require.Equal(t, Stats{Published: 1, Delivered: 1, Acknowledged: 1}, b.Stats())
}

func TestTransactionRefusesBadMessages(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	tx := b.Begin()
	require.ErrorIs(t, tx.Publish(message("", "x")), ErrName)
	m := message("/queue/a", "x")
	m.Retain()
	_, err := b.Publish(m)
	require.NoError(t, err)
	require.ErrorIs(t, tx.Publish(m), ErrPublished)
	require.ErrorIs(t, tx.Accept(new(Delivery)), ErrSettled)
	tx.Abort()
}

func TestCommitTakesWhatWentMeanwhileAsDropped(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	queue, err := b.Temporary(KindQueue)
	require.NoError(t, err)
	topic, err := b.Temporary(KindTopic)
	require.NoError(t, err)
	for _, temporary := range []*Temporary{queue, topic} {
		d, err := b.pin(temporary.Name())
		require.NoError(t, err)
		temporary.Close()
		require.Nil(t, b.commit(d, message(temporary.Name(), "1"), nil))
	}
	require.Equal(t, Stats{Published: 2, Dropped: 1, Unrouted: 1}, b.Stats())
}

func TestCommitFindsTheTopicThatTookThePlaceOfADeadOne(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	old := attach(t, &b, "/topic/a", ConsumerConfig{})
	d, err := b.pin("/topic/a")
	require.NoError(t, err)
	old.Close()
	in := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 1})
	require.Nil(t, b.commit(d, message("/topic/a", "1"), nil))
	require.Equal(t, []string{"1"}, in.texts())
}

func TestPinnedQueueStaysUntilTheCommit(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{})
	d, err := b.pin("/queue/a")
	require.NoError(t, err)
	in.Close()
	require.Same(t, d, b.registry.find("/queue/a"))
	b.unpin([]*destination{d, nil})
	require.Nil(t, b.registry.find("/queue/a"))
}
