package pipelinetest_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// echo writes back what it reads.
func echo() pipeline.Handler {
	return pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) })
}

// note is a message that is not bytes.
type note struct{ text string }

// other is another one.
type other struct{}

func TestACleanTestPasses(t *testing.T) {
	k := run(func(t *fake) {
		ch := pipelinetest.New(t, echo())
		ch.Feed("hello")
		require.Equal(t, "hello", ch.Wire())
		ch.AdvanceTime(time.Hour)
		require.NotNil(t, ch.Channel())
		require.NotNil(t, ch.Embedded)
	})
	require.False(t, k.failed, k.report.String())
}

func TestNewFailsTheTestWhenAHandlerCanNotBeAdded(t *testing.T) {
	k := run(func(t *fake) { pipelinetest.New(t, &note{}) })
	require.Contains(t, k.report.String(), "implements no handler interface")
}

func TestNewInitFillsThePipelineLikeAServer(t *testing.T) {
	ch := pipelinetest.NewInit(t, pipelinetest.Config{}, func(c *pipeline.Channel) error {
		return c.Pipeline().AddLast(pipeline.Named("echo", echo()))
	})
	require.Equal(t, []string{"echo"}, ch.Pipeline().Names())
	k := run(func(t *fake) {
		pipelinetest.NewInit(t, pipelinetest.Config{}, func(*pipeline.Channel) error { return errors.New("refused") })
	})
	require.Contains(t, k.report.String(), "pipelinetest: refused")
}

func TestConfigReachesTheChannel(t *testing.T) {
	cfg := pipelinetest.Config{Config: embedded.Config{
		Options: pipeline.Options{WriteHigh: 10, Logger: slog.New(slog.DiscardHandler)}, Name: "given",
	}}
	ch := pipelinetest.NewConfig(t, cfg, echo())
	require.Equal(t, 10, ch.Channel().Options().WriteHigh)
	require.Equal(t, "given", ch.Loop().Name())
	require.Equal(t, t.Name(), pipelinetest.New(t).Loop().Name())
}

func TestWatchTellsHowAPromiseEnded(t *testing.T) {
	ch := pipelinetest.New(t)
	p, result := ch.Watch()
	require.False(t, result.Done)
	ch.Pipeline().WriteWith(buffer.FromString("x"), p)
	ch.RunPending()
	require.Equal(t, &pipelinetest.Outcome{Done: true}, result)
	require.Equal(t, "x", ch.Wire())

	p, result = ch.Watch()
	ch.Pipeline().WriteWith(&note{}, p)
	require.True(t, result.Done)
	require.NoError(t, result.Err, "the channel keeps it for Out")
	require.Equal(t, &note{}, pipelinetest.Out[*note](ch))

	ch.Finish()
	p, result = ch.Watch()
	ch.Pipeline().WriteWith(buffer.FromString("x"), p)
	require.ErrorIs(t, result.Err, pipeline.ErrClosed)
}
