package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScanFindsSpecialOctetsWhereverTheyStand(t *testing.T) {
	for n := range 40 {
		for at := range n {
			for c := range 256 {
				b := []byte(strings.Repeat("\xffa ~\x80\x10;[", n)[:n])
				b[at] = byte(c)
				if special(string(b)) != (c < 0x10 || c == '\\' || c == ':') {
					require.Failf(t, "wrong", "%q", b)
				}
			}
		}
	}
}
