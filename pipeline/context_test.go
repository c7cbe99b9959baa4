package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// failing fails each read, and takes errors itself if it has a catcher.
type failing struct{ err error }

func (f *failing) HandleRead(*pipeline.Context, any) error { return f.err }

type failsAndCatches struct {
	failing
	catcher
}

// manyErrors can't be compared with ==.
type manyErrors []string

func (m manyErrors) Error() string { return strings.Join(m, ", ") }

func TestI6WhereErrorsGo(t *testing.T) {
	bad := errors.New("bad")
	t.Run("core-13 the same handler first, then towards the tail, never back", func(t *testing.T) {
		b, d := &catcher{}, &catcher{}
		c := &failing{bad}
		ch := newChannel(t, b, c, d)
		require.NoError(t, ch.WriteInbound(&message{}))
		require.Empty(t, b.errs)
		require.Equal(t, []error{bad}, d.errs)

		own := &failsAndCatches{failing: failing{bad}}
		require.NoError(t, ch.Pipeline().ContextOf(c).Replace(own))
		require.NoError(t, ch.WriteInbound(&message{}))
		require.Equal(t, []error{bad}, own.errs)
		require.Len(t, d.errs, 1, "dealt with before it came here")
	})
	t.Run("core-14 an error handler that fails is logged once, and messages still flow", func(t *testing.T) {
		d := &catcher{}
		c := &catcher{back: func(error) error { return errors.New("and the handler too") }}
		first := true
		read := handle(func(*pipeline.Context, any) error {
			if first {
				first = false
				return bad
			}
			return nil
		})
		b := newBare(t, pipeline.Options{}, read, pipeline.Named("c", c), d)
		b.Pipeline().FireRead(&message{})
		b.Pipeline().FireRead(&message{})
		require.Equal(t, []error{bad}, c.errs)
		require.Empty(t, d.errs)
		require.True(t, b.IsOpen())
		logged := b.logs.String()
		require.Equal(t, 1, strings.Count(logged, "error handler failed"), logged)
		require.Contains(t, logged, `handler=c err="and the handler too" "while handling"=bad`)
	})
	for name, c := range map[string]struct {
		err  error
		back func(error) error
	}{
		"the error itself":             {bad, func(err error) error { return err }},
		"a wrap of it":                 {bad, func(err error) error { return fmt.Errorf("reading: %w", err) }},
		"one that Go can't compare":    {manyErrors{"a", "b"}, func(err error) error { return err }},
		"a wrap of such a one":         {manyErrors{"a"}, func(err error) error { return fmt.Errorf("reading: %w", err) }},
		"such a one joined with other": {manyErrors{"a"}, func(err error) error { return errors.Join(bad, err) }},
	} {
		t.Run("an error handler sends on "+name, func(t *testing.T) {
			onward, end := &catcher{back: c.back}, &catcher{}
			ch := newChannel(t, &failing{c.err}, onward, end)
			require.NoError(t, ch.WriteInbound(&message{}))
			require.Equal(t, []error{c.back(c.err)}, end.errs)
		})
	}
	t.Run("what nobody takes reaches the tail, once", func(t *testing.T) {
		passes := &catcher{back: func(err error) error { return err }}
		ch := newChannel(t, &failing{bad}, passes)
		require.Same(t, bad, ch.WriteInbound(&message{}))
		require.NoError(t, ch.CheckErr())
		require.True(t, ch.Channel().Closed())
	})
	t.Run("an outbound error fails the promise and is no inbound error", func(t *testing.T) {
		c, rec := &catcher{}, &record{}
		refuses := pipeline.OnWrite(func(_ *pipeline.Context, _ *message, _ *pipeline.Promise) error { return bad })
		ch := newChannel(t, refuses, c)
		ch.Pipeline().WriteWith(&message{}, rec.note(ch.Channel(), "w"))
		require.Equal(t, []string{"w bad"}, rec.take())
		require.Same(t, bad, ch.Pipeline().Write(&message{}), "without a promise the caller hears it")
		require.Empty(t, c.errs)
		require.True(t, ch.Channel().IsOpen())
	})
	t.Run("an error of flush or a read request has no promise and is an inbound error of that handler", func(t *testing.T) {
		c := &catcher{}
		ch := newChannelWith(t, manual(), &badFlush{bad}, c)
		ch.Pipeline().Flush()
		ch.Pipeline().Read()
		require.Equal(t, []error{bad, bad}, c.errs)
	})
}

type badFlush struct{ err error }

func (b *badFlush) HandleFlush(*pipeline.Context) error       { return b.err }
func (b *badFlush) HandleReadRequest(*pipeline.Context) error { return b.err }

