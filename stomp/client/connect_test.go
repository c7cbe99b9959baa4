package client_test

import (
	"context"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// connect runs Connect on a goroutine of its own while play plays the server.
func (s *script) connect(parent context.Context, play func()) error {
	s.t.Helper()
	done := s.elsewhere(func() error { return s.Connect(parent) })
	s.until(func() bool { return len(done) > 0 || len(s.net.Dialed(address)) > 0 && s.peer().Untaken() > 0 })
	if len(done) == 0 {
		play()
	}
	return s.result(done)
}

func TestConnectReturnsWhenTheServerHasAccepted(t *testing.T) {
	s := newScript(t, &client.Client{})
	require.NoError(t, s.connect(t.Context(), func() { s.login("1.1") }))
	require.Equal(t, stomp.Version11, s.Version())
	require.ErrorIs(t, s.Connect(t.Context()), client.ErrStarted)
	require.ErrorIs(t, s.Start(), client.ErrStarted)
}

func TestConnectSaysWhyThereIsNoConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		says string
		want error
	}{
		"ERROR":                   {"ERROR\nmessage:no such user\n\nsorry^@", nil},
		"another frame":           {"RECEIPT\nreceipt-id:1\n\n^@", client.ErrProtocol},
		"MESSAGE before login":    {"MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/a\n\n^@", client.ErrProtocol},
		"no frame":                {"HTTP/1.1 400 Bad Request\r\n\r\n", client.ErrProtocol},
		"a version not offered":   {"CONNECTED\nversion:1.2\n\n^@", client.ErrVersion},
		"an unknown version":      {"CONNECTED\nversion:2.0\n\n^@", client.ErrVersion},
		"heart-beats in words":    {"CONNECTED\nversion:1.1\nheart-beat:soon,never\n\n^@", client.ErrProtocol},
		"the end":                 {"", client.ErrServerClosed},
		"the end inside a header": {"CONNECTED\nversion:1", client.ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, &client.Client{Versions: []stomp.Version{stomp.Version11, stomp.Version10}})
			err := s.connect(t.Context(), func() {
				require.Contains(t, s.got(), "accept-version:1.0,1.1\n")
				s.says(tt.says)
				s.peer().PeerClose()
			})
			if tt.want != nil {
				require.ErrorIs(t, err, tt.want)
			} else {
				var refused *client.ServerError
				require.ErrorAs(t, err, &refused)
				require.Equal(t, "no such user", refused.Message)
				require.Equal(t, "sorry", refused.Body)
			}
			require.Empty(t, s.status, "Connect itself has told it")
			require.Empty(t, s.alarms, "Connect tries once")
		})
	}
}

func TestConnectMayBeCalledAgainAfterAFailure(t *testing.T) {
	s := newScript(t, &client.Client{})
	err := s.connect(t.Context(), func() { s.got(); s.says("ERROR\nmessage:not yet\n\n^@"); s.peer().PeerClose() })
	require.EqualError(t, err, `stomp/client: the server refused: "not yet"`)
	require.ErrorIs(t, s.StartSend(news("x"), nil), client.ErrNotConnected)
	s.begin()
	s.login("1.2")
	require.Equal(t, []string{"connected, version 1.2"}, s.status)
}

func TestConnectFailsWithTheErrorOfTheDialFunc(t *testing.T) {
	s := newScript(t, &client.Client{})
	s.Address = "nobody:1"
	require.ErrorIs(t, s.connect(t.Context(), nil), syscall.ECONNREFUSED)
}

func TestConnectEndsWithItsParent(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		s := newScript(t, &client.Client{})
		parent, cancel := context.WithCancelCause(t.Context())
		cancel(errRefused)
		require.ErrorIs(t, s.Connect(parent), errRefused)
	})
	t.Run("while the server is silent", func(t *testing.T) {
		s := newScript(t, &client.Client{})
		parent, cancel := context.WithCancelCause(t.Context())
		require.ErrorIs(t, s.connect(parent, func() { cancel(errRefused) }), errRefused)
		s.net.RunPending()
		require.True(t, s.peer().Socket.Closed())
	})
}

func TestConnectDoesNotWaitForTheServerLongerThanItsTimeout(t *testing.T) {
	s := newScript(t, &client.Client{ConnectTimeout: 3 * time.Second})
	err := s.connect(t.Context(), func() { s.net.AdvanceTime(3 * time.Second) })
	var late net.Error
	require.ErrorAs(t, err, &late)
	require.True(t, late.Timeout())
	require.EqualError(t, err, "stomp/client: no answer to CONNECT within 3s")
}

func TestConnectDoesNotDialLongerThanItsTimeout(t *testing.T) {
	c := &client.Client{ConnectTimeout: time.Millisecond, Address: "a:1"}
	c.Dial = func(parent context.Context, _ string, _ func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		<-parent.Done()
		return nil, parent.Err()
	}
	err := c.Connect(t.Context())
	require.EqualError(t, err, "stomp/client: no connection within 1ms")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, c.Close(t.Context()))
}

