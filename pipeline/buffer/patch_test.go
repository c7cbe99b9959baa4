package buffer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// patcher is what a Buffer and a Writer both do.
type patcher interface {
	PatchUint8(at int, v uint8)
	PatchUint16(at int, v uint16)
	PatchUint24(at int, v uint32)
	PatchUint32(at int, v uint32)
	PatchUint64(at int, v uint64)
	PatchUint16LE(at int, v uint16)
	PatchUint24LE(at int, v uint32)
	PatchUint32LE(at int, v uint32)
	PatchUint64LE(at int, v uint64)
}

// patches are all of them with the bytes that they put at the offset.
var patches = []struct {
	name string
	run  func(p patcher, at int)
	want string
}{
	{"Uint8", func(p patcher, at int) { p.PatchUint8(at, 0x81) }, "\x81"},
	{"Uint16", func(p patcher, at int) { p.PatchUint16(at, 0x8102) }, "\x81\x02"},
	{"Uint24", func(p patcher, at int) { p.PatchUint24(at, 0xff810203) }, "\x81\x02\x03"},
	{"Uint32", func(p patcher, at int) { p.PatchUint32(at, 0x81020304) }, "\x81\x02\x03\x04"},
	{"Uint64", func(p patcher, at int) { p.PatchUint64(at, 0x8102030405060708) }, "\x81\x02\x03\x04\x05\x06\x07\x08"},
	{"Uint16LE", func(p patcher, at int) { p.PatchUint16LE(at, 0x8102) }, "\x02\x81"},
	{"Uint24LE", func(p patcher, at int) { p.PatchUint24LE(at, 0xff810203) }, "\x03\x02\x81"},
	{"Uint32LE", func(p patcher, at int) { p.PatchUint32LE(at, 0x81020304) }, "\x04\x03\x02\x81"},
	{"Uint64LE", func(p patcher, at int) { p.PatchUint64LE(at, 0x8102030405060708) }, "\x08\x07\x06\x05\x04\x03\x02\x81"},
}

func TestBufferPatchesRelativeToTheWindow(t *testing.T) {
	leakCheck(t)
	for _, tt := range patches {
		t.Run(tt.name, func(t *testing.T) {
			for at := range 20 - len(tt.want) + 1 {
				b := FromBytes(append([]byte("gone"), digits(20)...))
				b.Skip(4)
				tt.run(b, at)
				want := string(digits(20)[:at]) + tt.want + string(digits(20)[at+len(tt.want):])
				require.Equal(t, want, string(b.Bytes()))
				b.Release()
			}
		})
	}
}

func TestBufferPatchesBytes(t *testing.T) {
	leakCheck(t)
	b := FromString("hello world")
	defer b.Release()
	b.PatchBytes(6, []byte("there"))
	b.PatchBytes(0, []byte("J"))
	b.PatchBytes(11, nil)
	require.Equal(t, "Jello there", string(b.Bytes()))
}

func TestBufferRefusesPatchesOutsideTheWindow(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(20))
	defer b.Release()
	for _, tt := range patches {
		t.Run(tt.name, func(t *testing.T) {
			for _, at := range []int{-1, 21 - len(tt.want), 64, math.MaxInt} {
				require.Contains(t, panicText(t, func() { tt.run(b, at) }), "patch of")
			}
			require.Equal(t, digits(20), b.Bytes())
		})
	}
	require.Contains(t, panicText(t, func() { b.PatchBytes(19, []byte("ab")) }), "patch of 2 bytes at 19, have 20")
}
