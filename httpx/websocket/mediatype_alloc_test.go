//go:build !race && !bufdebug

package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMessageOfAllocatesNothing(t *testing.T) {
	octets := buffer.FromString("MESSAGE\n\nhello\x00")
	defer octets.Release()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		octets.Retain()
		m, err := MessageOf("Text/Plain; charset=utf-8", octets)
		if err != nil || m.Type != TypeText {
			t.Fatal("no text message")
		}
		m.Release()
	}))
}
