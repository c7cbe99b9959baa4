package pipeline_test

import (
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestAttributesAreTypedAndOfOneChannel(t *testing.T) {
	user, other, size := pipeline.NewKey[string]("user"), pipeline.NewKey[string]("user"), pipeline.NewKey[int]("size")
	a, b := newChannel(t).Channel(), newChannel(t).Channel()
	_, ok := user.Get(a)
	require.False(t, ok)
	user.Set(a, "ann")
	size.Set(a, 7)
	user.Set(b, "bob")
	user.Set(a, "anna")
	name, ok := user.Get(a)
	require.True(t, ok)
	require.Equal(t, "anna", name)
	name, _ = user.Get(b)
	require.Equal(t, "bob", name)
	_, ok = other.Get(a)
	require.False(t, ok, "two keys of one name are two keys")
	user.Delete(a)
	other.Delete(a)
	_, ok = user.Get(a)
	require.False(t, ok)
	n, ok := size.Get(a)
	require.True(t, ok)
	require.Equal(t, 7, n)
	require.Equal(t, "user", user.String())
}

func TestAnAttributeMayBeANilInterface(t *testing.T) {
	key, ch := pipeline.NewKey[error]("cause"), newChannel(t).Channel()
	key.Set(ch, nil)
	err, ok := key.Get(ch)
	require.True(t, ok)
	require.NoError(t, err)
}

func TestATimerThatIsAnAttributeEndsWithItsChannel(t *testing.T) {
	key, ch := pipeline.NewKey[*pipeline.Timer]("deadline"), newChannel(t)
	key.Set(ch.Channel(), ch.Channel().After(time.Minute, func() { t.Error("the channel is closed") }))
	pipeline.NewKey[*pipeline.Timer]("none").Set(ch.Channel(), nil)
	require.Equal(t, 1, ch.PendingTimers())
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.Zero(t, ch.PendingTimers())
}
