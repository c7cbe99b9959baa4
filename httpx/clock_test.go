package httpx

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestClockIsReadOnceASecondAndOnlyByNeed(t *testing.T) {
	ch := pipelinetest.New(t)
	ch.AdvanceTime(400 * time.Millisecond)
	c := useClock(ch.Loop())
	require.Zero(t, ch.PendingTimers())
	require.Equal(t, "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n", string(c.dateLine()))
	require.Equal(t, 1, ch.PendingTimers())
	ch.AdvanceTime(599 * time.Millisecond)
	require.Equal(t, time.Duration(0), c.coarse())
	ch.AdvanceTime(time.Millisecond)
	require.Zero(t, ch.PendingTimers(), "nobody asks")
	ch.AdvanceTime(2500 * time.Millisecond)
	require.Equal(t, 3100*time.Millisecond, c.coarse())
	require.Equal(t, "Date: Thu, 01 Jan 2026 00:00:03 GMT\r\n", string(c.dateLine()))
	ch.AdvanceTime(500 * time.Millisecond)
	require.Equal(t, "Date: Thu, 01 Jan 2026 00:00:04 GMT\r\n", string(c.dateLine()))
	c.leave()
	require.Zero(t, ch.PendingTimers())
}

func TestClockIsSharedByTheConnectionsOfALoop(t *testing.T) {
	ch := pipelinetest.New(t)
	a, b := useClock(ch.Loop()), useClock(ch.Loop())
	require.Same(t, a, b)
	a.coarse()
	a.leave()
	require.Equal(t, 1, ch.PendingTimers())
	b.leave()
	require.Zero(t, ch.PendingTimers())
	c := useClock(ch.Loop())
	ch.AdvanceTime(time.Hour)
	require.Equal(t, time.Hour, c.coarse(), "what was read before is not used")
	c.leave()
}

func BenchmarkDateLine(b *testing.B) {
	ch := pipelinetest.New(b)
	s := stamp{clock: useClock(ch.Loop())}
	s.named("penstock")
	defer s.clock.leave()
	dst := make([]byte, 0, 128)
	b.ReportAllocs()
	for b.Loop() {
		dst = s.append(dst[:0], 0)
	}
}
