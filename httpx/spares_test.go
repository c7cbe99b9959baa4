package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
)

func TestSparesAreBoundedAndOfOneLoop(t *testing.T) {
	a, b := pipeline.NewLoop(pipeline.LoopConfig{}), pipeline.NewLoop(pipeline.LoopConfig{})
	s := sparesOf(a)
	require.Same(t, s, sparesOf(a))
	require.NotSame(t, s, sparesOf(b))
	first := s.get()
	s.put(first)
	require.Same(t, first, s.get())
	for range 2 * mostSpares {
		s.put(new(Exchange))
	}
	require.Len(t, s.list, mostSpares)
}
