package buffer

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCore47CapacityFitsRequests(t *testing.T) {
	p := NewPool(PoolConfig{})
	for n := 1; n <= 70000; n++ {
		size := classSize(classOf(n))
		if size < n {
			t.Fatalf("request %d: class of %d bytes", n, size)
		}
		if n > 512 && size >= 2*n {
			t.Fatalf("request %d: class of %d bytes wastes half", n, size)
		}
		if n%997 == 0 { // the buffers themselves are as large as their class says
			b := p.Get(n)
			require.Equal(t, size, b.Cap())
			p.Put(b)
		}
	}
	require.Zero(t, p.Live())
}

func TestCore47TwoMebibytesAreNotPooled(t *testing.T) {
	p := NewPool(PoolConfig{})
	for range 2 {
		b := p.Get(2 << 20)
		require.Equal(t, 2<<20, b.Cap())
		require.Equal(t, 1, p.Live())
		p.Put(b)
	}
	s := p.Stats()
	require.Zero(t, s.Live)
	require.Zero(t, s.HeldBytes)
	require.EqualValues(t, 2, s.Unpooled)
	require.EqualValues(t, 2, s.Misses)
}

func TestClassesRiseByDoublingWithAHeaderStep(t *testing.T) {
	want := []int{
		64, 128, 256, 512, 576, 1024, 1152, 2048, 2304, 4096, 4608, 8192, 9216, 16384, 18432, 32768, 36864,
		65536, 73728, 131072, 147456, 262144, 294912, 524288, 589824, 1048576,
	}
	require.Len(t, want, classCount)
	for c, size := range want {
		require.Equal(t, size, classSize(c), "class %d", c)
	}
}

func TestClassOfTakesTheSmallestThatFits(t *testing.T) {
	require.Equal(t, 0, classOf(0))
	require.Equal(t, 0, classOf(1))
	for c := range classCount {
		size := classSize(c)
		require.Equal(t, c, classOf(size), "exactly %d", size)
		if c+1 < classCount {
			require.Equal(t, c+1, classOf(size+1), "one more than %d", size)
		}
	}
	require.Equal(t, unpooled, classOf(maxPooled+1))
}

func TestNetworkMessagesTakeTheStepAboveTheirPowerOfTwo(t *testing.T) {
	for _, payload := range []int{512, 1024, 4096, 16384, 65536} {
		for _, header := range []int{1, 9, 36, payload / 8} {
			t.Run(fmt.Sprintf("%d+%d", payload, header), func(t *testing.T) {
				require.Equal(t, payload+payload/8, classSize(classOf(payload+header)))
			})
		}
	}
}
