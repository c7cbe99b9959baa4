package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// echo writes back what it reads.
func echo() pipeline.Handler {
	return pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) })
}

// open makes a channel and sees to it that it is finished, with nothing left unless the test took care of it.
func open(t *testing.T, cfg embedded.Config, handlers ...pipeline.Handler) *embedded.Channel {
	t.Helper()
	ch, err := embedded.New(cfg, handlers...)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := ch.Finish()
		require.NoError(t, err)
	})
	return ch
}

func TestFedBytesComeBackOnTheWire(t *testing.T) {
	ch := open(t, embedded.Config{}, echo())
	require.NoError(t, ch.FeedString("hello"))
	require.Equal(t, "hello", ch.WireString())
	require.Empty(t, ch.WireString())
	require.NoError(t, ch.Feed([]byte(" world")))
	require.Equal(t, []byte(" world"), ch.Wire())
	require.Nil(t, ch.Wire())
}
