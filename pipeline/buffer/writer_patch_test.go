package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriterPatchesAtMessageOffsets(t *testing.T) {
	leakCheck(t)
	for _, tt := range patches {
		t.Run(tt.name, func(t *testing.T) {
			for at := range 20 - len(tt.want) + 1 {
				var w Writer
				w.Append(digits(20))
				tt.run(&w, at)
				want := string(digits(20)[:at]) + tt.want + string(digits(20)[at+len(tt.want):])
				require.Equal(t, want, flatten(t, w.Take()))
			}
		})
	}
}

func TestWriterPatchesALengthInFrontOfAReference(t *testing.T) {
	leakCheck(t)
	var w Writer
	w.Reset(nil, 64)
	w.AppendString("head")
	first := w.Mark()
	w.AppendUint32(0)
	begin := w.Len()
	w.AppendRef(FromBytes(digits(300)))
	w.AppendString("between")
	second := w.Mark()
	w.AppendUint16LE(0)
	w.AppendRef(FromBytes(digits(400)))
	w.AppendString("tail")
	w.PatchUint32(first, uint32(w.Len()-begin))
	w.PatchUint16LE(second, 400)
	w.PatchUint8(w.Len()-4, 'T')
	want := "head\x00\x00\x02\xc9" + string(digits(300)) + "between\x90\x01" + string(digits(400)) + "Tail"
	require.Equal(t, want, flatten(t, w.Take()))
}

func TestWriterPatchesBeforeTheSumAreAllowed(t *testing.T) {
	leakCheck(t)
	var w Writer
	w.Reset(nil, 0)
	w.AppendUint32(0) // the place of the sum itself
	w.TrackCRC32C()
	w.AppendString("payload")
	w.PatchUint32(0, w.CRC32C())
	sum := sumOf([]byte("payload"))
	require.Equal(t, string([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})+"payload", flatten(t, w.Take()))
}

func TestWriterRefusesPatchesThatWouldLie(t *testing.T) {
	leakCheck(t)
	var w Writer
	w.Reset(nil, 0)
	w.AppendString("abcd")
	w.View().Release()
	w.AppendString("efgh")
	w.AppendRef(FromBytes(digits(300)))
	w.AppendString("ijkl")
	w.TrackCRC32C()
	w.AppendString("mnop")
	tests := []struct {
		name, want string
		at         int
	}{
		{"before the message", "patch of 2 bytes at -1", -1},
		{"behind the message", "patch of 2 bytes at 316, have 316", 316},
		{"over the end", "patch of 2 bytes at 315, have 316", 315},
		{"in a view", "patch of bytes that a view shows", 0},
		{"partly in a view", "patch of bytes that a view shows", 3},
		{"in a reference", "patch of a reference", 100},
		{"into a reference", "patch of a reference", 7},
		{"out of a reference", "patch of a reference", 307},
		{"in the sum", "patch of bytes that are in the sum", 312},
		{"partly in the sum", "patch of bytes that are in the sum", 311},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, panicText(t, func() { w.PatchUint16(tt.at, 0) }), tt.want)
		})
	}
	w.PatchUint16(4, 'X'<<8|'Y')
	w.PatchUint16(308, 'Z'<<8|'Z')
	require.Equal(t, "abcdXYgh"+string(digits(300))+"ZZklmnop", flatten(t, w.Take()))
}

func TestWriterPatchesInEveryBufferOfTheMessage(t *testing.T) {
	leakCheck(t)
	var w Writer
	w.Reset(nil, 64)
	var want []byte
	for range 4 {
		w.Append(digits(60))
		w.AppendRef(FromBytes(digits(300)))
		want = append(append(want, digits(60)...), digits(300)...)
	}
	for i := range 4 {
		w.PatchUint16(i*360, 'A'<<8|'B')
		w.PatchUint16(i*360+58, 'Y'<<8|'Z')
		copy(want[i*360:], "AB")
		copy(want[i*360+58:], "YZ")
	}
	require.Equal(t, string(want), flatten(t, w.Take()))
}
