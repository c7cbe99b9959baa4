package client_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

func TestServerErrorQuotesAndCutsWhatTheServerSays(t *testing.T) {
	e := &client.ServerError{Message: "bad\x1b[31m " + strings.Repeat("x", 200)}
	require.Equal(t, `stomp/client: the server refused: "bad\x1b[31m `+strings.Repeat("x", 55)+`"`, e.Error())
	require.Equal(t, `stomp/client: the server refused: ""`, (&client.ServerError{}).Error())
}

func TestServerErrorsOutliveTheirFrame(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var sent outcome
	require.NoError(t, s.StartSend(news("1"), sent.done))
	s.got()
	s.says("ERROR\nreceipt-id:r1\nmessage:gone too soon\n\n" + strings.Repeat("a long story ", 1000) + "^@")
	s.peer().PeerClose()
	s.net.RunPending()
	s.advance(second)
	s.login("1.2")
	for range 20 { // memory that the frame had is used again
		s.says("MESSAGE\nsubscription:nobody's\nmessage-id:" + strings.Repeat("y", 500) + "\n\n" + strings.Repeat("z", 5000) + "^@")
	}
	var refused *client.ServerError
	require.ErrorAs(t, sent.err, &refused)
	require.Equal(t, "gone too soon", refused.Message)
	require.Equal(t, "r1", refused.Receipt)
	require.Equal(t, stomp.Headers{{Name: "receipt-id", Value: "r1"}, {Name: "message", Value: "gone too soon"}}, refused.Headers)
	require.Len(t, refused.Body, 4<<10)
	require.True(t, strings.HasPrefix(refused.Body, "a long story a long story "))
}

func TestTimeoutErrorIsANetError(t *testing.T) {
	cause := errors.New("cause")
	var err error = &client.TimeoutError{What: "connection", After: time.Second, Err: cause}
	var late net.Error
	require.ErrorAs(t, err, &late)
	require.True(t, late.Timeout())
	require.False(t, late.Temporary()) //nolint:staticcheck // part of net.Error
	require.ErrorIs(t, err, cause)
	require.EqualError(t, err, "stomp/client: no connection within 1s")
}

func TestAConnectionThatBreaksTheProtocolIsLost(t *testing.T) {
	for name, tt := range map[string]struct{ says, text string }{
		"second CONNECTED":  {"CONNECTED\nversion:1.2\n\n^@", `"CONNECTED" was not expected`},
		"a client's frame":  {"SEND\ndestination:/a\n\n^@", `"SEND" was not expected`},
		"no command":        {"HELLO\n\n^@", "unknown-command"},
		"bad escape":        {"MESSAGE\nsubscription:\\x\n\n^@", "bad-escape"},
		"too long a line":   {"MESSAGE\nsubscription:" + strings.Repeat("x", 200), "line-too-long"},
		"too large a body":  {"MESSAGE\nsubscription:1\ncontent-length:1001\n\n", "body-too-large"},
		"too many headers":  {"MESSAGE\n" + strings.Repeat("a:b\n", 6), "too-many-headers"},
		"NUL in the wrong ": {"MESSAGE\ncontent-length:2\n\nabc^@", "missing-nul"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []client.Status
			s := connected(t, &client.Client{
				Limits:   stomp.Limits{Line: 100, Headers: 5, Body: 1000},
				OnStatus: func(st client.Status) { got = append(got, st) },
			}, "1.2")
			s.says(tt.says)
			require.Len(t, got, 2)
			require.Equal(t, client.StateDisconnected, got[1].State)
			require.ErrorIs(t, got[1].Err, client.ErrProtocol)
			require.ErrorContains(t, got[1].Err, tt.text)
			require.True(t, s.peer().Socket.Closed())
		})
	}
}

func TestWhyAConnectionWasLostIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		lose func(s *script)
		want error
	}{
		"closed by the server":  {func(s *script) { s.peer().PeerClose() }, client.ErrServerClosed},
		"reset by the server":   {func(s *script) { s.peer().PeerReset() }, pipeline.ErrReset},
		"a write that fails":    {func(s *script) { s.peer().FailWrite(errRefused); _ = s.StartSend(news("x"), nil) }, errRefused},
		"ended inside a frame":  {func(s *script) { s.says("MESSAGE\nsub"); s.peer().PeerClose() }, client.ErrProtocol},
		"takes nothing at all":  {func(s *script) { s.peer().Block(); _ = s.StartSend(news("x"), nil); s.net.AdvanceTime(time.Minute) }, pipeline.ErrWriteStall},
		"closed by the program": {func(s *script) { s.peer().Channel().CloseWith(pipeline.CloseNow, nil) }, client.ErrServerClosed},
	} {
		t.Run(name, func(t *testing.T) {
			var got []client.Status
			s := connected(t, &client.Client{OnStatus: func(st client.Status) { got = append(got, st) }}, "1.2")
			tt.lose(s)
			s.net.RunPending()
			require.Len(t, got, 2)
			require.ErrorIs(t, got[1].Err, tt.want)
			require.Equal(t, 1, got[1].Attempt)
			require.Equal(t, client.DefaultReconnectMin, got[1].Next)
			s.advance(time.Second)
			s.login("1.2")
			require.Equal(t, client.StateConnected, got[2].State)
		})
	}
}
