package buffer

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestTallyIsReadByAnybody(t *testing.T) {
	var n tally
	var reader sync.WaitGroup
	reader.Go(func() {
		for last := uint64(0); last < 10000; {
			now := n.load()
			if now < last {
				t.Errorf("%d after %d", now, last)
				return
			}
			last = now
		}
	})
	for range 10000 {
		n.add(1)
	}
	reader.Wait()
	require.EqualValues(t, 10000, n.load())
	n.set(3)
	require.EqualValues(t, 3, n.load())
}

func TestTallyIsAlignedForAtomicLoads(t *testing.T) {
	require.EqualValues(t, 8, unsafe.Alignof(tally{}))
	require.EqualValues(t, 8, unsafe.Sizeof(tally{}))
}
