//go:build !race && !bufdebug

package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoosingAnEncodingCostsNoAllocation(t *testing.T) {
	r := decodeHead(t, browserRequest)
	defer r.Release()
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		coding, _ := PreferEncoding(&r.Header, "zstd", "gzip")
		n += len(coding)
	}))
	require.NotZero(t, n)
}
