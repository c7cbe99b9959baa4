//go:build !race && !bufdebug

package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsingParamsAgainCostsNoAllocation(t *testing.T) {
	var p Params
	for name, raw := range map[string]string{
		"views":   "a=b&cd=ef&g",
		"escapes": "a=b%20c&d+e=%41&f=g",
	} {
		t.Run(name, func(t *testing.T) {
			octets := []byte(raw)
			parse := func() {
				if ParseQuery(&p, octets, ParamLimits{}) != nil || p.Get("a") == nil {
					t.Fatal("not parsed")
				}
			}
			parse()
			require.Zero(t, testing.AllocsPerRun(100, parse))
		})
	}
}
