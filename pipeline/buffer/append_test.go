package buffer

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// appender is what a Buffer and a Writer both do.
type appender interface {
	Append(p []byte)
	AppendString(s string)
	AppendByte(c byte)
	AppendUint16(v uint16)
	AppendUint24(v uint32)
	AppendUint32(v uint32)
	AppendUint64(v uint64)
	AppendUint16LE(v uint16)
	AppendUint24LE(v uint32)
	AppendUint32LE(v uint32)
	AppendUint64LE(v uint64)
	AppendFloat32(v float32)
	AppendFloat64(v float64)
	AppendFloat32LE(v float32)
	AppendFloat64LE(v float64)
	AppendUvarint(v uint64)
	AppendVarint(v int64)
	Reserve(n int) []byte
	Commit(n int)
	Write(p []byte) (int, error)
}

// appends are all of them with the bytes that they leave.
var appends = []struct {
	name string
	run  func(a appender)
	want string
}{
	{"Append", func(a appender) { a.Append([]byte("ab")) }, "ab"},
	{"Append nothing", func(a appender) { a.Append(nil) }, ""},
	{"AppendString", func(a appender) { a.AppendString("ab") }, "ab"},
	{"AppendByte", func(a appender) { a.AppendByte(0xfe) }, "\xfe"},
	{"AppendUint16", func(a appender) { a.AppendUint16(0x8102) }, "\x81\x02"},
	{"AppendUint24", func(a appender) { a.AppendUint24(0xff810203) }, "\x81\x02\x03"},
	{"AppendUint32", func(a appender) { a.AppendUint32(0x81020304) }, "\x81\x02\x03\x04"},
	{"AppendUint64", func(a appender) { a.AppendUint64(0x8102030405060708) }, "\x81\x02\x03\x04\x05\x06\x07\x08"},
	{"AppendUint16LE", func(a appender) { a.AppendUint16LE(0x8102) }, "\x02\x81"},
	{"AppendUint24LE", func(a appender) { a.AppendUint24LE(0xff810203) }, "\x03\x02\x81"},
	{"AppendUint32LE", func(a appender) { a.AppendUint32LE(0x81020304) }, "\x04\x03\x02\x81"},
	{"AppendUint64LE", func(a appender) { a.AppendUint64LE(0x8102030405060708) }, "\x08\x07\x06\x05\x04\x03\x02\x81"},
	{"AppendFloat32", func(a appender) { a.AppendFloat32(-2) }, "\xc0\x00\x00\x00"},
	{"AppendFloat32LE", func(a appender) { a.AppendFloat32LE(-2) }, "\x00\x00\x00\xc0"},
	{"AppendFloat64", func(a appender) { a.AppendFloat64(-2) }, "\xc0\x00\x00\x00\x00\x00\x00\x00"},
	{"AppendFloat64LE", func(a appender) { a.AppendFloat64LE(-2) }, "\x00\x00\x00\x00\x00\x00\x00\xc0"},
	{"AppendUvarint", func(a appender) { a.AppendUvarint(300) }, "\xac\x02"},
	{"AppendVarint", func(a appender) { a.AppendVarint(-65) }, "\x81\x01"},
	{"Reserve and Commit", func(a appender) { copy(a.Reserve(8), "abcdefgh"); a.Commit(3) }, "abc"},
	{"Reserve only", func(a appender) { copy(a.Reserve(8), "abcdefgh") }, ""},
	{"Write", func(a appender) { fmt.Fprintf(a, "%d", 42) }, "42"},
}

func TestBufferAppendsEveryKind(t *testing.T) {
	leakCheck(t)
	for _, tt := range appends {
		t.Run(tt.name, func(t *testing.T) {
			b := FromString("before ")
			defer b.Release()
			tt.run(b)
			require.Equal(t, "before "+tt.want, string(b.Bytes()))
		})
	}
}

func TestBufferAppendsEveryKindAcrossGrowth(t *testing.T) {
	leakCheck(t)
	for _, tt := range appends {
		t.Run(tt.name, func(t *testing.T) {
			b := Get(64)
			defer b.Release()
			var want []byte
			for range 60 { // the end of the array falls into every place of a value
				tt.run(b)
				b.AppendByte('|')
				want = append(append(want, tt.want...), '|')
			}
			require.Equal(t, want, b.Bytes())
		})
	}
}

func TestBufferGrowsByAtLeastHalf(t *testing.T) {
	leakCheck(t)
	b := Get(64)
	defer b.Release()
	moves, size := 0, b.Cap()
	for range 1 << 20 {
		b.AppendByte('x')
		if b.Cap() != size {
			require.GreaterOrEqual(t, b.Cap(), size+size/2)
			size = b.Cap()
			moves++
		}
	}
	require.Equal(t, bytes.Repeat([]byte("x"), 1<<20), b.Bytes())
	require.Less(t, moves, 20)
}
