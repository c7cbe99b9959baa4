package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPromisesOfAQueueThatNeverEmptiesTakeNoMoreRoom completes one promise for each that comes.
func TestPromisesOfAQueueThatNeverEmptiesTakeNoMoreRoom(t *testing.T) {
	o := outbound{}
	o.wait(waiting{end: 1})
	for range 100_000 {
		o.wait(waiting{end: 1})
		o.firstWait++
	}
	require.Less(t, cap(o.waiting), 64)
	require.Equal(t, 1, len(o.waiting)-o.firstWait)
}
