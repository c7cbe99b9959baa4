package embedded_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// failing fails every read with its error.
func failing(err error) pipeline.Handler {
	return pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { return err })
}

func TestCore15UnhandledErrorIsReturnedExactlyOnce(t *testing.T) {
	boom := errors.New("boom")
	for name, surface := range map[string]func(ch *embedded.Channel) error{
		"by the call itself": func(ch *embedded.Channel) error { return ch.WriteInbound(buffer.FromString("m")) },
		"by CheckErr": func(ch *embedded.Channel) error {
			ch.Channel().Inject(func(p *pipeline.Pipeline) { p.FireRead(buffer.FromString("m")) })
			return ch.CheckErr()
		},
		"by the next write": func(ch *embedded.Channel) error {
			ch.Channel().Inject(func(p *pipeline.Pipeline) { p.FireRead(buffer.FromString("m")) })
			return ch.WriteOutbound()
		},
	} {
		t.Run(name, func(t *testing.T) {
			ch := open(t, embedded.Config{}, failing(boom))
			require.ErrorIs(t, surface(ch), boom)
			require.NoError(t, ch.CheckErr())
		})
	}
	t.Run("by Finish", func(t *testing.T) {
		ch, err := embedded.New(embedded.Config{}, failing(boom))
		require.NoError(t, err)
		ch.Channel().Inject(func(p *pipeline.Pipeline) { p.FireRead(buffer.FromString("m")) })
		_, err = ch.Finish()
		require.ErrorIs(t, err, boom)
		_, err = ch.Finish()
		require.NoError(t, err)
	})
}

func TestPanicIsRecordedAndClosesTheChannel(t *testing.T) {
	ch := open(t, embedded.Config{}, pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { panic("oops") }))
	err := ch.FeedString("x")
	var p *pipeline.PanicError
	require.ErrorAs(t, err, &p)
	require.Equal(t, "oops", p.Value)
	require.True(t, ch.Channel().Closed())
}

func TestErrorsAreReturnedOldestFirst(t *testing.T) {
	ch := open(t, embedded.Config{})
	first, second := errors.New("first"), errors.New("second")
	ch.Pipeline().FireError(first)
	ch.Pipeline().FireError(second)
	require.Equal(t, first, ch.CheckErr())
	require.Equal(t, second, ch.CheckErr())
	require.NoError(t, ch.CheckErr())
}