func TestConnectIsRefusedOnTheLoopThatItWouldWaitFor(t *testing.T) {
	s := newScript(t, &client.Client{})
	require.ErrorIs(t, s.Connect(t.Context()), pipeline.ErrOnLoop)
	s.net.RunPending()
	require.True(t, s.peer().Socket.Closed())
}

func TestALoginThatCannotBeEncodedIsAnErrorOfConnect(t *testing.T) {
	s := newScript(t, &client.Client{Login: "a\nhost:b"})
	err := s.connect(t.Context(), func() { t.Fatal("sent") })
	require.ErrorIs(t, err, stomp.ErrUnencodable)
	require.NotErrorIs(t, err, client.ErrProtocol)
}

func TestConnectSendsFurtherHeadersBehindItsOwn(t *testing.T) {
	s := newScript(t, &client.Client{
		Headers:   stomp.Headers{{Name: "client-id", Value: "me:1"}},
		HeartBeat: stomp.HeartBeat{Send: -1, Receive: -1},
		Passcode:  "p",
	})
	s.begin()
	require.Equal(t, "CONNECT\naccept-version:1.0,1.1,1.2\nhost:broker\nlogin:\npasscode:p\nclient-id:me:1\n\n^@", s.got())
}

func TestAServerWithoutAVersionHeaderSpeaks10(t *testing.T) {
	s := newScript(t, &client.Client{})
	s.begin()
	s.got()
	s.says("CONNECTED\nsession:abc\n\n^@")
	require.Equal(t, stomp.Version10, s.Version())
}

func TestStatusTellsWhatTheServerSaidOfItself(t *testing.T) {
	var got []client.Status
	s := newScript(t, &client.Client{OnStatus: func(st client.Status) { got = append(got, st) }, HeartBeat: stomp.HeartBeat{Send: time.Second}})
	s.begin()
	s.login("1.2", "server:test/1", "session:abc", "heart-beat:20000,3000")
	require.Equal(t, []client.Status{{
		State: client.StateConnected, Version: stomp.Version12, Server: "test/1", Session: "abc",
		ToServer: 3 * time.Second, FromServer: 20 * time.Second,
	}}, got)
}

func TestADialFuncThatIgnoresTheEndIsClosedBehind(t *testing.T) {
	s := newScript(t, &client.Client{})
	s.Dial = func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		s.StartClose(nil)
		require.Error(t, parent.Err())
		return s.net.Dial(context.WithoutCancel(parent), address, init)
	}
	s.begin()
	s.net.RunPending()
	require.True(t, s.peer().Socket.Closed())
	require.Equal(t, []string{"closed"}, s.status)
	require.ErrorIs(t, s.Connect(t.Context()), client.ErrClosed)
}

func TestAHandshakeInFrontThatNeverEndsIsGivenUp(t *testing.T) {
	s := newScript(t, &client.Client{})
	s.Dial = func(parent context.Context, address string, _ func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		return s.net.Dial(parent, address, func(*pipeline.Channel) error { return nil })
	}
	s.begin()
	s.advance(client.DefaultConnectTimeout)
	require.Equal(t, []string{"disconnected, next attempt in 200ms: stomp/client: no connection within 10s"}, s.status)
	require.True(t, s.peer().Socket.Closed())
}

func TestAConnectionWhoseHandlerIsRemovedIsLost(t *testing.T) {
	remove := func(ch *pipeline.Channel) {
		names := ch.Pipeline().Names()
		require.NoError(t, ch.Pipeline().Remove(names[len(names)-1]))
	}
	t.Run("before the DialFunc returns", func(t *testing.T) {
		s := newScript(t, &client.Client{})
		s.Dial = func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
			return s.net.Dial(parent, address, func(ch *pipeline.Channel) error {
				err := init(ch)
				remove(ch)
				return err
			})
		}
		s.begin()
		require.Equal(t, []string{"disconnected, next attempt in 200ms: stomp/client: the server closed the connection"}, s.status)
	})
	t.Run("afterwards", func(t *testing.T) {
		s := connected(t, &client.Client{}, "1.2")
		var sent outcome
		require.NoError(t, s.StartSend(news("x"), sent.done))
		s.got()
		remove(s.peer().Channel())
		s.net.RunPending()
		sent.require(t, client.ErrUnconfirmed)
		require.Len(t, s.status, 1)
		require.True(t, s.peer().Socket.Closed())
	})
}

func TestErrorsOfTheDialFuncAreWrapped(t *testing.T) {
	s := newScript(t, &client.Client{Reconnect: client.Reconnect{Attempts: -1}})
	s.Dial = func(context.Context, string, func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		return nil, errRefused
	}
	s.begin()
	require.Equal(t, []string{"given up: refused by the test"}, s.status)
	err := s.StartSend(news("x"), nil)
	require.ErrorIs(t, err, client.ErrNotConnected)
	require.ErrorIs(t, err, errRefused)
}
