package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// beating is a script whose client has agreed on heart-beats.
func beating(t *testing.T, c *client.Client, theirs string) *script {
	t.Helper()
	s := newScript(t, c)
	s.begin()
	s.login("1.2", "heart-beat:"+theirs)
	s.status = nil
	return s
}

func TestHeartBeatsGoOutWithinTheInterval(t *testing.T) {
	s := beating(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: time.Second, Receive: -1}}, "0,10000")
	for range 10 {
		s.net.AdvanceTime(10 * time.Second)
		require.NotEmpty(t, s.got())
	}
}

func TestNoGapIsLongerThanTheIntervalWhateverIsSent(t *testing.T) {
	for _, when := range []time.Duration{0, 100, 399, 400, 401, 799, 800, 801, 999} {
		s := beating(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: time.Second, Receive: -1}}, "0,1000")
		s.net.AdvanceTime(when * time.Millisecond)
		require.NoError(t, s.StartSend(news("x"), nil))
		s.got()
		s.net.AdvanceTime(time.Second)
		require.Equal(t, "\n", s.got()[:1], "after %v ms", int(when))
	}
}

func TestWhoSendsAnywayNeedsNoHeartBeats(t *testing.T) {
	s := beating(t, &client.Client{HeartBeat: stomp.HeartBeat{Receive: -1}}, "0,1000")
	for range 100 {
		s.net.AdvanceTime(time.Second)
		require.NoError(t, s.StartSend(news("x"), nil))
		require.False(t, strings.HasPrefix(s.got(), "\n"))
	}
}

func TestHeartBeatsAreOffUnlessBothSidesWantThem(t *testing.T) {
	for name, tt := range map[string]struct {
		ours   stomp.HeartBeat
		theirs string
	}{
		"we do not":       {stomp.HeartBeat{Send: -1, Receive: -1}, "1000,1000"},
		"they do not":     {stomp.HeartBeat{}, "0,0"},
		"they can't":      {stomp.HeartBeat{Send: -1}, "0,1000"},
		"we need not say": {stomp.HeartBeat{Receive: -1}, "1000,0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := beating(t, &client.Client{HeartBeat: tt.ours}, tt.theirs)
			s.net.AdvanceTime(time.Hour)
			require.Empty(t, s.got())
			require.Empty(t, s.status)
		})
	}
}

func TestASilentServerIsNoticed(t *testing.T) {
	s := beating(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: -1, Receive: 10 * time.Second}, Tolerance: 1.5}, "4000,0")
	var sent outcome
	require.NoError(t, s.StartSend(news("x"), sent.done))
	s.net.AdvanceTime(15*time.Second - 1)
	require.Empty(t, s.status)
	s.net.AdvanceTime(1)
	require.Equal(t, []string{"disconnected, next attempt in 200ms: stomp/client: no sign of life from the server within 15s"}, s.status)
	sent.require(t, client.ErrUnconfirmed)
	var late *client.TimeoutError
	require.ErrorAs(t, sent.err, &late)
}

func TestAnyOctetIsASignOfLife(t *testing.T) {
	s := beating(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: -1, Receive: time.Second}, Tolerance: 0.5}, "1000,0")
	for _, octets := range []string{"\n", "\r\n", "MESS", "AGE\nsubscription:none\n\n", "\n", "x", "^@", "\n"} {
		s.net.AdvanceTime(999 * time.Millisecond)
		s.says(octets)
	}
	require.Empty(t, s.status)
	s.net.AdvanceTime(time.Second)
	require.Len(t, s.status, 1)
}

func TestNothingIsExpectedWhileTheServerIsNotRead(t *testing.T) {
	s := beating(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: -1, Receive: time.Second}}, "1000,0")
	var place *pipeline.Context
	require.NoError(t, s.StartSubscribe(&client.Subscription{Destination: "/a", Handle: func(ctx *pipeline.Context, _ *client.Message) {
		place = ctx
		ctx.SetAutoRead(false)
	}}, nil))
	s.got()
	s.says("MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/a\n\n^@")
	s.net.AdvanceTime(time.Hour)
	require.Empty(t, s.status)
	place.SetAutoRead(true)
	s.net.AdvanceTime(1900 * time.Millisecond)
	require.Empty(t, s.status)
	s.net.AdvanceTime(3 * time.Second)
	require.Len(t, s.status, 1)
}

func TestALoopThatWasLateLooksOnceMore(t *testing.T) {
	s := beating(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: -1, Receive: time.Second}, Tolerance: 2}, "1000,0")
	s.net.AdvanceTime(time.Second)
	s.says("\n")
	s.net.AdvanceTime(1999 * time.Millisecond)
	require.Empty(t, s.status)
	s.says("\n")
	s.net.AdvanceTime(2 * time.Second)
	require.Len(t, s.status, 1)
}
