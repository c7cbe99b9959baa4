//go:build !bufdebug

package buffer

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestOrdinaryBuildCarriesNoDebugState(t *testing.T) {
	require.False(t, Debug)
	require.Zero(t, unsafe.Sizeof(debugState{}))
	require.Zero(t, unsafe.Sizeof(affinity{}))
	require.Equal(t, 3*unsafe.Sizeof(uintptr(0)), unsafe.Sizeof(Slice{}), "root, offset, length")
	require.LessOrEqual(t, unsafe.Sizeof(Buffer{}), uintptr(96))
}

func TestOrdinaryBuildDoesNotWatchTheLoop(t *testing.T) {
	p := NewPool(PoolConfig{})
	p.Bind()
	var other sync.WaitGroup
	other.Go(func() { p.Put(p.Get(10)) }) // one goroutine at a time is enough
	other.Wait()
	require.Zero(t, p.Live())
}
