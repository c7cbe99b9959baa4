package pipeline_test

import (
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestValuesOfALoopAreSharedByItsChannels(t *testing.T) {
	words, other := pipeline.NewLoopKey[*[]string]("words"), pipeline.NewLoopKey[*[]string]("words")
	a, b := newChannel(t).Channel().Loop(), newChannel(t).Channel().Loop()
	_, ok := words.Get(a)
	require.False(t, ok)
	words.Set(a, &[]string{"one"})
	words.Set(a, &[]string{"two"})
	other.Set(a, nil)
	got, ok := words.Get(a)
	require.True(t, ok)
	require.Equal(t, []string{"two"}, *got)
	got, ok = other.Get(a)
	require.True(t, ok, "two keys of one name are two keys")
	require.Nil(t, got)
	_, ok = words.Get(b)
	require.False(t, ok)
	require.Equal(t, "words", words.String())
}

func TestAValueOfALoopMayBeANilInterface(t *testing.T) {
	key, l := pipeline.NewLoopKey[error]("last"), newChannel(t).Channel().Loop()
	key.Set(l, nil)
	err, ok := key.Get(l)
	require.True(t, ok)
	require.NoError(t, err)
}