// failsAt returns its error from one kind of event.
type failsAt struct {
	at  string
	err error
}

func (f *failsAt) fail(at string) error {
	if f.at == at {
		return f.err
	}
	return nil
}

func (f *failsAt) HandleRead(*pipeline.Context, any) error    { return f.fail("read") }
func (f *failsAt) HandleReadComplete(*pipeline.Context) error { return f.fail("read complete") }
func (f *failsAt) HandleActive(*pipeline.Context) error       { return f.fail("active") }
func (f *failsAt) HandleInactive(*pipeline.Context) error     { return f.fail("inactive") }
func (f *failsAt) HandleEvent(*pipeline.Context, any) error   { return f.fail("event") }
func (f *failsAt) HandleReadClosed(*pipeline.Context) error   { return f.fail("read closed") }
func (f *failsAt) HandleWritability(*pipeline.Context) error  { return f.fail("writability") }
func (f *failsAt) HandleRemoved(*pipeline.Context) error      { return f.fail("removed") }
func (f *failsAt) HandleError(*pipeline.Context, error) error { return f.err }
func (f *failsAt) HandleFlush(ctx *pipeline.Context) error    { ctx.Flush(); return f.fail("flush") }

func (f *failsAt) HandleReadRequest(c *pipeline.Context) error {
	c.Read()
	return f.fail("read request")
}

func TestErrorsOfEveryEventAreRouted(t *testing.T) {
	for _, at := range []string{
		"read", "read complete", "active", "inactive", "event", "read closed", "writability", "removed", "flush", "read request",
	} {
		t.Run(at, func(t *testing.T) {
			bad := errors.New("bad " + at)
			opts := pipeline.Options{WriteHigh: 4, WriteLow: 2, AllowHalfClose: true}
			ch := newChannelWith(t, embedded.Config{Options: opts}, &failsAt{at, bad})
			ch.Channel().Inject(func(p *pipeline.Pipeline) {
				p.FireRead(&message{})
				p.FireReadComplete()
				p.FireEvent("e")
			})
			ch.Pipeline().Read()
			_ = ch.Pipeline().Write(bytesOf("above high")) // refused when the error has closed the channel
			ch.RunPending()
			ch.PeerClose()
			require.NoError(t, ch.Channel().Close())
			ch.RunPending()
			require.Same(t, bad, ch.CheckErr())
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestFireErrorStartsBehindTheCaller(t *testing.T) {
	before, at, behind := &catcher{}, &spy{}, &catcher{}
	bad := errors.New("bad")
	newChannel(t, before, at, behind)
	at.ctx.FireError(bad)
	require.Empty(t, before.errs)
	require.Equal(t, []error{bad}, behind.errs)
}

func TestWriteTakesTheMessageAlsoWhenItFails(t *testing.T) {
	ch := newChannel(t)
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	b := pooled(ch.Channel(), "late")
	require.ErrorIs(t, ch.Pipeline().Write(b), pipeline.ErrClosed)
	require.Zero(t, ch.Loop().Pool().Live())
}

func TestContextKnowsItsPlace(t *testing.T) {
	at := &spy{}
	ch := newChannel(t, pipeline.Named("here", at))
	require.Same(t, ch.Channel(), at.ctx.Channel())
	require.Same(t, ch.Pipeline(), at.ctx.Pipeline())
	require.Same(t, ch.Channel(), ch.Pipeline().Channel())
	require.Same(t, ch.Loop(), at.ctx.Loop())
	require.Same(t, at, at.ctx.Handler())
	require.Equal(t, "here", at.ctx.Name())
	require.False(t, at.ctx.Removed())
	at.ctx.Remove()
	require.True(t, at.ctx.Removed())
	require.Nil(t, at.ctx.Handler())
	for _, err := range []error{at.ctx.AddBefore(at), at.ctx.AddAfter(at), at.ctx.Replace(at)} {
		require.ErrorIs(t, err, pipeline.ErrNoHandler)
	}
}

func TestAllocAndReleaseUseTheLoopsPool(t *testing.T) {
	at := &spy{}
	ch := newChannel(t, at)
	b := at.ctx.Alloc(100)
	require.GreaterOrEqual(t, b.Room(), 100)
	require.Equal(t, 1, ch.Loop().Pool().Live())
	at.ctx.Release(b)
	require.Zero(t, ch.Loop().Pool().Live())
	m := &counted{refs: 1}
	at.ctx.Release(m)
	require.Zero(t, m.refs)
	at.ctx.Release(&message{}) // not counted: nothing to do
}

func TestContextIsSmall(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(pipeline.Context{}), uintptr(128))
}

var _ buffer.Counted = (*counted)(nil)
