package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

func TestStatusReadsWellInLogs(t *testing.T) {
	for want, s := range map[string]client.Status{
		"connected, version 1.1":                                 {State: client.StateConnected, Version: stomp.Version11},
		"disconnected, next attempt in 2s: refused by the test":  {State: client.StateDisconnected, Err: errRefused, Next: 2 * time.Second},
		"given up: refused by the test":                          {State: client.StateGivenUp, Err: errRefused},
		"closed":                                                 {State: client.StateClosed},
		"closed: stomp/client: the server closed the connection": {State: client.StateClosed, Err: client.ErrServerClosed},
		"unknown": {},
	} {
		require.Equal(t, want, s.String())
	}
	require.Equal(t, "disconnected", client.StateDisconnected.String())
}

func TestAckModesReadAsTheirHeader(t *testing.T) {
	require.Equal(t, "auto", client.AckAuto.String())
	require.Equal(t, "client", client.AckClient.String())
	require.Equal(t, "client-individual", client.AckClientIndividual.String())
}

// A change that OnStatus itself causes is told after it has returned.
func TestOnStatusIsCalledOnceAtATime(t *testing.T) {
	var inside, calls int
	c := &client.Client{}
	c.OnStatus = func(st client.Status) {
		inside++
		calls++
		require.Equal(t, 1, inside)
		if st.State == client.StateConnected {
			c.StartClose(nil)
		}
		inside--
	}
	s := newScript(t, c)
	s.begin()
	s.login("1.2")
	require.Contains(t, s.got(), "DISCONNECT")
	s.says("RECEIPT\nreceipt-id:r1\n\n^@")
	require.Equal(t, 2, calls)
}

func TestOnStatusMayBeginAnew(t *testing.T) {
	c := &client.Client{Reconnect: client.Reconnect{Attempts: -1}}
	begun := 0
	c.OnStatus = func(st client.Status) {
		if st.State == client.StateGivenUp && begun < 3 {
			begun++
			require.NoError(t, c.Start())
		}
	}
	s := newScript(t, c)
	s.Address = "nobody:1"
	s.begin()
	for range 5 {
		s.ring()
	}
	require.Equal(t, 3, begun)
	require.Empty(t, s.alarms)
}

func TestAnOnStatusThatPanicsIsCalledAgain(t *testing.T) {
	var states []client.State
	c := &client.Client{OnStatus: func(st client.Status) {
		states = append(states, st.State)
		if len(states) == 1 {
			panic("the first time")
		}
	}}
	s := newScript(t, c)
	s.begin()
	s.got()
	require.ErrorContains(t, s.peer().FeedString("CONNECTED\nversion:1.2\n\n\x00"), "the first time")
	require.Equal(t, []client.State{client.StateConnected, client.StateDisconnected}, states)
}
