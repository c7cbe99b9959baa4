package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestContentHoldsItsDataUntilTheLastRelease(t *testing.T) {
	held := buffer.SharedStats().Live
	c := NewContent(sliceOf(1000))
	require.Equal(t, 1000, c.Len())
	require.Len(t, c.Bytes(), 1000)
	c.Retain()
	c.Release()
	require.Greater(t, buffer.SharedStats().Live, held)
	c.Release()
	require.Equal(t, held, buffer.SharedStats().Live)
	require.Panics(t, c.Release)
	require.Panics(t, c.Retain)
}
