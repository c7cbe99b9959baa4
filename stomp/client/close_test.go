package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/client"
)

func TestCloseWaitsForTheReceiptOfWhatWasSentBefore(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var sent outcome
	require.NoError(t, s.StartSend(news("last"), sent.done))
	s.got()
	closed := s.elsewhere(func() error { return s.Close(t.Context()) })
	require.Equal(t, "DISCONNECT\nreceipt:r2\n\n^@", s.sends())
	require.ErrorIs(t, s.StartSend(news("x"), nil), client.ErrClosed)
	require.ErrorIs(t, s.StartSubscribe(&client.Subscription{Destination: "/a", Handle: func(*pipeline.Context, *client.Message) {}}, nil), client.ErrClosed)
	_, err := s.Begin()
	require.ErrorIs(t, err, client.ErrClosed)
	s.says("RECEIPT\nreceipt-id:r1\n\n^@RECEIPT\nreceipt-id:r2\n\n^@")
	require.NoError(t, s.result(closed))
	sent.require(t, nil)
	require.Equal(t, []string{"closed"}, s.status)
	require.True(t, s.peer().Socket.Closed())
	require.ErrorIs(t, s.Start(), client.ErrClosed)
	require.ErrorIs(t, s.Connect(t.Context()), client.ErrClosed)
	require.NoError(t, s.result(s.elsewhere(func() error { return s.Close(t.Context()) })))
}

func TestCloseReturnsWithItsParentAtTheLatest(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var sent outcome
	require.NoError(t, s.StartSend(news("last"), sent.done))
	s.got()
	parent, cancel := context.WithCancelCause(t.Context())
	closed := s.elsewhere(func() error { return s.Close(parent) })
	require.Contains(t, s.sends(), "DISCONNECT")
	cancel(errRefused)
	require.ErrorIs(t, s.result(closed), errRefused)
	s.net.RunPending()
	require.True(t, s.peer().Socket.Closed())
	sent.require(t, client.ErrUnconfirmed)
}

func TestCloseReturnsAtItsTimeoutWhenTheServerIsSilent(t *testing.T) {
	s := connected(t, &client.Client{CloseTimeout: 3 * time.Second}, "1.2")
	closed := s.elsewhere(func() error { return s.Close(t.Context()) })
	s.sends()
	s.net.AdvanceTime(3 * time.Second)
	var late *client.TimeoutError
	require.ErrorAs(t, s.result(closed), &late)
	require.Equal(t, 3*time.Second, late.After)
}

func TestCloseSaysWhenTheServerLeftWithoutTheReceipt(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	closed := s.elsewhere(func() error { return s.Close(t.Context()) })
	s.sends()
	s.peer().PeerReset()
	err := s.result(closed)
	require.ErrorIs(t, err, client.ErrUnconfirmed)
	require.ErrorIs(t, err, pipeline.ErrReset)
	require.Empty(t, s.alarms, "it is not replaced")
}

func TestCloseEndsEveryStage(t *testing.T) {
	for name, stage := range map[string]func(s *script){
		"before the start":      func(*script) {},
		"before the first dial": func(s *script) { require.NoError(s.t, s.Start()) },
		"during the login":      func(s *script) { s.begin() },
		"between two attempts": func(s *script) {
			s.Address = "nobody:1"
			s.begin()
			require.Len(s.t, s.alarms, 1)
		},
		"after a break": func(s *script) {
			s.begin()
			s.login("1.2")
			s.peer().PeerReset()
			s.net.RunPending()
		},
		"when it has given up": func(s *script) {
			s.Reconnect.Attempts = -1
			s.Address = "nobody:1"
			s.begin()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, &client.Client{MaxOffline: 3})
			var sub outcome
			stage(s)
			_ = s.StartSubscribe(&client.Subscription{Destination: "/a", Handle: func(*pipeline.Context, *client.Message) {}}, sub.done)
			waiting := s.StartSend(news("x"), func(err error) { require.ErrorIs(t, err, client.ErrClosed) })
			if waiting != nil {
				require.ErrorIs(t, waiting, client.ErrNotConnected)
			}
			var closed outcome
			s.StartClose(closed.done)
			s.net.RunPending()
			closed.require(t, nil)
			require.Empty(t, s.alarms)
			require.Equal(t, 1, sub.times)
			require.Equal(t, "closed", s.status[len(s.status)-1])
			require.Zero(t, s.Stats().Unsent)
			s.StartClose(closed.done)
			require.Equal(t, 2, closed.times)
		})
	}
}

func TestCloseWakesConnect(t *testing.T) {
	s := newScript(t, &client.Client{})
	err := s.connect(t.Context(), func() { s.StartClose(nil) })
	require.ErrorIs(t, err, client.ErrClosed)
}

func TestCloseEndsADialThatIsUnderWay(t *testing.T) {
	c := &client.Client{Address: "a:1"}
	dialing := make(chan struct{})
	c.Dial = func(parent context.Context, _ string, _ func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		close(dialing)
		<-parent.Done()
		return nil, context.Cause(parent)
	}
	require.NoError(t, c.Start())
	<-dialing
	require.NoError(t, c.Close(t.Context()))
}

func TestCloseReturnsAlthoughADialDoesNotEnd(t *testing.T) {
	c := &client.Client{Address: "a:1"}
	dialing, end := make(chan struct{}), make(chan struct{})
	c.Dial = func(context.Context, string, func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		close(dialing)
		<-end
		return nil, errRefused
	}
	require.NoError(t, c.Start())
	<-dialing
	parent, cancel := context.WithCancelCause(t.Context())
	cancel(errRefused)
	require.ErrorIs(t, c.Close(parent), errRefused)
	close(end)
	require.NoError(t, c.Close(t.Context()))
}

func TestCloseInsideAHandlerBeginsAndDoesNotWait(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var err error
	require.NoError(t, s.StartSubscribe(&client.Subscription{Destination: "/a", Handle: func(*pipeline.Context, *client.Message) {
		err = s.Close(t.Context())
	}}, nil))
	s.got()
	s.says("MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/a\n\n^@")
	require.ErrorIs(t, err, pipeline.ErrOnLoop)
	require.Equal(t, "DISCONNECT\nreceipt:r3\n\n^@", s.got())
	s.says("RECEIPT\nreceipt-id:r3\n\n^@")
	require.Equal(t, []string{"closed"}, s.status)
}

func TestCloseInsideOnStatus(t *testing.T) {
	var states []client.State
	c := &client.Client{}
	c.OnStatus = func(st client.Status) {
		states = append(states, st.State)
		if st.State == client.StateDisconnected {
			c.StartClose(nil)
		}
	}
	s := newScript(t, c)
	s.begin()
	s.login("1.2")
	s.peer().PeerReset()
	s.net.RunPending()
	require.Equal(t, []client.State{client.StateConnected, client.StateDisconnected, client.StateClosed}, states)
	require.Empty(t, s.alarms)
}
