package stomp

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseHeartBeat(t *testing.T) {
	for value, want := range map[string]HeartBeat{
		"0,0":            {},
		"4000,6000":      {Send: 4 * time.Second, Receive: 6 * time.Second},
		"0,1":            {Receive: time.Millisecond},
		"2147483647,0":   {Send: 2147483647 * time.Millisecond},
		"99999999999,10": {Send: 2147483647 * time.Millisecond, Receive: 10 * time.Millisecond},
	} {
		got, err := ParseHeartBeat(value)
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"", ",", "0", "0,", ",0", "1,2,3", "-1,0", "0, 0", "1.5,0", "a,b", strings.Repeat("x", 500)} {
		_, err := ParseHeartBeat(value)
		require.ErrorIs(t, err, ErrBadHeader, "%q", value)
		require.Less(t, len(err.Error()), 150)
	}
}

func TestHeartBeatReadsBackWhatItPrints(t *testing.T) {
	h := HeartBeat{Send: 1500 * time.Millisecond, Receive: 10 * time.Second}
	require.Equal(t, "1500,10000", h.String())
	got, err := ParseHeartBeat(h.String())
	require.NoError(t, err)
	require.Equal(t, h, got)
	require.Equal(t, "0,0", HeartBeat{}.String())
}

func TestNegotiateHeartBeat(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name               string
		client, server     HeartBeat
		toServer, toClient time.Duration
	}{
		{"nobody", HeartBeat{}, HeartBeat{}, 0, 0},
		{"the slower wins", HeartBeat{4 * s, 6 * s}, HeartBeat{5 * s, 3 * s}, 4 * s, 6 * s},
		{"the slower wins on the other side", HeartBeat{1 * s, 1 * s}, HeartBeat{9 * s, 7 * s}, 7 * s, 9 * s},
		{"client cannot", HeartBeat{0, 10 * s}, HeartBeat{10 * s, 10 * s}, 0, 10 * s},
		{"client wants none", HeartBeat{10 * s, 0}, HeartBeat{10 * s, 10 * s}, 10 * s, 0},
		{"server cannot", HeartBeat{10 * s, 10 * s}, HeartBeat{0, 10 * s}, 10 * s, 0},
		{"server wants none", HeartBeat{10 * s, 10 * s}, HeartBeat{10 * s, 0}, 0, 10 * s},
		{"negative is none", HeartBeat{-s, -s}, HeartBeat{s, s}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			toServer, toClient := NegotiateHeartBeat(tt.client, tt.server)
			require.Equal(t, tt.toServer, toServer)
			require.Equal(t, tt.toClient, toClient)
		})
	}
}
