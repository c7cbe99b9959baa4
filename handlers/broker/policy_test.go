package broker

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPolicyAtTheLimitOfASubscription(t *testing.T) {
	tests := map[string]struct {
		policy  Policy
		waiting []string
		failed  int // of six publishes
		closed  []error
		stats   ConsumerStats
	}{
		"pause fails at the limit":  {PolicyPause, []string{"1", "2", "3", "4"}, 2, nil, ConsumerStats{}},
		"drop oldest keeps the new": {PolicyDropOldest, []string{"3", "4", "5", "6"}, 0, nil, ConsumerStats{Dropped: 2}},
		"disconnect ends it":        {PolicyDisconnect, nil, 0, []error{ErrSlow}, ConsumerStats{Dropped: 5}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			leakCheck(t)
			var b Broker
			slow := attach(t, &b, "/topic/a", ConsumerConfig{Policy: tt.policy, MaxMessages: 4})
			quick := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 100})
			failed := 0
			for _, body := range []string{"1", "2", "3", "4", "5", "6"} {
				if _, err := b.Publish(message("/topic/a", body)); err != nil {
					require.ErrorIs(t, err, ErrFull)
					failed++
				}
			}
			require.Equal(t, tt.failed, failed)
			require.Equal(t, tt.closed, slow.closed)
			require.Len(t, quick.all, 6-failed, "nobody gets what is refused, everybody else all the rest")
			require.EqualValues(t, failed, b.Stats().Refused)
			require.Equal(t, tt.stats.Dropped, slow.Stats().Dropped)
			slow.Grant(100)
			require.Equal(t, tt.waiting, append([]string(nil), slow.texts()...))
			require.Len(t, slow.closed, len(tt.closed), "told once")
		})
	}
}

func TestLimitInBytesCountsBodyDestinationAndProperties(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxBytes: 3 * (8 + 90 + 2), Overflow: PolicyDropOldest}
	defer b.Close()
	for range 4 {
		m := message("/queue/a", strings.Repeat("x", 90))
		m.AppendProperty("k", "v")
		require.Equal(t, 100, m.Size())
		_, err := b.Publish(m)
		require.NoError(t, err)
	}
	require.EqualValues(t, 300, b.Stats().Bytes)
	require.EqualValues(t, 1, b.Stats().Dropped)
}

func TestQueueAtItsLimit(t *testing.T) {
	for _, policy := range []Policy{PolicyPause, PolicyDisconnect} {
		b := Broker{MaxMessages: 2, Overflow: policy}
		publish(t, &b, "/queue/a", "1", "2")
		_, err := b.Publish(message("/queue/a", "3"))
		require.ErrorIs(t, err, ErrFull, policy.String())
		in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1})
		_, err = b.Publish(message("/queue/a", "3"))
		require.ErrorIs(t, err, ErrFull, "what is unsettled counts")
		in.all[0].Accept()
		publish(t, &b, "/queue/a", "3")
		b.Close()
	}
}

func TestDropOldestDropsTheNewMessageWhenAllOthersAreGivenOut(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyDropOldest, MaxMessages: 2, Credit: 2})
	publish(t, &b, "/topic/a", "1", "2", "3")
	require.Equal(t, ConsumerStats{Unsettled: 2, Delivered: 2, Dropped: 1}, in.Stats())
}

func TestOneSlowSubscriberAmongManyIsEndedAndTheOthersKeepTheirOrder(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	var all []*inbox
	for range 9 {
		all = append(all, attach(t, &b, "/topic/a", ConsumerConfig{Credit: 100}))
	}
	slow := attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyDisconnect, MaxMessages: 1, Credit: 1})
	wild := attach(t, &b, "/topic/*", ConsumerConfig{Policy: PolicyDisconnect, MaxMessages: 1, Credit: 1})
	publish(t, &b, "/topic/a", "1", "2", "3")
	for _, in := range all {
		require.Equal(t, []string{"1", "2", "3"}, in.texts())
	}
	for _, in := range []*inbox{slow, wild} {
		require.Equal(t, []error{ErrSlow}, in.closed)
		require.Equal(t, []string{"1"}, texts(in.all), "its message is readable until it is settled")
		require.False(t, in.all[0].Accept())
	}
	require.Equal(t, 9, b.Stats().Consumers)
	require.Zero(t, b.Stats().Wildcards)
}

func TestPolicyNamesItself(t *testing.T) {
	require.Equal(t, "default, pause, drop oldest, disconnect",
		strings.Join([]string{PolicyDefault.String(), PolicyPause.String(), PolicyDropOldest.String(), PolicyDisconnect.String()}, ", "))
}

func TestSlowSubscriberAmongAHundredCostsABoundedBacklog(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	const messages, backlog = 500, 50
	slow := attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyDropOldest, MaxMessages: backlog, Credit: 10})
	quick := make([]*inbox, 99)
	for i := range quick {
		quick[i] = attach(t, &b, "/topic/a", ConsumerConfig{Credit: 10})
	}
	for n := range messages {
		p, err := b.Publish(message("/topic/a", strconv.Itoa(n)))
		require.NoError(t, err)
		require.Nil(t, p, "nobody has to pause")
		for _, in := range quick {
			d := in.take()
			require.Len(t, d, 1)
			d[0].AcceptAndGrant()
		}
	}
	require.Equal(t, backlog, b.Stats().Messages)
	s := slow.Stats()
	require.Equal(t, []int{backlog - 10, 10}, []int{s.Backlog, s.Unsettled})
	require.EqualValues(t, messages-backlog, s.Dropped)
	slow.Grant(backlog)
	require.Equal(t, strconv.Itoa(messages-1), slow.all[len(slow.all)-1].Message.Text(), "the newest are there")
}

func TestPolicyByDefaultDisconnectsSubscriptionsAndPausesQueues(t *testing.T) {
	leakCheck(t)
	b := Broker{MaxMessages: 2}
	defer b.Close()
	slow := attach(t, &b, "/topic/a", ConsumerConfig{})
	publish(t, &b, "/topic/a", "1", "2", "3")
	require.Equal(t, []error{ErrSlow}, slow.closed)
	publish(t, &b, "/queue/a", "1")
	pause, err := b.Publish(message("/queue/a", "2"))
	require.NoError(t, err)
	require.NotNil(t, pause)
	pause.Cancel()
}
