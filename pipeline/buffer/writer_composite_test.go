package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriterAppendsARopeByReferenceAndLeavesItToItsOtherHolders(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	root := p.Get(2000)
	root.Append(digits(2000))
	rope := NewComposite()
	rope.AppendSlice(root.Slice(100, 1000)) // a window that is not the whole buffer
	rope.AppendSlice(root.Slice(0, 20))
	root.Release()
	want := rope.Bytes()
	window := rope.Part(0)

	var w Writer
	w.Reset(p, 0)
	w.AppendString("head")
	rope.Retain()
	w.AppendComposite(rope)
	require.Equal(t, 4+len(want), w.Len())
	require.True(t, rope.EqualBytes(want), "nothing of it is consumed")
	rope.Release()

	msg := w.Take().(*Composite)
	require.True(t, msg.EqualBytes(append([]byte("head"), want...)))
	require.Same(t, &window[0], &msg.Iovecs(nil)[1][0], "large parts are not copied")
	require.Equal(t, 3, msg.Parts())
	msg.Release()
	require.Zero(t, p.Live())
}

func TestWriterWithOnlyARopeOfOnePartGivesItsWindow(t *testing.T) {
	leakCheck(t)
	root := FromBytes(digits(2000))
	rope := NewComposite()
	rope.AppendSlice(root.Slice(500, 700))
	root.Release()
	var w Writer
	w.Reset(nil, 0)
	w.AppendComposite(rope)
	msg := w.Take().(*Buffer)
	require.Equal(t, digits(2000)[500:1200], msg.Bytes())
	msg.Release()
}
