//go:build !race

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const maxPeak = 32 << 20

// peakBytes is the most memory that the process ever had, and whether the system tells.
func (p *program) peakBytes() (int64, bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

func TestProgramStoresUploadsInLittleMemory(t *testing.T) {
	p := start(t)
	p.upload(t, 64<<20)
	if peak, ok := p.peakBytes(); ok {
		require.Less(t, peak, int64(maxPeak))
	}
	p.stop(t)
}
