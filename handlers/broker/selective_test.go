package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// bodies is a filter for messages with these bodies.
func bodies(of ...string) func(*Message) bool {
	return func(m *Message) bool {
		for _, body := range of {
			if m.Text() == body {
				return true
			}
		}
		return false
	}
}

func TestFilterLeavesOtherMessagesInTheQueue(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	publish(t, &b, "/queue/a", "1", "2", "3", "4", "5")
	even := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1, Filter: bodies("2", "4", "6")})
	require.Equal(t, []string{"2"}, even.texts())
	even.Grant(5)
	require.Equal(t, []string{"4"}, even.texts())
	publish(t, &b, "/queue/a", "6", "7")
	require.Equal(t, []string{"6"}, even.texts())
	all := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
	require.Equal(t, []string{"1", "3", "5", "7"}, all.texts())
}

func TestConsumerWithAFilterSeesWhatComesBack(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	all := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 4})
	publish(t, &b, "/queue/a", "1", "2", "3", "4")
	got := all.take()
	even := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1, Filter: bodies("2", "4")})
	got[3].Release()
	require.Equal(t, []string{"4*"}, texts(even.all), "with credit at once")
	got[1].Retry()
	got[0].Retry()
	even.Grant(2)
	require.Equal(t, []string{"4*", "2*"}, texts(even.all), "else when it has some")
	even.Close()
	all.Grant(9)
	require.Equal(t, []string{"1*", "2*", "4*"}, all.texts())
}

func TestFilterFollowsRemovedMessages(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	publish(t, &b, "/queue/a", "1", "2", "3")
	odd := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1, Filter: bodies("1", "3")})
	odd.take()[0].Accept() // the message that it looked at last
	odd.Grant(1)
	require.Equal(t, []string{"3"}, odd.texts())
	two := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1, Filter: bodies("2")})
	require.Equal(t, []string{"2"}, two.texts())
	odd.Drain()
	publish(t, &b, "/queue/a", "1")
	odd.Grant(1)
	require.Equal(t, []string{"1"}, odd.texts())
}

func TestOnlyConsumersWhoseFilterMatchesTakeTurns(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	odd := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9, Filter: bodies("1", "3", "5")})
	even := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9, Filter: bodies("2", "4")})
	publish(t, &b, "/queue/a", "1", "2", "3", "4", "5", "6")
	require.Equal(t, []string{"1", "3", "5"}, odd.texts())
	require.Equal(t, []string{"2", "4"}, even.texts())
	require.Equal(t, 1, odd.Stats().Backlog)
	odd.Close()
	even.Close()
	all := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
	require.Equal(t, []string{"1*", "2*", "3*", "4*", "5*", "6"}, all.texts())
}

func TestCopyLeavesTheQueueAsItIs(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	publish(t, &b, "/queue/a", "1", "2", "3")
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1})
	browser := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 2, Copy: true, Filter: bodies("1", "3", "4")})
	require.Equal(t, []string{"1", "3"}, texts(browser.all), "given out or not")
	publish(t, &b, "/queue/a", "4")
	require.Len(t, browser.all, 2)
	browser.Grant(9)
	require.Equal(t, []string{"1", "3", "4"}, texts(browser.all))
	require.True(t, browser.all[0].Retry())
	require.True(t, browser.all[1].Accept())
	require.Equal(t, 1, browser.Stats().Unsettled)
	require.Equal(t, 4, b.Stats().Messages)
	in.all[0].Accept()
	browser.Close()
	in.Grant(9)
	require.Equal(t, []string{"1", "2", "3", "4"}, append([]string{"1"}, texts(in.all[1:])...))
}

func TestCopyGoesOnWhereItWasWhenMessagesGo(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 9})
	publish(t, &b, "/queue/a", "1", "2")
	browser := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1, Copy: true})
	got := in.take()
	got[0].Accept()
	got[1].Retry()
	browser.Grant(1)
	require.Equal(t, []string{"1", "2*"}, browser.texts())
	browser.Grant(5)
	in.Close()
	require.Empty(t, browser.texts(), "each message once")
}

func TestFilterIsNotAskedAgainForWhatItHasRefused(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	const n = 1000
	for range n {
		publish(t, &b, "/queue/a", "no")
	}
	asked := 0
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 1, Filter: func(m *Message) bool {
		asked++
		return m.Text() == "yes"
	}})
	for range n {
		publish(t, &b, "/queue/a", "yes")
		require.True(t, in.take()[0].AcceptAndGrant())
	}
	require.Equal(t, 2*n, asked, "once for each message")
}
