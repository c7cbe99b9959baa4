package handlers_test

import (
	"net"
	"testing"
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/stretchr/testify/require"
)

func TestReadyDeadline(t *testing.T) {
	for name, c := range map[string]struct {
		within time.Duration
		want   time.Duration
	}{
		"as given":            {3 * time.Second, 3 * time.Second},
		"ten seconds else":    {0, handlers.DefaultReadyWithin},
		"never less than any": {-time.Second, handlers.DefaultReadyWithin},
	} {
		t.Run(name, func(t *testing.T) {
			ch := pipelinetest.New(t)
			handlers.ExpectReady(ch.Channel(), c.within)
			ch.AdvanceTime(c.want - time.Millisecond)
			require.False(t, ch.Channel().Closed())
			ch.AdvanceTime(time.Millisecond)
			var late *handlers.TimeoutError
			require.ErrorAs(t, ch.CheckErr(), &late)
			require.Equal(t, c.want, late.After)
			require.EqualError(t, late, "handlers: peer is not ready after "+c.want.String())
			require.Same(t, late, ch.Channel().Cause())
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestReadyEndsTheDeadlineForGood(t *testing.T) {
	for name, steps := range map[string]func(ch *pipeline.Channel){
		"after it began": func(ch *pipeline.Channel) {
			handlers.ExpectReady(ch, 0)
			handlers.Ready(ch)
		},
		"before it would begin": func(ch *pipeline.Channel) {
			handlers.Ready(ch)
			handlers.ExpectReady(ch, 0)
		},
		"twice": func(ch *pipeline.Channel) {
			handlers.ExpectReady(ch, 0)
			handlers.Ready(ch)
			handlers.Ready(ch)
			handlers.ExpectReady(ch, time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ch := pipelinetest.New(t)
			steps(ch.Channel())
			require.Zero(t, ch.PendingTimers())
			ch.AdvanceTime(time.Hour)
			require.True(t, ch.Channel().IsOpen())
		})
	}
}

func TestReadyDeadlineEndsWithItsChannel(t *testing.T) {
	ch := pipelinetest.New(t)
	handlers.ExpectReady(ch.Channel(), 0)
	ch.Socket.PeerReset()
	require.Zero(t, ch.PendingTimers(), "or the timer would keep the channel in memory")
}

// answers is a session that answers a timeout and keeps the error.
type answers struct{ err error }

func (a *answers) HandleError(ctx *pipeline.Context, err error) error {
	a.err = err
	return ctx.Write(buffer.FromString("too late"))
}

func TestASessionMayAnswerTheDeadlineButNotOutliveIt(t *testing.T) {
	a := &answers{}
	ch := pipelinetest.New(t, a)
	handlers.ExpectReady(ch.Channel(), 0)
	ch.AdvanceTime(time.Minute)
	var timeout net.Error
	require.ErrorAs(t, a.err, &timeout)
	require.True(t, timeout.Timeout())
	require.Equal(t, "too late", ch.Wire())
	require.True(t, ch.Channel().Closed())
}
