//go:build linux && !race && !bufdebug

package stomp

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// resident returns how many octets of memory the process has.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// The octets are dropped as they come, and hold nothing.
func TestAGigabyteOfHeadersCostsNoMemory(t *testing.T) {
	for _, limits := range []Limits{{}, {Headers: 1 << 30}} {
		d := &Decoder{State: &State{Version: Version12}, Limits: limits}
		flood(t, d, "SEND\n", "a:b\n", 1<<20) // what every decoder needs once
		d.Reset()
		debug.FreeOSMemory()
		var before, after runtime.MemStats
		process := resident(t)
		runtime.ReadMemStats(&before)
		errs, most := flood(t, d, "SEND\n", "a:b\n", 1<<30)
		runtime.ReadMemStats(&after)
		require.Less(t, resident(t)-process, 1<<20)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
		require.Len(t, errs, 1, "the first error is the last")
		require.Contains(t, []Reason{ErrTooManyHeaders, ErrHeadTooLarge}, reasonOf(errs[0]))
		require.Less(t, most, 64<<10)
	}
}
