package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashIsThatOfTheFlatBytes(t *testing.T) {
	leakCheck(t)
	for _, n := range []int{0, 1, 7, 8, 127, 128, 129, 500, 4096} {
		flat := digits(n)
		for _, cuts := range []int{1, 2, 3, 7} {
			c := NewComposite()
			for i := range cuts {
				c.Append(FromBytes(flat[n*i/cuts : n*(i+1)/cuts]))
			}
			require.Equal(t, Hash(flat), c.Hash(), "%d bytes in %d parts", n, cuts)
			c.Release()
		}
	}
}

func TestHashCoversOnlyWhatIsLeft(t *testing.T) {
	leakCheck(t)
	c := ropeOf("abc", "def")
	defer c.Release()
	c.Skip(4)
	require.Equal(t, Hash([]byte("ef")), c.Hash())
	require.NotEqual(t, Hash([]byte("abcdef")), c.Hash())
}
