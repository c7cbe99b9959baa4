//go:build !race && !bufdebug

package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHelloCostsNoAllocation(t *testing.T) {
	for _, row := range helloRows() {
		t.Run(row.name, func(t *testing.T) {
			op := row.open(t)
			run := func() {
				if !op.run() {
					t.Fatal("wrong answer")
				}
			}
			for range 50 {
				run()
			}
			require.Zero(t, testing.AllocsPerRun(500, run))
		})
	}
	t.Run("Pooled", func(t *testing.T) {
		op := helloRows()[0].open(t)
		require.Zero(t, testing.AllocsPerRun(500, func() { op.runPooled() }))
	})
}
