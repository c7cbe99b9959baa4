package pipeline_test

import (
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record is what happened, in order.
type record struct{ events []string }

func (r *record) add(s string) { r.events = append(r.events, s) }

// take gives the events since the last take.
func (r *record) take() []string {
	e := r.events
	r.events = nil
	return e
}

// reader records reads and passes them on, or does what its function says.
type reader struct {
	name string
	rec  *record
	do   func(ctx *pipeline.Context, msg any) error
}

func (r *reader) HandleRead(ctx *pipeline.Context, msg any) error {
	r.rec.add(r.name)
	if r.do != nil {
		return r.do(ctx, msg)
	}
	ctx.FireRead(msg)
	return nil
}

func (r *reader) HandleAdded(*pipeline.Context) error {
	r.rec.add("added " + r.name)
	return nil
}

func (r *reader) HandleRemoved(*pipeline.Context) error {
	r.rec.add("removed " + r.name)
	return nil
}

// writer records writes and passes them on.
type writer struct {
	name string
	rec  *record
}

func (w *writer) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	w.rec.add(w.name)
	return ctx.Forward(msg, p)
}

// life records everything about a channel's life and passes it on.
type life struct {
	name string
	rec  *record
}

func (l *life) HandleAdded(*pipeline.Context) error {
	l.rec.add("added " + l.name)
	return nil
}

func (l *life) HandleRemoved(*pipeline.Context) error {
	l.rec.add("removed " + l.name)
	return nil
}

func (l *life) HandleActive(ctx *pipeline.Context) error {
	l.rec.add("active " + l.name)
	ctx.FireActive()
	return nil
}

func (l *life) HandleInactive(ctx *pipeline.Context) error {
	l.rec.add("inactive " + l.name)
	ctx.FireInactive()
	return nil
}

func (l *life) HandleRead(ctx *pipeline.Context, msg any) error {
	l.rec.add("read " + l.name)
	ctx.FireRead(msg)
	return nil
}

func (l *life) HandleReadComplete(ctx *pipeline.Context) error {
	l.rec.add("complete " + l.name)
	ctx.FireReadComplete()
	return nil
}

// catcher takes errors.
type catcher struct {
	name string
	rec  *record
	errs []error
	back func(error) error // what HandleError returns; nil = nil
}

func (c *catcher) HandleError(_ *pipeline.Context, err error) error {
	if c.rec != nil {
		c.rec.add(c.name)
	}
	c.errs = append(c.errs, err)
	if c.back != nil {
		return c.back(err)
	}
	return nil
}

// message is a plain message.
type message struct{ n int }

// counted is a message that counts its references.
type counted struct{ refs int }

func (c *counted) Retain()  { c.refs++ }
func (c *counted) Release() { c.refs-- }

func newChannel(t *testing.T, handlers ...pipeline.Handler) *embedded.Channel {
	t.Helper()
	return newChannelWith(t, embedded.Config{}, handlers...)
}

func newChannelWith(t *testing.T, cfg embedded.Config, handlers ...pipeline.Handler) *embedded.Channel {
	t.Helper()
	ch, err := embedded.New(cfg, handlers...)
	require.NoError(t, err)
	return ch
}

func bytesOf(s string) *buffer.Buffer { return buffer.FromString(s) }
