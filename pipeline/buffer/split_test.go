package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitSharesThePartThatIsCut(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(10)
	b.AppendString("abcdef")
	c := NewComposite()
	c.Append(b)
	front := c.Split(2)
	require.EqualValues(t, 2, b.loadRefs())
	require.Same(t, &b.data[0], &front.Part(0)[0])
	require.Same(t, &b.data[2], &c.Part(0)[0])
	c.Release()
	require.Equal(t, "ab", string(front.Bytes()))
	require.Equal(t, 1, p.Live())
	front.Release()
	require.Zero(t, p.Live())
}

func TestSplitHalvesAreIndependent(t *testing.T) {
	leakCheck(t)
	c := ropeOf("abc", "def", "ghi")
	front := c.Split(5)
	front.Skip(4)
	c.Append(FromString("!"))
	front.Append(FromString("?"))
	require.Equal(t, "e?", string(front.Bytes()))
	require.Equal(t, "fghi!", string(c.Bytes()))
	front.Release()
	c.Release()
}

func TestViewReadsOnItsOwn(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(10)
	b.AppendString("abc")
	c := NewComposite()
	c.Append(b)
	v := c.View()
	c.Append(FromString("def"))
	v.Skip(1)
	require.Equal(t, "bc", string(v.Bytes()))
	require.Equal(t, "abcdef", string(c.Bytes()))
	c.Release()
	require.Equal(t, "bc", string(v.Bytes()), "it holds references of its own")
	require.Equal(t, 1, p.Live())
	v.Release()
	require.Zero(t, p.Live())
}

func TestViewBeginsAtTheReadPosition(t *testing.T) {
	leakCheck(t)
	c := ropeOf("abc", "def")
	c.Skip(4)
	v := c.View()
	c.Skip(2)
	require.Equal(t, "ef", string(v.Bytes()))
	v.Release()
	c.Release()
}

func TestMoveToHandsOutReferencesAndWindows(t *testing.T) {
	p := NewPool(PoolConfig{})
	c := NewComposite()
	for _, s := range []string{"abc", "def", "ghi"} {
		b := p.Get(3)
		b.AppendString(s)
		c.Append(b)
	}
	c.Skip(4)
	var got string
	var held []*Buffer
	c.MoveTo(func(b *Buffer, window []byte) {
		got += string(window) + "|"
		held = append(held, b)
	})
	require.Equal(t, "ef|ghi|", got)
	require.Zero(t, c.Len())
	require.Zero(t, c.Parts())
	c.Append(FromString("again"))
	require.Equal(t, "again", string(c.Bytes()))
	c.Release()
	require.Equal(t, 2, p.Live())
	for _, b := range held {
		p.Put(b)
	}
	require.Zero(t, p.Live())
}

func TestMoveToThatPanicsLeavesTheRest(t *testing.T) {
	leakCheck(t)
	c := ropeOf("ab", "cd", "ef")
	require.Panics(t, func() {
		c.MoveTo(func(b *Buffer, window []byte) {
			second := string(window) == "cd"
			b.Release()
			if second {
				panic("receiver failed")
			}
		})
	})
	require.Equal(t, "ef", string(c.Bytes()))
	require.Equal(t, 2, c.Len())
	c.Release()
}
