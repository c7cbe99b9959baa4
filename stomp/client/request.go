package client

import (
	"errors"
	"net"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// request is a frame on its way. It ends once, and then done is called: on the loop of the connection, unless there is
// none. The client's mutex guards it.
type request struct {
	conn    *conn        // nil: it waits for one
	frame   *stomp.Frame // its reference, until it is given to the encoder or, with resend, until the end
	receipt string       // "" = none is asked for
	done    func(err error)
	size    int  // octets, about
	resend  bool // over the next connection when this one is lost
	vital   bool // the connection closes when it cannot be written, as both sides would disagree from then on
	tried   bool // it may have been sent before
	unsent  bool // it counts as such
	ended   bool

	list       *requests // that it is in
	prev, next *request
}

// ending is a request that has ended, and whom to tell with the client unlocked.
type ending struct {
	done func(err error)
	err  error
}

func (e ending) tell() {
	if e.done != nil {
		e.done(e.err)
	}
}

// tellAll tells everybody, also when a function of the program panics.
func tellAll(all []ending) {
	told := 0
	defer func() {
		if told < len(all) {
			tellAll(all[told:])
		}
	}()
	for told < len(all) {
		told++
		all[told-1].tell()
	}
}

// newRequest makes a request of frame, which it takes.
func newRequest(frame *stomp.Frame, done func(err error)) *request {
	size := frame.Body.Len() + len(frame.Command) + 2
	for i := range frame.Headers {
		size += len(frame.Headers[i].Name) + len(frame.Headers[i].Value) + 2
	}
	return &request{frame: frame, done: done, size: size}
}

// confirm has the server asked for a receipt. The client is locked.
func (c *Client) confirm(r *request) {
	r.receipt = c.newID("r")
	r.frame.Headers.Set(stomp.HeaderReceipt, r.receipt)
}

// submit hands r to the connection, or lets it wait for one if that is allowed. Behind an error r is as good as never
// made, and its frame released. The client is locked.
func (c *Client) submit(r *request, mayWait bool) error {
	var err error
	switch {
	case c.ready() && r.receipt != "" && len(c.conn.receipts) >= orDefault(c.MaxReceipts, DefaultMaxReceipts):
		err = ErrBusy
	case c.ready():
		c.queue(c.conn, r)
		return nil
	case c.phase == phaseClosing, c.phase == phaseClosed:
		err = ErrClosed
	case c.phase == phaseIdle, !mayWait, c.MaxOffline <= 0:
		err = notConnected(c.cause)
	case c.offline.n >= c.MaxOffline:
		err = ErrBusy
	default:
		c.count(r)
		c.offline.push(r)
		return nil
	}
	r.ended = true
	r.frame.Release()
	return err
}

// queue hands r to n, which is up. The client is locked.
func (c *Client) queue(n *conn, r *request) {
	r.conn = n
	if r.receipt != "" {
		n.receipts[r.receipt] = r
	}
	c.count(r)
	n.outbox.push(r)
	if !n.posted {
		n.posted = true
		_ = n.channel.Post(n.sendTask) // when the loop has ended the connection is lost, which ends r
	}
}

// count counts r as unsent.
func (c *Client) count(r *request) {
	if !r.unsent {
		r.unsent = true
		c.stats.Unsent += r.size
	}
}

// sent takes r out of what is unsent. The client is locked.
func (c *Client) sent(r *request) {
	if !r.unsent {
		return
	}
	r.unsent = false
	c.stats.Unsent -= r.size
	if c.room != nil && c.stats.Unsent <= c.maxUnsent()/2 {
		close(c.room)
		c.room = nil
	}
}

func (c *Client) maxUnsent() int { return orDefault(c.MaxUnsent, DefaultMaxUnsent) }

// finish ends r. The client is locked.
func (c *Client) finish(r *request, err error) ending {
	if r.ended {
		return ending{}
	}
	r.ended = true
	r.list.remove(r)
	c.sent(r)
	if r.receipt != "" && r.conn != nil {
		delete(r.conn.receipts, r.receipt)
	}
	if r.frame != nil {
		r.frame.Release()
		r.frame = nil
	}
	return ending{r.done, err}
}

// finishAll ends all of a list. The client is locked.
func (c *Client) finishAll(list *requests, err error) (all []ending) {
	for r := list.first; r != nil; r = list.first {
		if r.tried {
			all = append(all, c.finish(r, unconfirmed(err)))
		} else {
			all = append(all, c.finish(r, err))
		}
	}
	return all
}

// drain ends all requests of a connection that is gone, or has them sent again over the next one, in front of those that
// wait for it. The client is locked.
func (c *Client) drain(n *conn, cause error) (all []ending) {
	var again requests
	for r := n.flying.first; r != nil; r = n.flying.first {
		r.tried = true
		n.flying.remove(r)
		again.push(r)
	}
	again.append(&n.outbox)
	for r, next := again.first, (*request)(nil); r != nil; r = next {
		next = r.next
		switch {
		case r.resend && c.phase == phaseUp:
			r.conn = nil
			c.count(r)
		case r.tried:
			all = append(all, c.finish(r, unconfirmed(cause)))
		default:
			all = append(all, c.finish(r, notConnected(cause)))
		}
	}
	again.append(&c.offline)
	c.offline.append(&again)
	return all
}

// sendAll gives what is queued to the encoder. It runs on the loop, as a posted task.
func (n *conn) sendAll() {
	c := n.client
	for {
		c.mu.Lock()
		r := n.outbox.first
		if r == nil || !n.channel.IsOpen() { // what stays has not been sent, and will not be
			n.posted = false
			c.mu.Unlock()
			return
		}
		n.outbox.remove(r)
		n.flying.push(r)
		frame := r.frame
		if r.resend {
			frame.Retain()
		} else {
			r.frame = nil
		}
		c.mu.Unlock()
		p := n.ctx.NewPromise()
		p.OnDone(func(err error) { c.wrote(n, r, err) })
		if err := n.ctx.Forward(frame, p); err != nil {
			p.Fail(err)
		}
	}
}

// wrote hears how the writing of r has ended. It runs on the loop.
func (c *Client) wrote(n *conn, r *request, err error) {
	c.mu.Lock()
	c.sent(r)
	var e ending
	switch {
	case err == nil && r.receipt == "":
		e = c.finish(r, nil)
	case err == nil, n.gone != nil, errors.Is(err, net.ErrClosed), !n.channel.IsOpen():
		// RECEIPT ends it, or the loss of the connection
	default:
		e = c.finish(r, err) // it was refused, and nothing of it is sent
	}
	refused := e.err != nil
	c.mu.Unlock()
	e.tell()
	switch {
	case !refused:
	case r.vital:
		n.fail(err)
	case e.done == nil:
		n.channel.Logger().Warn("stomp/client: frame not sent", "error", err)
	}
}

// blocked refuses a call that waits on the loop of the connection, and releases its frame.
func (c *Client) blocked(frame *stomp.Frame) error {
	c.mu.Lock()
	loop := c.loop
	c.mu.Unlock()
	if loop == nil || !loop.OnLoop() {
		return nil
	}
	if frame != nil {
		frame.Release()
	}
	return pipeline.ErrOnLoop
}
