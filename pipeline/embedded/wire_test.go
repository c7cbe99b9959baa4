package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestWireBytesAreTakenOnce(t *testing.T) {
	for name, take := range map[string]func(ch *embedded.Channel) string{
		"Wire":       func(ch *embedded.Channel) string { return string(ch.Wire()) },
		"AppendWire": func(ch *embedded.Channel) string { return string(ch.AppendWire([]byte("> "))[len("> "):]) },
		"WireString": func(ch *embedded.Channel) string { return ch.WireString() },
		"ReadOutbound": func(ch *embedded.Channel) string {
			b := ch.ReadOutbound().(*buffer.Buffer)
			defer b.Release()
			return string(b.Bytes())
		},
	} {
		t.Run(name, func(t *testing.T) {
			ch := open(t, embedded.Config{})
			require.NoError(t, ch.WriteOutbound(buffer.FromString("one"), buffer.FromString("two")))
			require.Equal(t, 6, ch.Untaken())
			require.Equal(t, "onetwo", take(ch))
			require.Zero(t, ch.Untaken())
			require.Empty(t, ch.WireString())
			require.NoError(t, ch.WriteOutbound(buffer.FromString("three")))
			require.Equal(t, 5, ch.DiscardWire())
			require.Zero(t, ch.DiscardWire())
			require.Equal(t, 11, ch.Written())
		})
	}
}

func TestWireIsACopy(t *testing.T) {
	ch := open(t, embedded.Config{})
	require.NoError(t, ch.WriteOutbound(buffer.FromString("first")))
	first := ch.Wire()
	require.NoError(t, ch.WriteOutbound(buffer.FromString("other")))
	require.Equal(t, "first", string(first))
	require.Equal(t, "other", ch.WireString())
}
