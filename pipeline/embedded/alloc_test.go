//go:build !race

package embedded_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestSteadyEchoAllocatesNothing(t *testing.T) {
	if buffer.Debug {
		return // a checked buffer is a new one each time
	}
	ch := open(t, embedded.Config{}, echo())
	p := make([]byte, 64)
	s := string(p)
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() {
		_ = ch.Feed(p)
		ch.DiscardWire()
		_ = ch.FeedString(s)
		ch.DiscardWire()
	}), 0.0)
}

func BenchmarkEcho64(b *testing.B) {
	ch, err := embedded.New(embedded.Config{}, echo())
	require.NoError(b, err)
	p := make([]byte, 64)
	b.ReportAllocs()
	for b.Loop() {
		_ = ch.Feed(p)
		ch.DiscardWire()
	}
	_, err = ch.Finish()
	require.NoError(b, err)
}

func TestTakenOutboundBytesUseTheirRoomAgain(t *testing.T) {
	if buffer.Debug {
		return // a checked buffer is a new one each time
	}
	ch := open(t, embedded.Config{}, echo())
	p := make([]byte, 64)
	take := func() {
		_ = ch.Feed(p)
		b, _ := ch.ReadOutbound().(*buffer.Buffer)
		b.Release()
	}
	take()
	before := memory()
	for range 1000 {
		take()
	}
	require.Less(t, memory()-before, uint64(16<<10))
}

// memory is how many bytes were ever allocated.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
