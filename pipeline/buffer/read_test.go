package buffer

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// fixedReads are the reads of one, two, three, four and eight bytes on the bytes 0x81, 0x02, 0x03 … 0x08.
var fixedReads = []struct {
	name      string
	bytes     int
	buffer    func(b *Buffer) uint64
	composite func(c *Composite) uint64 // nil: a Composite has none
	want      uint64
}{
	{
		"Uint8", 1, func(b *Buffer) uint64 { return uint64(b.ReadUint8()) },
		func(c *Composite) uint64 { return uint64(c.ReadUint8()) }, 0x81,
	},
	{
		"Uint16", 2, func(b *Buffer) uint64 { return uint64(b.ReadUint16()) },
		func(c *Composite) uint64 { return uint64(c.ReadUint16()) }, 0x8102,
	},
	{
		"Uint16LE", 2, func(b *Buffer) uint64 { return uint64(b.ReadUint16LE()) },
		func(c *Composite) uint64 { return uint64(c.ReadUint16LE()) }, 0x0281,
	},
	{
		"Uint24", 3, func(b *Buffer) uint64 { return uint64(b.ReadUint24()) },
		func(c *Composite) uint64 { return uint64(c.ReadUint24()) }, 0x810203,
	},
	{
		"Uint24LE", 3, func(b *Buffer) uint64 { return uint64(b.ReadUint24LE()) },
		func(c *Composite) uint64 { return uint64(c.ReadUint24LE()) }, 0x030281,
	},
	{
		"Uint32", 4, func(b *Buffer) uint64 { return uint64(b.ReadUint32()) },
		func(c *Composite) uint64 { return uint64(c.ReadUint32()) }, 0x81020304,
	},
	{
		"Uint32LE", 4, func(b *Buffer) uint64 { return uint64(b.ReadUint32LE()) },
		func(c *Composite) uint64 { return uint64(c.ReadUint32LE()) }, 0x04030281,
	},
	{"Uint64", 8, (*Buffer).ReadUint64, (*Composite).ReadUint64, 0x8102030405060708},
	{"Uint64LE", 8, (*Buffer).ReadUint64LE, (*Composite).ReadUint64LE, 0x0807060504030281},
	{"Float32", 4, func(b *Buffer) uint64 { return uint64(math.Float32bits(b.ReadFloat32())) }, nil, 0x81020304},
	{"Float32LE", 4, func(b *Buffer) uint64 { return uint64(math.Float32bits(b.ReadFloat32LE())) }, nil, 0x04030281},
	{"Float64", 8, func(b *Buffer) uint64 { return math.Float64bits(b.ReadFloat64()) }, nil, 0x8102030405060708},
	{"Float64LE", 8, func(b *Buffer) uint64 { return math.Float64bits(b.ReadFloat64LE()) }, nil, 0x0807060504030281},
}

var eightBytes = []byte{0x81, 2, 3, 4, 5, 6, 7, 8}

func TestBufferReadsFixedWidthNumbers(t *testing.T) {
	leakCheck(t)
	for _, tt := range fixedReads {
		t.Run(tt.name, func(t *testing.T) {
			b := FromBytes(eightBytes)
			defer b.Release()
			require.Equal(t, tt.want, tt.buffer(b))
			require.Equal(t, eightBytes[tt.bytes:], b.Bytes())
		})
	}
}

func TestBufferRefusesShortFixedWidthNumbers(t *testing.T) {
	leakCheck(t)
	for _, tt := range fixedReads {
		t.Run(tt.name, func(t *testing.T) {
			b := FromBytes(eightBytes[:tt.bytes-1])
			defer b.Release()
			require.Contains(t, panicText(t, func() { tt.buffer(b) }), pastEnd)
			require.Equal(t, tt.bytes-1, b.Len())
		})
	}
}

func TestBufferIsAReader(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	defer b.Release()
	require.NoError(t, iotest.TestReader(b, digits(1000)))
	n, err := b.Read(nil)
	require.Zero(t, n)
	require.NoError(t, err, "an empty destination is no end of file")
	_, err = b.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func TestBufferWritesItselfOut(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	defer b.Release()
	b.Skip(10)
	var out bytes.Buffer
	n, err := b.WriteTo(&out)
	require.NoError(t, err)
	require.EqualValues(t, 990, n)
	require.Equal(t, digits(1000)[10:], out.Bytes())
	require.Zero(t, b.Len())
	n, err = b.WriteTo(&out)
	require.NoError(t, err)
	require.Zero(t, n)
}

// partialWriter takes limit bytes in all and then answers err.
type partialWriter struct {
	bytes.Buffer
	limit int
	err   error
}

func (w *partialWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.limit-w.Len())
	w.Buffer.Write(p[:n])
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

func TestWriteToKeepsWhatTheWriterRefused(t *testing.T) {
	leakCheck(t)
	broken := errors.New("broken")
	tests := []struct {
		name      string
		err, want error
	}{
		{"with its error", broken, broken},
		{"with none", nil, io.ErrShortWrite},
	}
	for _, tt := range tests {
		t.Run("buffer "+tt.name, func(t *testing.T) {
			b := FromString("abcdef")
			defer b.Release()
			n, err := b.WriteTo(&partialWriter{limit: 2, err: tt.err})
			require.EqualValues(t, 2, n)
			require.ErrorIs(t, err, tt.want)
			require.Equal(t, "cdef", string(b.Bytes()))
		})
		t.Run("composite "+tt.name, func(t *testing.T) {
			c := ropeOf("ab", "cd", "ef")
			defer c.Release()
			n, err := c.WriteTo(&partialWriter{limit: 3, err: tt.err})
			require.EqualValues(t, 3, n)
			require.ErrorIs(t, err, tt.want)
			require.Equal(t, "def", string(c.Bytes()))
			require.Equal(t, 2, c.Parts())
		})
	}
}
