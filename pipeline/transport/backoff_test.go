package transport

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBackoffGrowsAndLogsOnceASecond(t *testing.T) {
	var out lockedBuffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	now := time.Unix(1000, 0)
	var b backoff
	fail := func() time.Duration { return b.failed(now, log, "here", errors.New("too many")) }
	for _, want := range []time.Duration{10, 20, 40, 50, 50} {
		require.Equal(t, want*time.Millisecond, fail())
	}
	require.Equal(t, 1, out.count("\n"))
	now = now.Add(time.Second)
	require.Equal(t, 50*time.Millisecond, fail())
	require.Equal(t, 2, out.count("\n"))
	require.True(t, out.contains("unlogged=4"))
	b.worked()
	require.Equal(t, 10*time.Millisecond, fail(), "it begins anew")
	require.Equal(t, 2, out.count("\n"), "but does not log more often for that")
}
