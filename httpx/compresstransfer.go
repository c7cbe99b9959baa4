package httpx

import (
	"fmt"
	"slices"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// How many octets are compressed before the other connections of the loop have their turn, in steps of how many, and
// how large a whole body may be to be compressed at once.
const (
	transferStep = 64 << 10
	transferTurn = 4 // steps
	mostAtOnce   = transferStep * transferTurn
)

// transfer is something that is compressed piece by piece, as the client reads, or a message that waits behind that.
type transfer struct {
	file *pipeline.FileRegion
	full *FullResponse // whose body it is
	off  int           // what of that is done

	msg  any
	size int

	p *pipeline.Promise
}

// drop gives up what was not sent.
func (t *transfer) drop(err error) {
	switch {
	case t.file != nil:
		t.file.Release()
	case t.full != nil:
		t.full.Release()
	default:
		buffer.Release(t.msg)
	}
	if t.p != nil {
		t.p.Fail(err)
	}
}

// transferFull sends a large whole answer as one in pieces.
func (c *Compressor) transferFull(ctx *pipeline.Context, r *FullResponse, s *survey, p *pipeline.Promise) error {
	to := c.offers.peek().coding()
	head := NewResponse(r.Status)
	head.copyFields(&r.Response)
	head.Header.Del("content-length")
	err := s.encode(&head.Header, to)
	if err != nil {
		head.Release()
	} else {
		err = c.pass(ctx, head, nil)
	}
	if err != nil {
		r.Release()
		return err
	}
	c.stop()
	c.active = true
	c.coder.begin(to, orDefault(c.Level, 1), ctx.Loop().Pool())
	c.transfer(&transfer{full: r, p: p})
	return nil
}

// transfer begins to send t, in front of what waits.
func (c *Compressor) transfer(t *transfer) {
	c.queue = slices.Insert(c.queue, 0, t)
	c.pump()
}

// enqueue keeps a message that was written behind a transfer.
func (c *Compressor) enqueue(msg any, p *pipeline.Promise) error {
	n := octets(msg)
	if limit := c.ctx.Channel().Options().HardCap; c.withheld+n > limit {
		buffer.Release(msg)
		return fmt.Errorf("httpx: %d octets wait behind a file, %d more would pass the cap of %d: %w",
			c.withheld, n, limit, pipeline.ErrOutboundFull)
	}
	c.queue = append(c.queue, &transfer{msg: msg, size: n, p: p})
	c.withhold(n)
	c.owes = true
	return nil
}

// withhold counts octets that wait here, for those who ask whether the client keeps up.
func (c *Compressor) withhold(n int) {
	c.withheld += n
	if c.state != nil {
		c.state.withheld += n
	}
}

// pump sends from the front of the queue while the client keeps up. What waits keeps no encoder.
func (c *Compressor) pump() {
	if c.pumping {
		return
	}
	c.pumping = true
	ch := c.ctx.Channel()
	for steps := 0; len(c.queue) > 0 && ch.IsOpen(); {
		t := c.queue[0]
		if t.msg != nil {
			c.sendQueued(t)
			continue
		}
		if c.yielded || !ch.Writable() {
			break
		}
		if steps++; steps > transferTurn {
			c.yield()
			break
		}
		c.step(t)
	}
	c.pumping = false
	if len(c.queue) > 0 {
		c.flushBatch(c.ctx)
	} else {
		c.drained()
	}
}

// yield lets the other connections of the loop have their turn.
func (c *Compressor) yield() {
	c.yielded = true
	_ = c.ctx.Channel().Post(func() { // an error means that the loop has ended, and the connection with it
		c.yielded = false
		c.resume()
	})
}

// resume goes on outside of a write.
func (c *Compressor) resume() {
	if len(c.queue) == 0 {
		return
	}
	c.pump()
	c.flushBatch(c.ctx)
	c.ctx.Flush()
}

// sendQueued sends a message that waited.
func (c *Compressor) sendQueued(t *transfer) {
	c.queue = slices.Delete(c.queue, 0, 1)
	c.withhold(-t.size)
	if err := c.write(c.ctx, t.msg, t.p); err != nil {
		c.failed(t, err)
	}
}

// step compresses a piece of t.
func (c *Compressor) step(t *transfer) {
	err := c.broken
	var ended bool
	switch {
	case err != nil:
	case t.file != nil:
		err = c.readFile(t.file)
		ended = t.file.Len() == 0
	default:
		n := min(transferStep, t.full.BodyLen()-t.off)
		err = c.coder.writeBody(c.ctx, &t.full.wholeBody, t.off, n)
		t.off += n
		ended = t.off == t.full.BodyLen()
	}
	if err == nil && !ended {
		if c.coder.pending() >= codedAhead {
			err = c.emit(c.ctx, nil)
		}
		if err == nil {
			return
		}
	}
	c.queue = slices.Delete(c.queue, 0, 1)
	if err == nil {
		err = c.endTransfer(t)
	}
	if err != nil {
		c.failed(t, err)
	}
	if t.file != nil {
		t.file.Release()
	} else {
		t.full.Release()
	}
}

func (c *Compressor) readFile(f *pipeline.FileRegion) error {
	if f.Len() == 0 {
		return nil
	}
	b := c.ctx.Alloc(transferStep)
	defer c.ctx.Release(b)
	n, err := f.Read(b.Reserve(transferStep))
	if err != nil {
		return fmt.Errorf("httpx: compressing a file: %w", err)
	}
	b.Commit(n)
	return c.coder.write(b.Bytes())
}

// endTransfer sends the end of t.
func (c *Compressor) endTransfer(t *transfer) error {
	switch {
	case t.full != nil:
		return c.finish(c.ctx, t.full.Trailer, t.p)
	case t.p != nil:
		return c.flush(c.ctx, t.p)
	}
	return nil
}

// failed reports that t could not be sent: the client has a part of a body that will never be complete.
func (c *Compressor) failed(t *transfer, err error) {
	c.broken = err
	if t.p != nil {
		t.p.Fail(err)
	}
	if c.ctx.Channel().IsOpen() {
		c.ctx.FireError(err)
	}
}

// drained lets closes through and tells those who have waited for the queue.
func (c *Compressor) drained() {
	c.queue = nil
	c.letCloses()
	if c.owes && c.ctx.Channel().Writable() && !c.ctx.Removed() {
		c.owes = false
		c.ctx.FireWritability()
	}
}

func (c *Compressor) letCloses() {
	closes := c.closes
	c.closes = nil
	for _, held := range closes {
		c.ctx.CloseWith(held.how, held.p)
	}
}

// heldClose is a close that waits for the queue.
type heldClose struct {
	how pipeline.CloseMode
	p   *pipeline.Promise
}

// HandleWritability goes on with what waits for the client, then passes on.
func (c *Compressor) HandleWritability(ctx *pipeline.Context) error {
	if ctx.Channel().Writable() {
		c.resume()
	}
	ctx.FireWritability()
	return nil
}

// HandleClose lets what waits be sent before a drained close or a half-close; others drop it, and so does one with a
// cause.
func (c *Compressor) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	ch, drains := ctx.Channel(), how == pipeline.CloseDrain || how == pipeline.CloseWrite
	if drains && len(c.queue) > 0 && ch.IsOpen() && ch.Cause() == nil {
		c.closes = append(c.closes, heldClose{how, p})
		return nil
	}
	c.dropQueue(pipeline.ErrClosed)
	if err := ctx.ForwardClose(how, p); err != nil {
		return err
	}
	c.letCloses()
	return nil
}

func (c *Compressor) dropQueue(err error) {
	queue := c.queue
	c.queue = nil
	c.withhold(-c.withheld)
	for _, t := range queue {
		t.drop(err)
	}
}

// HandleInactive drops what was not sent, then passes on.
func (c *Compressor) HandleInactive(ctx *pipeline.Context) error {
	c.dropQueue(pipeline.ErrClosed)
	c.letCloses()
	c.stop()
	ctx.FireInactive()
	return nil
}

// HandleRemoved sends what waits, all at once, while the connection is open: what follows may be another protocol.
func (c *Compressor) HandleRemoved(ctx *pipeline.Context) error {
	for ch := ctx.Channel(); len(c.queue) > 0 && ch.IsOpen(); {
		if t := c.queue[0]; t.msg != nil {
			c.sendQueued(t)
		} else {
			c.step(t)
		}
	}
	c.dropQueue(pipeline.ErrClosed)
	c.stop()
	c.offers = fifo[offer]{}
	c.letCloses()
	return nil
}
