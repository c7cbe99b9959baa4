package broker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestTextKeepsStringsWhereTheyAre(t *testing.T) {
	var x text
	var got, want []string
	for n := range 200 {
		s := strings.Repeat(string(rune('a'+n%26)), n)
		source := []byte(s)
		got, want = append(got, x.keep(string(source))), append(want, s)
	}
	require.Equal(t, want, got)
	require.Empty(t, x.keep(""))
}

func TestTextIsUsedAgainUnlessItIsLarge(t *testing.T) {
	var x text
	x.keep("small")
	x.reset()
	require.Empty(t, x.piece)
	require.Equal(t, !buffer.Debug, cap(x.piece) == minText)
	x.keep(strings.Repeat("x", maxText+1))
	x.reset()
	require.Zero(t, cap(x.piece), "nobody's headers stay that large for ever")
}
