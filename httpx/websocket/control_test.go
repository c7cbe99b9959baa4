package websocket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPingsAndPongsAreCounted(t *testing.T) {
	for range 3 { // also out of the pool
		ping, pong := newPing([]byte("p")), newPong([]byte("q"))
		require.Equal(t, "p", string(ping.Data))
		require.Equal(t, "q", string(pong.Data))
		ping.Retain()
		ping.Release()
		pong.Retain()
		pong.Release()
		require.Equal(t, "p", string(ping.Data))
		ping.Release()
		pong.Release()
	}
	ping, pong := &Ping{Data: []byte("literal")}, &Pong{}
	ping.Release()
	pong.Release()
	require.PanicsWithValue(t, "websocket: ping released twice", ping.Release)
	require.PanicsWithValue(t, "websocket: pong released twice", pong.Release)
}

func TestCloseFramesAreCheckedBeforeTheyAreSent(t *testing.T) {
	for _, tt := range []struct {
		c    Close
		wire string // "" = refused
	}{
		{Close{}, "\x88\x00"},
		{Close{Code: CodeNormal}, "\x88\x02\x03\xe8"},
		{Close{Code: 4001, Reason: "bye"}, "\x88\x05\x0f\xa1bye"},
		{Close{Code: CodeNormal, Reason: strings.Repeat("x", 123)}, "\x88\x7d\x03\xe8" + strings.Repeat("x", 123)},
		{Close{Code: CodeNormal, Reason: strings.Repeat("x", 124)}, ""},
		{Close{Code: CodeNormal, Reason: "\xff"}, ""},
		{Close{Reason: "no code"}, ""},
		{Close{Code: CodeNone}, ""},
		{Close{Code: CodeAbnormal}, ""},
		{Close{Code: CodeTLS}, ""},
		{Close{Code: 999}, ""},
	} {
		wire, err := encode(new(Encoder), &tt.c)
		if tt.wire == "" {
			require.ErrorIs(t, err, ErrControl)
			require.EqualError(t, err, ErrControl.Error(), "nothing is written")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tt.wire, string(wire))
	}
}
