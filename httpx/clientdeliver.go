package httpx

import (
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// queue is messages in order, and the octets in them.
type queue struct {
	all   []any
	at    int // the first one
	bytes int
}

func (q *queue) put(msg any, n int) {
	q.all = append(q.all, msg)
	q.bytes += n
}

func (q *queue) empty() bool { return q.at == len(q.all) }

// peek returns the first message, nil = there is none.
func (q *queue) peek() any {
	if q.empty() {
		return nil
	}
	return q.all[q.at]
}

// next takes the first message off; there must be one.
func (q *queue) next() any {
	msg := q.all[q.at]
	if c, ok := msg.(*Content); ok {
		q.bytes -= c.Len()
	}
	q.all[q.at] = nil
	if q.at++; q.at == len(q.all) {
		q.all, q.at = q.all[:0], 0
	}
	return msg
}

func (q *queue) drop() {
	for !q.empty() {
		buffer.Release(q.next())
	}
}

// deliver brings msg, with n octets of a body, to the call's loop, and reports whether the connection shall not be read
// on for now. It takes msg. on is the event loop that runs the caller, nil = none.
func (c *Call) deliver(msg any, n int, on *pipeline.Loop) (full bool) {
	if c.direct(on) && !c.busy && !c.paused {
		if c.cancelled() {
			buffer.Release(msg)
			c.turn(on)
			return false
		}
		if c.idle() {
			c.run(msg)
			return false
		}
	}
	c.mu.Lock()
	if c.cancelled() {
		c.mu.Unlock()
		buffer.Release(msg)
		return false
	}
	c.up.queue.put(msg, n)
	if c.up.queue.bytes >= callWindow {
		c.up.full, full = true, true
	}
	c.mu.Unlock()
	c.turn(on)
	return full
}

// direct reports whether the caller runs on the loop of the call's functions.
func (c *Call) direct(on *pipeline.Loop) bool { return c.loop == nil || c.loop == on }

// idle reports whether nothing waits to be told.
func (c *Call) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up.queue.empty() && !c.up.writable && !c.up.waits
}

// turn has run called: now, when that is possible, or soon.
func (c *Call) turn(on *pipeline.Loop) {
	switch {
	case !c.direct(on):
		c.wake()
	case c.busy:
		c.rerun = true
	default:
		c.run(nil)
	}
}

// wake posts run to the call's loop.
func (c *Call) wake() {
	c.mu.Lock()
	posted := c.up.posted
	c.up.posted = true
	if c.task == nil {
		c.task = c.wakened
	}
	c.mu.Unlock()
	if posted || c.loop.Post(c.task) == nil {
		return
	}
	// The loop has ended, so that no function can be called any more.
	c.mu.Lock()
	c.up.queue.drop()
	c.down.queue.drop()
	c.mu.Unlock()
	c.cancel(pipeline.ErrLoopClosed)
}

func (c *Call) wakened() {
	c.mu.Lock()
	c.up.posted = false
	c.mu.Unlock()
	c.turn(c.loop)
}

// run gives first, if there is one, and then what waits to whom it is for.
func (c *Call) run(first any) {
	c.busy = true
	returned := false
	defer func() {
		c.busy = false
		if !returned {
			c.Cancel(errPanicked)
		}
	}()
	if first != nil {
		c.take(first)
	}
	if first == nil || c.rerun || c.cancelled() {
		for c.step() {
		}
	}
	returned = true
}

// step does one thing that waits to be done and reports whether it found one.
func (c *Call) step() bool {
	c.mu.Lock()
	c.rerun = false
	if c.ended || c.cancelled() {
		c.mu.Unlock()
		c.finish(c.cause)
		return false
	}
	up := &c.up
	writable, waits := up.writable, up.waits
	up.writable, up.waits = false, false
	msg := up.queue.peek()
	if _, content := msg.(*Content); content && c.paused {
		msg = nil
	}
	if msg != nil {
		up.queue.next()
	}
	resumes := up.full && up.queue.bytes <= callWindow/2
	up.full = up.full && !resumes
	c.mu.Unlock()
	if resumes {
		c.resumeReading()
	}
	if waits {
		c.expectConnection()
	}
	if writable && c.OnWritable != nil {
		c.OnWritable()
	}
	if msg != nil {
		c.take(msg)
	}
	return msg != nil || writable || waits
}

// resumeReading has the connection read again.
func (c *Call) resumeReading() {
	switch conn := c.conn.Load(); {
	case conn == nil:
	case c.direct(conn.loop()):
		conn.resume()
	default:
		_ = conn.channel.Post(conn.resumeTask) // one that is gone is not read
	}
}
