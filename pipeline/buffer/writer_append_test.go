package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// flatten returns a message's bytes and releases it.
func flatten(t *testing.T, msg any) string {
	t.Helper()
	defer Release(msg)
	switch m := msg.(type) {
	case *Buffer:
		return string(m.Bytes())
	case *Composite:
		return string(m.Bytes())
	}
	require.Fail(t, "a message of no known kind", "%T", msg)
	return ""
}

func TestWriterAppendsEveryKind(t *testing.T) {
	leakCheck(t)
	for _, tt := range appends {
		t.Run(tt.name, func(t *testing.T) {
			var w Writer
			w.Reset(nil, 0)
			w.AppendString("before ")
			tt.run(&w)
			require.Equal(t, len("before ")+len(tt.want), w.Len())
			require.Equal(t, "before "+tt.want, flatten(t, w.Take()))
		})
	}
}

func TestWriterAppendsEveryKindFirst(t *testing.T) {
	leakCheck(t)
	for _, tt := range appends {
		t.Run(tt.name, func(t *testing.T) {
			var w Writer
			tt.run(&w)
			require.Equal(t, tt.want, flatten(t, w.Take()))
		})
	}
}

func TestWriterAppendsEveryKindAcrossBuffers(t *testing.T) {
	leakCheck(t)
	for _, tt := range appends {
		for _, mode := range []string{"growing", "parts in use", "viewed"} {
			t.Run(tt.name+" "+mode, func(t *testing.T) {
				var w Writer
				w.Reset(nil, 64)
				w.TrackCRC32C()
				want := ""
				if mode == "parts in use" {
					w.AppendString("head")
					w.AppendRef(FromBytes(digits(300)))
					want = "head" + string(digits(300))
				}
				for range 60 {
					tt.run(&w)
					w.AppendByte('|')
					want += tt.want + "|"
					if mode == "viewed" {
						v := w.View()
						defer v.Release()
					}
				}
				require.Equal(t, len(want), w.Len())
				require.Equal(t, sumOf([]byte(want)), w.CRC32C())
				require.Equal(t, want, flatten(t, w.Take()))
			})
		}
	}
}

func TestWriterCommitsNoMoreThanThereIsRoom(t *testing.T) {
	leakCheck(t)
	var w Writer
	w.Reset(nil, 64)
	w.Reserve(64)
	require.Contains(t, panicText(t, func() { w.Commit(65) }), "Commit of 65 bytes, have 64")
	require.Contains(t, panicText(t, func() { w.Commit(-1) }), "Commit of -1 bytes")
	require.Contains(t, panicText(t, func() { w.Reserve(-1) }), "of -1 bytes")
	w.Commit(64)
	require.Equal(t, 64, w.Len())
	w.Discard()
}
