package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefaultLimitsAreOn(t *testing.T) {
	var b Broker
	require.Equal(t, bounds{DefaultMaxMessages, DefaultMaxBytes}, b.bounds(0, 0))
	require.Equal(t, bounds{DefaultMaxMessages, DefaultMaxBytes}, b.bounds(-1, -1))
	require.Equal(t, DefaultMaxDeliveries, b.maxDeliveries())
	b = Broker{MaxMessages: 5, MaxBytes: 6}
	require.Equal(t, bounds{5, 6}, b.bounds(0, 0))
	require.Equal(t, bounds{1, 2}, b.bounds(1, 2))
}

func TestMarksOfABacklog(t *testing.T) {
	tests := []struct {
		max       int
		high, low int // publishers pause from here on, and go on from here on
	}{{1, 1, 0}, {2, 2, 0}, {3, 2, 0}, {4, 3, 1}, {10, 6, 2}, {10_000, 5001, 2500}}
	for _, tt := range tests {
		for _, b := range []bounds{{tt.max, 1 << 40}, {1 << 40, int64(tt.max)}} {
			n := func(of int) (int, int64) { return of, int64(of) }
			require.True(t, b.high(n(tt.high)), "%d", tt.max)
			require.False(t, b.high(n(tt.high-1)), "%d", tt.max)
			require.True(t, b.low(n(tt.low)), "%d", tt.max)
			require.False(t, b.low(n(tt.low+1)), "%d", tt.max)
			require.True(t, b.reached(n(tt.max)))
			require.False(t, b.reached(n(tt.max-1)))
			require.True(t, b.passed(n(tt.max+1)))
			require.False(t, b.passed(n(tt.max)))
		}
	}
}
