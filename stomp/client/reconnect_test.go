package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/client"
)

const second = time.Second

func TestAttemptsBackOffUpToTheLimit(t *testing.T) {
	s := newScript(t, &client.Client{Reconnect: client.Reconnect{Min: second, Max: 10 * second}})
	s.Address = "nobody:1"
	s.begin()
	for range 6 {
		s.advance(10 * second)
	}
	require.Equal(t, []time.Duration{0, second, 2 * second, 4 * second, 8 * second, 10 * second, 10 * second, 10 * second}, s.delays)
}

func TestJitterTakesARandomShareOffEachDelay(t *testing.T) {
	for name, tt := range map[string]struct {
		jitter, random float64
		want           time.Duration
	}{
		"default":            {0, 0.5, 1500 * time.Millisecond},
		"half of a quarter":  {0.25, 0.5, 1750 * time.Millisecond},
		"none":               {-1, 0.9, 2 * second},
		"never more than it": {7, 0.75, 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, &client.Client{Reconnect: client.Reconnect{
				Min: 2 * second, Jitter: tt.jitter, Random: func() float64 { return tt.random },
			}})
			s.Address = "nobody:1"
			s.begin()
			require.Equal(t, []time.Duration{0, tt.want}, s.delays)
		})
	}
}

func TestTheDefaultsStartAtAFifthOfASecond(t *testing.T) {
	s := newScript(t, &client.Client{})
	s.Address = "nobody:1"
	s.begin()
	for range 10 {
		s.advance(client.DefaultReconnectMax)
	}
	require.Equal(t, client.DefaultReconnectMin, s.delays[1])
	require.Equal(t, client.DefaultReconnectMax, s.delays[len(s.delays)-1])
}

func TestAttemptsAreLimited(t *testing.T) {
	s := newScript(t, &client.Client{Reconnect: client.Reconnect{Min: second, Attempts: 2}, MaxOffline: 1})
	s.Address = "nobody:1"
	s.begin()
	var sent outcome
	require.NoError(t, s.StartSend(news("waits"), sent.done))
	s.advance(second)
	s.advance(2 * second)
	s.advance(time.Hour)
	require.Len(t, s.status, 3)
	require.Contains(t, s.status[0], "disconnected, next attempt in 1s: ")
	require.Contains(t, s.status[1], "disconnected, next attempt in 2s: ")
	require.Contains(t, s.status[2], "given up: ")
	sent.require(t, client.ErrNotConnected)
	require.Empty(t, s.alarms)

	s.Address = address
	s.begin()
	s.login("1.2")
	require.Equal(t, "connected, version 1.2", s.status[3], "it can be begun again")
}

func TestALostConnectionIsReplacedAndSubscriptionsAreMadeAgainInOrder(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var got []string
	take := func(_ *pipeline.Context, m *client.Message) { got = append(got, m.Body().String()) }
	for _, d := range []string{"/a", "/b", "/c"} {
		require.NoError(t, s.StartSubscribe(&client.Subscription{Destination: d, Handle: take}, nil))
	}
	s.got()
	s.peer().PeerReset()
	s.net.RunPending()
	require.Len(t, s.status, 1)
	require.Contains(t, s.status[0], "disconnected, next attempt in 200ms")
	require.Zero(t, s.Version())
	s.advance(200 * time.Millisecond)
	s.login("1.1")
	require.Equal(t, "SUBSCRIBE\nid:s1\ndestination:/a\nack:auto\nreceipt:r7\n\n^@"+
		"SUBSCRIBE\nid:s3\ndestination:/b\nack:auto\nreceipt:r8\n\n^@"+
		"SUBSCRIBE\nid:s5\ndestination:/c\nack:auto\nreceipt:r9\n\n^@", s.got())
	s.says("RECEIPT\nreceipt-id:r7\n\n^@MESSAGE\nsubscription:s3\nmessage-id:1\ndestination:/b\n\nhello^@")
	require.Equal(t, []string{"hello"}, got)
	require.Equal(t, uint64(2), s.Stats().Connected)
	require.Equal(t, 3, s.Stats().Subscriptions)
}

func TestAConnectionThatLastedBeginsWithTheFirstDelay(t *testing.T) {
	s := connected(t, &client.Client{Reconnect: client.Reconnect{Min: second, Max: 60 * second}}, "1.2")
	s.delays = nil
	drop := func() { s.peer().PeerClose(); s.net.RunPending() }
	drop()
	s.advance(second)
	s.login("1.2") // for a moment only
	drop()
	s.advance(2 * second)
	s.login("1.2")
	s.net.AdvanceTime(60 * second)
	drop()
	require.Equal(t, []time.Duration{second, 2 * second, second}, s.delays)
}

func TestAPanicOfOneWhoIsToldKeepsNothingFromTheOthers(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var last outcome
	bad := func(error) { panic("no") }
	for _, done := range []func(error){bad, bad, last.done} {
		require.NoError(t, s.StartSend(news("x"), done))
	}
	s.got()
	s.peer().PeerReset()
	s.net.RunPending()
	require.ErrorContains(t, s.peer().CheckErr(), "panic")
	last.require(t, client.ErrUnconfirmed)
	require.Len(t, s.status, 1)
	s.advance(second)
	s.login("1.2")
	require.Equal(t, "connected, version 1.2", s.status[1])
}

func TestAPanicOfOnStatusDoesNotKeepConnectWaiting(t *testing.T) {
	s := newScript(t, &client.Client{Reconnect: client.Reconnect{Attempts: -1}})
	s.OnStatus = func(st client.Status) {
		if st.State == client.StateConnected {
			panic("no")
		}
	}
	require.NoError(t, s.connect(t.Context(), func() {
		s.got()
		require.ErrorContains(t, s.peer().FeedString("CONNECTED\nversion:1.2\n\n\x00"), "panic")
	}))
	require.Zero(t, s.Version())
}

func TestAPanicInAHandlerCostsTheConnectionAndNoMore(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	bad := true
	require.NoError(t, s.StartSubscribe(&client.Subscription{Destination: "/a", Handle: func(*pipeline.Context, *client.Message) {
		if bad {
			panic("no")
		}
	}}, nil))
	s.got()
	require.ErrorContains(t, s.peer().FeedString("MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/a\n\nhello\x00"), "panic")
	require.Contains(t, s.status[0], "disconnected")
	bad = false
	s.advance(second)
	s.login("1.2")
	s.says("MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/a\n\nhello^@")
	require.Equal(t, "connected, version 1.2", s.status[1])
}
