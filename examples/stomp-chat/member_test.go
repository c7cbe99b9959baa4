package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestOnlyRoomsAreDestinations(t *testing.T) {
	for destination, want := range map[string]error{
		"/topic/chat.lobby": nil,
		"/topic/chat.A_b-9": nil,
		"/topic/chat.":      errNoRoom,
		"/topic/chat.*":     errNoRoom,
		"/topic/chat.#":     errNoRoom,
		"/topic/chat.a.b":   errNoRoom,
		"/topic/chat.ä":     errNoRoom,
		"/topic/other":      errNoRoom,
		"/queue/chat.lobby": errNoRoom,
		"/temp-queue/x":     errNoRoom,
		"#":                 errNoRoom,
		"":                  errNoRoom,
	} {
		require.Equal(t, want, authorize(nil, server.OpSend, destination), destination)
	}
	for _, frame := range []string{"SEND\ndestination:/topic/#\n\nx", "SUBSCRIBE\nid:1\ndestination:/topic/chat.*\n\n"} {
		a := newLobby(t).join("v12.stomp")
		a.text(frame + "\x00")
		f, _ := a.next()
		require.Equal(t, stomp.CommandError, f.Command)
		require.Contains(t, f.Headers.Get("message"), errNoRoom.Error())
		require.True(t, a.Closed())
	}
}

func TestAMemberThatIsTooSlowMissesWhatIsOldest(t *testing.T) {
	l := newLobby(t)
	slow, fast := l.join("v12.stomp"), l.join("v12.stomp")
	slow.enter("lobby")
	fast.enter("lobby")
	server := l.Accepted("chat:80")[0]
	server.Block()
	body := strings.Repeat("x", 100_000)
	const sent = 150
	for i := range sent {
		fast.binary(fmt.Sprintf("SEND\ndestination:/topic/chat.lobby\ncontent-type:text/plain\n\n%d %s\x00", i, body))
		f, _ := fast.next()
		require.True(t, strings.HasPrefix(f.Body.String(), fmt.Sprint(i, " ")))
	}
	require.Empty(t, slow.frames)
	server.Unblock()
	l.RunPending()
	require.True(t, slow.IsOpen(), "it is not thrown out")
	got := len(slow.frames)
	require.Greater(t, got, 16)
	require.Less(t, got, 120)
	require.True(t, strings.HasPrefix(slow.frames[got-1].Body.String(), fmt.Sprint(sent-1, " ")), "the newest has come")
	last := -1
	for _, f := range slow.frames {
		var i int
		_, err := fmt.Sscan(f.Body.String(), &i)
		require.NoError(t, err)
		require.Greater(t, i, last)
		last = i
	}
}

func TestHeartBeatsAreTextMessages(t *testing.T) {
	l := newLobby(t)
	c := l.dial("v12.stomp")
	c.text("CONNECT\naccept-version:1.2\nhost:chat\nlogin:Ann\nheart-beat:20000,20000\n\n\x00")
	f, _ := c.next()
	require.Equal(t, "10000,10000", f.Headers.Get("heart-beat"))
	for range 6 {
		l.AdvanceTime(10 * time.Second)
		c.text("\n")
	}
	require.GreaterOrEqual(t, c.beats, 2)
	require.LessOrEqual(t, c.beats, 6)
	require.True(t, c.IsOpen())
	l.AdvanceTime(40 * time.Second) // the client's WebSocket still answers pings
	require.True(t, c.Closed(), "it is silent for too long")
}
