package buffer

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestIovecsAreThePiecesThemselves(t *testing.T) {
	leakCheck(t)
	c := ropeOf("ab", "", "cd", "e")
	defer c.Release()
	c.Skip(1)
	before := [][]byte{[]byte("head")}
	got := c.Iovecs(before)
	require.Equal(t, [][]byte{[]byte("head"), []byte("b"), []byte("cd"), []byte("e")}, got, "appended, none empty")
	require.Same(t, &c.Part(1)[0], &got[2][0])
	require.Equal(t, 4, c.Len(), "nothing was consumed")
}

func TestCopyToFillsAsFarAsItGoes(t *testing.T) {
	leakCheck(t)
	c := ropeOf("ab", "cd", "ef")
	defer c.Release()
	for n := range 10 {
		p := make([]byte, n)
		require.Equal(t, min(n, 6), c.CopyTo(p))
		require.Equal(t, "abcdef"[:min(n, 6)], string(p[:min(n, 6)]))
	}
	require.Equal(t, 6, c.Len())
}

func TestBytesAliasesOnePartAndCopiesSeveral(t *testing.T) {
	leakCheck(t)
	one, two := ropeOf("abc"), ropeOf("abc", "def")
	require.Same(t, &one.Part(0)[0], &one.Bytes()[0])
	_ = append(one.Bytes(), 'x')
	flat := two.Bytes()
	two.Release()
	require.Equal(t, "abcdef", string(flat), "a copy outlives the composite")
	one.Release()
}

func TestCompositeIsAReader(t *testing.T) {
	leakCheck(t)
	c := ropeOf(string(digits(300)), "x", string(digits(700)))
	defer c.Release()
	require.NoError(t, iotest.TestReader(c, c.Bytes()))
	n, err := c.Read(nil)
	require.Zero(t, n)
	require.NoError(t, err)
	_, err = c.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func TestCompositeWritesItselfOut(t *testing.T) {
	p := NewPool(PoolConfig{})
	c := NewComposite()
	for range 6 {
		b := p.Get(100)
		b.Append(digits(100))
		c.Append(b)
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, c)
	require.NoError(t, err)
	require.EqualValues(t, 600, n)
	require.Equal(t, bytes.Repeat(digits(100), 6), out.Bytes())
	require.Zero(t, c.Len())
	require.Zero(t, p.Live(), "parts go as they are written")
	c.Release()
}
