//go:build bufdebug

package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStringsKeptTooLongAreSeenInDebugBuilds(t *testing.T) {
	for name, wire := range textFrames {
		if name == "nothing" {
			continue
		}
		f := decodeFrame(t, wire, false)
		kept := f.Headers[0].Value
		f.Release()
		require.Equal(t, strings.Repeat("\xDB", len(kept)), kept, name)
	}
}
