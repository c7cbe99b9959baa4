package embedded

import (
	"github.com/penstock-go/penstock/pipeline"
)

// Channel is a pipeline.Channel over a scripted socket and a virtual clock. Nothing happens by itself: each method that
// gives the channel something also runs it until it has nothing more to do, unless it was called inside a callback of a
// handler; then the run that is under way goes on with it.
//
// Call its methods on the goroutine that made it.
type Channel struct {
	// Socket is the peer's side: its methods script what the channel's socket does.
	*Socket

	ch       *pipeline.Channel
	loop     *loop
	world    *world
	in       queue[any]
	out      queue[outgoing]
	events   []any
	errs     []error
	promises []*tracked
	finished bool
}

// New makes a channel with the given handlers, tells them that it is active, and runs what they do then. On error, which
// is that of adding a handler, there is no channel and the handlers that were added are removed again. An error that a
// handler raises is recorded instead, see CheckErr. The caller should Finish the result.
func New(cfg Config, handlers ...pipeline.Handler) (*Channel, error) {
	return NewInit(cfg, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) })
}

// NewInit is New with a function that fills the pipeline, as servers and dialers take one. Its error is returned.
func NewInit(cfg Config, init func(*pipeline.Channel) error) (*Channel, error) {
	cfg = cfg.withDefaults()
	w := newWorld(cfg.Start)
	c := w.newChannel(cfg, w.newLoop(cfg))
	if err := c.open(init); err != nil {
		return nil, err
	}
	w.run()
	return c, nil
}

// newChannel makes a channel on one of w's loops.
func (w *world) newChannel(cfg Config, l *loop) *Channel {
	l.users++
	c := &Channel{loop: l, world: w}
	c.Socket = newSocket(c, cfg)
	c.ch = pipeline.NewChannel(l.Loop, pipeline.ChannelConfig{
		Transport: &transport{c.Socket}, Options: &cfg.Options, Sink: (*sink)(c),
	})
	w.members = append(w.members, c)
	return c
}

// open runs init and activates the channel. When init fails the channel is gone, also for the world.
func (c *Channel) open(init func(*pipeline.Channel) error) error {
	var failed error
	c.world.guard(func() {
		c.ch.Open(func(ch *pipeline.Channel) error {
			failed = init(ch)
			return failed
		})
	})
	if failed != nil {
		c.abandon()
	}
	return failed
}

// Channel is the pipeline's channel, as handlers see it.
func (c *Channel) Channel() *pipeline.Channel { return c.ch }

// Pipeline is the channel's list of handlers. What its methods start outside a callback is completed by RunPending.
func (c *Channel) Pipeline() *pipeline.Pipeline { return c.ch.Pipeline() }

// Loop is the event loop that runs the channel.
func (c *Channel) Loop() *pipeline.Loop { return c.loop.Loop }

// Bind makes the calling goroutine the event loop of this channel and of those that it is connected with. The goroutine
// that had them before must not use them any more.
func (c *Channel) Bind() { c.world.bind() }
