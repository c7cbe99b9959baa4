package embedded_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// echo writes back what it reads.
func echo() pipeline.Handler {
	return pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) })
}

// note is a message that is not bytes.
type note struct{ text string }

// other is another one.
type other struct{}

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

// events is a handler that notes what happens to its channel.
type events struct{ log []string }

// HandleActive notes "active".
func (e *events) HandleActive(ctx *pipeline.Context) error {
	e.log = append(e.log, "active")
	ctx.FireActive()
	return nil
}

// HandleReadComplete notes "read complete".
func (e *events) HandleReadComplete(ctx *pipeline.Context) error {
	e.log = append(e.log, "read complete")
	ctx.FireReadComplete()
	return nil
}

// HandleReadClosed notes "read closed".
func (e *events) HandleReadClosed(ctx *pipeline.Context) error {
	e.log = append(e.log, "read closed")
	ctx.FireReadClosed()
	return nil
}

// HandleWritability notes "writable" or "unwritable".
func (e *events) HandleWritability(ctx *pipeline.Context) error {
	state := "unwritable"
	if ctx.Channel().Writable() {
		state = "writable"
	}
	e.log = append(e.log, state)
	ctx.FireWritability()
	return nil
}

// HandleInactive notes "inactive".
func (e *events) HandleInactive(ctx *pipeline.Context) error {
	e.log = append(e.log, "inactive")
	ctx.FireInactive()
	return nil
}

// HandleRemoved notes "removed".
func (e *events) HandleRemoved(*pipeline.Context) error {
	e.log = append(e.log, "removed")
	return nil
}

// take returns the notes and forgets them.
func (e *events) take() []string {
	log := e.log
	e.log = nil
	return log
}

func TestNewChannelIsActiveAndHasItsParts(t *testing.T) {
	e := &events{}
	ch := open(t, embedded.Config{LocalAddr: embedded.Addr("here"), RemoteAddr: embedded.Addr("there")}, e)
	require.Equal(t, []string{"active"}, e.take())
	require.Same(t, ch.Channel().Pipeline(), ch.Pipeline())
	require.Same(t, ch.Channel().Loop(), ch.Loop())
	require.Equal(t, "here", ch.Channel().LocalAddr().String())
	require.Equal(t, "there", ch.Channel().RemoteAddr().String())
	require.True(t, ch.Loop().OnLoop())
}

func TestOptionsAndStartReachTheChannel(t *testing.T) {
	start := time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)
	ch := open(t, embedded.Config{Options: pipeline.Options{WriteHigh: 100}, Start: start})
	require.Equal(t, 100, ch.Channel().Options().WriteHigh)
	require.Equal(t, 50, ch.Channel().Options().WriteLow)
	require.Equal(t, start, ch.Loop().Now())
	require.Equal(t, embedded.DefaultStart(), open(t, embedded.Config{}).Now())
}

func TestNewReturnsTheErrorOfAddingAHandler(t *testing.T) {
	ch, err := embedded.New(embedded.Config{}, &note{})
	require.ErrorIs(t, err, pipeline.ErrNotHandler)
	require.Nil(t, ch)
}

func TestFailedInitClosesTheChannel(t *testing.T) {
	e := &events{}
	refused := errors.New("refused")
	var made *pipeline.Channel
	ch, err := embedded.NewInit(embedded.Config{}, func(c *pipeline.Channel) error {
		made = c
		require.NoError(t, c.Pipeline().AddLast(e))
		return refused
	})
	require.Equal(t, refused, err)
	require.Nil(t, ch)
	require.True(t, made.Closed())
	require.Equal(t, []string{"removed"}, e.take())
	require.ErrorIs(t, made.Post(func() {}), pipeline.ErrLoopClosed)
}

// eager fails when its channel becomes active.
type eager struct{ err error }

// HandleActive fails.
func (e eager) HandleActive(*pipeline.Context) error { return e.err }

func TestErrorsOfHandlersDuringSetUpAreRecorded(t *testing.T) {
	early := errors.New("too early")
	ch := open(t, embedded.Config{}, eager{early})
	require.Equal(t, early, ch.CheckErr())
	require.True(t, ch.Channel().Closed())
}

func TestBindHandsTheChannelToAnotherGoroutine(t *testing.T) {
	ch := open(t, embedded.Config{}, echo())
	var wg sync.WaitGroup
	wg.Go(func() {
		ch.Bind()
		_ = ch.FeedString("over there")
	})
	wg.Wait()
	require.False(t, ch.Loop().OnLoop())
	ch.Bind()
	require.True(t, ch.Loop().OnLoop())
	require.Equal(t, "over there", ch.WireString())
}
