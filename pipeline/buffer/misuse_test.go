package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMisusePanicsSayWhatHappened(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(10))
	defer b.Release()
	c := ropeOf("abc")
	defer c.Release()
	tests := []struct {
		name string
		run  func()
		want string
	}{
		{"reading", func() { b.Next(11) }, "buffer: read past the readable bytes"},
		{"committing", func() { b.Commit(100) }, "buffer: Commit of 100 bytes, have 54"},
		{"patching", func() { b.PatchUint16(9, 1) }, "buffer: patch of 2 bytes at 9, have 10"},
		{"slicing", func() { b.Slice(5, 6) }, "buffer: Slice of 6 bytes at 5, have 10"},
		{"growing", func() { b.Grow(-3) }, "buffer: Grow of -3 bytes"},
		{"peeking in a rope", func() { c.Peek(4) }, "buffer: Peek of 4 bytes, have 3"},
		{"indexing in a rope", func() { c.At(3) }, "buffer: At of 1 bytes at 3, have 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, panicText(t, tt.run), tt.want)
		})
	}
}

func TestMisusePanicsNeverShowThePayload(t *testing.T) {
	leakCheck(t)
	b := FromString("secret")
	b.Retain()
	for _, run := range []func(){b.Reset, func() { b.Next(7) }, func() { b.Grow(100) }, func() { b.PatchUint8(6, 0) }} {
		require.NotContains(t, panicText(t, run), "secret")
	}
	b.Release()
	b.Release()
	require.NotContains(t, panicText(t, b.Release), "secret")
}
