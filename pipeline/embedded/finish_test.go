package embedded_test

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestCore52AHandlerThatClosesInRead(t *testing.T) {
	e := &events{}
	ch := open(t, embedded.Config{}, e, pipeline.OnLend(func(ctx *pipeline.Context, _ *buffer.Buffer) error {
		ctx.Close()
		return nil
	}))
	require.NoError(t, ch.FeedString("x"))
	_, err := ch.Finish()
	require.NoError(t, err)
	require.Equal(t, []string{"active", "read complete", "inactive", "removed"}, e.take())
	require.ErrorIs(t, ch.WriteOutbound(buffer.FromString("late")), pipeline.ErrClosed)
	require.ErrorIs(t, ch.Pipeline().Write(buffer.FromString("late")), net.ErrClosed)
	require.ErrorIs(t, ch.Channel().Send(buffer.FromString("late"), nil), net.ErrClosed)
}

// forgetful leaves behind whatever can be left behind.
type forgetful struct {
	kept  *buffer.Buffer
	owing *pipeline.Promise
}

// HandleRead fires a message that nobody reads, keeps a buffer, and starts a timer.
func (f *forgetful) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.Release(msg)
	f.kept = ctx.Alloc(100)
	ctx.After(30*time.Second, func() {})
	ctx.FireRead(&note{"hello"})
	ctx.FireEvent("event")
	return errors.New("and fails")
}

// HandleWrite drops the message and forgets its promise.
func (f *forgetful) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	ctx.Release(msg)
	f.owing = p
	return ctx.Forward(&other{}, nil)
}

func TestFinishReportsLeftoversByKind(t *testing.T) {
	ch, err := embedded.New(embedded.Config{Name: "mine"}, &forgetful{})
	require.NoError(t, err)
	ch.Pipeline().WriteWith(buffer.FromString("y"), ch.NewPromise())
	ch.Channel().Inject(func(p *pipeline.Pipeline) { p.FireRead(buffer.FromString("x")) })
	l, err := ch.Finish()
	require.Equal(t, []string{"*embedded_test.note"}, l.Inbound)
	require.Equal(t, []string{"*embedded_test.other"}, l.Outbound)
	require.Equal(t, []string{`1 of the pool of loop "mine"`}, l.Buffers)
	require.Equal(t, []string{`1 on loop "mine", the earliest due 30s after the close`}, l.Timers)
	require.Equal(t, []string{"string"}, l.Events)
	require.Len(t, l.Promises, 1)
	require.Contains(t, l.Promises[0], "made at finish_test.go:")
	require.Contains(t, l.Promises[0], "TestFinishReportsLeftoversByKind")
	require.Len(t, l.Errors, 1)
	for _, line := range []string{
		"inbound message not taken: *embedded_test.note", "outbound message not taken: *embedded_test.other",
		"buffers not released: 1", "timers not stopped: 1", "promise not completed: made at", "error not taken: and fails",
	} {
		require.ErrorContains(t, err, line)
	}
}

func TestFinishReleasesWhatWasNotTaken(t *testing.T) {
	ch, err := embedded.New(embedded.Config{})
	require.NoError(t, err)
	require.NoError(t, ch.FeedString("unread\x00bytes"))
	rope := buffer.NewComposite()
	rope.Append(ch.Loop().Pool().Get(8))
	require.NoError(t, ch.WriteInbound(rope))
	ch.Pipeline().FireEvent(ch.Loop().Pool().Get(1))
	l, err := ch.Finish()
	require.ErrorContains(t, err, `*buffer.Buffer "unread\x00bytes"`)
	require.Len(t, l.Inbound, 2)
	require.Empty(t, l.Buffers)
}

func TestUntakenBytesAreNoFault(t *testing.T) {
	ch, err := embedded.New(embedded.Config{}, echo())
	require.NoError(t, err)
	require.NoError(t, ch.FeedString("sent back"))
	_, ctx := pipeline.Find[pipeline.ReadHandler](ch.Pipeline())
	ctx.SetAutoRead(false)
	ch.RunPending()
	require.NoError(t, ch.FeedString("not read"))
	l, err := ch.Finish()
	require.NoError(t, err)
	require.Equal(t, 9, l.WireBytes)
	require.Equal(t, 8, l.UnreadBytes)
}

func TestFinishClosesAChannelWhosePeerTakesNothing(t *testing.T) {
	e := &events{}
	ch, err := embedded.New(embedded.Config{}, e)
	require.NoError(t, err)
	ch.Block()
	p := ch.NewPromise()
	var result error
	p.OnDone(func(err error) { result = err })
	ch.Pipeline().WriteWith(buffer.FromString("stuck"), p)
	l, err := ch.Finish()
	require.NoError(t, err)
	require.Empty(t, l.Promises)
	require.ErrorIs(t, result, pipeline.ErrClosed)
	require.Equal(t, []string{"active", "inactive", "removed"}, e.take())
}

// stubborn holds back every close.
type stubborn struct{ held []*pipeline.Promise }

// HandleClose keeps the promise.
func (s *stubborn) HandleClose(_ *pipeline.Context, _ pipeline.CloseMode, p *pipeline.Promise) error {
	s.held = append(s.held, p)
	return nil
}

func TestFinishClosesAChannelWhoseHandlersHoldTheCloseBack(t *testing.T) {
	e := &events{}
	ch, err := embedded.New(embedded.Config{}, &stubborn{}, e)
	require.NoError(t, err)
	_, err = ch.Finish()
	require.NoError(t, err)
	require.True(t, ch.Channel().Closed())
	require.Equal(t, []string{"active", "inactive", "removed"}, e.take())
}

func TestFinishWorksAfterGoexitInACallback(t *testing.T) {
	ch, err := embedded.New(embedded.Config{}, pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error {
		require.FailNow(&goner{}, "as a failed assertion does")
		return nil
	}))
	require.NoError(t, err)
	done := make(chan error)
	go func() {
		defer func() {
			_, err := ch.Finish()
			done <- err
		}()
		ch.Bind()
		_ = ch.FeedString("x")
	}()
	require.ErrorIs(t, <-done, pipeline.ErrGoexit)
	require.True(t, ch.Channel().Closed())
}
