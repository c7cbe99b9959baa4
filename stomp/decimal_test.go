package stomp

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecimalsAreThoseOfStrconv(t *testing.T) {
	numbers := []uint64{0, 1, math.MaxInt64, math.MaxUint64}
	for n := uint64(10); ; n *= 10 {
		numbers = append(numbers, n-1, n, n+1)
		if n == 1e19 {
			break
		}
	}
	for i := range 64 {
		numbers = append(numbers, 1<<i-1, 1<<i)
	}
	dst := make([]byte, 30)
	for _, n := range numbers {
		want := strconv.FormatUint(n, 10)
		require.Equal(t, len(want), decimals(n), want)
		require.Equal(t, len(want)+3, putDecimal(dst, 3, n))
		require.Equal(t, want, string(dst[3:3+len(want)]))
	}
}
