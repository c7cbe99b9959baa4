//go:build load && !race

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadProgramStoresAGibibyteInLittleMemory(t *testing.T) {
	p := start(t)
	p.upload(t, 1<<30)
	peak, ok := p.peakBytes()
	require.True(t, ok)
	t.Logf("peak memory %.1f MiB", float64(peak)/(1<<20))
	require.Less(t, peak, int64(maxPeak))
	p.stop(t)
}
