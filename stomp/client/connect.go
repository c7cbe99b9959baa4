package client

import (
	"context"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// Connect dials, logs in, and makes the subscriptions that there are; it returns when the server has accepted the login.
// From then on lost connections are replaced, as Reconnect says. It tries once; after an error the client is as before,
// and Connect may be called again: *ServerError when the server has refused, *TimeoutError, ErrVersion, ErrProtocol, the
// cause of parent, or that of the DialFunc. ErrStarted, ErrClosed: see there.
func (c *Client) Connect(parent context.Context) error {
	first := make(chan error, 1)
	if err := c.begin(first); err != nil {
		return err
	}
	limited, stop := context.WithCancelCause(parent)
	defer stop(nil)
	defer context.AfterFunc(c.dials, func() { stop(ErrClosed) })()
	tried := c.try(limited)
	select {
	case err := <-first:
		return err
	default:
	}
	err := pipeline.ErrOnLoop
	if !c.onLoopOf(tried) {
		select {
		case err = <-first:
			return err
		case <-parent.Done():
			err = context.Cause(parent)
		}
	}
	c.mu.Lock()
	tried.doomed = c.first != nil
	c.mu.Unlock()
	if tried.doomed {
		c.giveUp(tried, err)
	}
	return <-first
}

// Start begins to connect and does not wait. The first attempt counts as one of Reconnect: when it fails others follow.
// OnStatus tells what comes of it. ErrStarted, ErrClosed: nothing has been begun. Safe for concurrent use.
func (c *Client) Start() error {
	if err := c.begin(nil); err != nil {
		return err
	}
	c.schedule(0)
	return nil
}

// begin moves an idle client on.
func (c *Client) begin(first chan error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.phase {
	case phaseIdle:
	case phaseClosing, phaseClosed:
		return ErrClosed
	case phaseDialing, phaseUp, phaseWaiting:
		return ErrStarted
	}
	if c.dials == nil {
		c.dials, c.hangUp = context.WithCancel(context.Background())
	}
	c.first, c.failed, c.cause = first, 0, nil
	c.phase = phaseWaiting
	if first != nil {
		c.phase = phaseDialing
	}
	return nil
}

// schedule has the next attempt come after d, unless the client is being closed.
func (c *Client) schedule(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == phaseWaiting {
		c.stop = c.Reconnect.after(d, c.again)
	}
}

// again is an attempt that nobody waits for.
func (c *Client) again() {
	c.mu.Lock()
	due := c.phase == phaseWaiting
	if due {
		c.phase, c.stop = phaseDialing, nil
	}
	c.mu.Unlock()
	if due {
		c.try(c.dials)
	}
}

// try makes one connection and leaves the rest to it.
func (c *Client) try(parent context.Context) *conn {
	n := newConn(c)
	c.mu.Lock()
	c.conn = n
	c.mu.Unlock()
	within := orDefault(c.ConnectTimeout, DefaultConnectTimeout)
	limited, stop := context.WithTimeout(parent, within)
	defer stop()
	ch, err := c.Dial(limited, c.Address, n.install)
	switch {
	case err == nil:
		c.dialed(n, ch, within)
		return n
	case parent.Err() != nil:
		err = context.Cause(parent)
	case limited.Err() != nil:
		err = &TimeoutError{What: "connection", After: within, Err: err}
	}
	c.lost(n, err, false)
	return n
}

// dialed looks at a connection that the DialFunc has returned.
func (c *Client) dialed(n *conn, ch *pipeline.Channel, within time.Duration) {
	c.mu.Lock()
	if n.channel == nil {
		n.channel = ch // its loop does not have it yet
	}
	n.returned = true
	removed := n.removed
	closing, installed := n.gone != nil || c.phase == phaseClosing && !n.up, n.ctx != nil
	c.mu.Unlock()
	switch {
	case closing: // Close has come meanwhile
		c.giveUp(n, ErrClosed)
	case removed:
		c.giveUp(n, ErrServerClosed)
	case !installed && ch.Loop().OnLoop(): // a handshake is under way that ends without us when it fails
		ch.Loop().After(within, func() {
			if n.ctx == nil {
				ch.CloseWith(pipeline.CloseNow, nil)
				c.lost(n, &TimeoutError{What: "connection", After: within}, false)
			}
		})
	}
}

// giveUp ends an attempt, or the connection that came of it, because of err.
func (c *Client) giveUp(n *conn, err error) {
	c.mu.Lock()
	ch := n.channel
	c.mu.Unlock()
	if ch != nil {
		ch.CloseWith(pipeline.CloseNow, nil)
	}
	c.lost(n, err, false)
}

// onLoopOf reports whether the caller runs on the loop of n.
func (c *Client) onLoopOf(n *conn) bool {
	c.mu.Lock()
	ch := n.channel
	c.mu.Unlock()
	return ch != nil && ch.Loop().OnLoop()
}

// up is for the loop of n: the server has accepted the login.
func (c *Client) up(n *conn, s Status) {
	c.mu.Lock()
	if n.gone != nil || n.doomed || c.phase != phaseDialing {
		c.mu.Unlock()
		n.ctx.CloseWith(pipeline.CloseNow, nil) // it is being given up
		return
	}
	c.phase, c.loop, n.version, n.up = phaseUp, n.ctx.Loop(), s.Version, true
	c.cause = nil
	c.stats.Connected++
	c.note(s)
	for _, sub := range c.subs {
		c.queue(n, sub.request())
	}
	for c.offline.first != nil {
		r := c.offline.first
		c.offline.remove(r)
		c.queue(n, r)
	}
	first := c.first
	c.first = nil
	c.mu.Unlock()
	if first != nil {
		defer func() { first <- nil }() // also when OnStatus panics
	}
	c.tell()
}

// lost says that there is no connection n any more, because of err; nil = the server or we have closed it. lasted: long
// enough to begin with the first delay again. Only the first call counts.
func (c *Client) lost(n *conn, err error, lasted bool) {
	err = orError(err, ErrServerClosed)
	c.mu.Lock()
	if n.gone != nil {
		c.mu.Unlock()
		return
	}
	n.gone = err
	settle := c.drain(n, err)
	c.conn = nil
	first := c.first
	c.first = nil
	var delay time.Duration
	follows := false
	switch {
	case c.phase == phaseClosing:
		settle = append(settle, c.closed(n.outcome(err))...)
		err = ErrClosed
	case first != nil:
		c.phase, c.cause = phaseIdle, err
	default:
		if lasted {
			c.failed = 0
		}
		follows = c.Reconnect.allowed(c.failed)
		var more []ending
		delay, more = c.plan(follows, err)
		settle = append(settle, more...)
	}
	c.mu.Unlock()
	if first != nil {
		first <- err
	}
	defer func() { // all of it, also when a function of the program panics
		if follows {
			c.schedule(delay)
		}
	}()
	defer c.tell()
	tellAll(settle)
}

// plan does what follows a loss: another attempt, or nothing. The client is locked.
func (c *Client) plan(follows bool, err error) (delay time.Duration, settle []ending) {
	c.cause = err
	if !follows {
		c.phase = phaseIdle
		c.note(Status{State: StateGivenUp, Err: err, Attempt: c.failed})
		return 0, c.finishAll(&c.offline, notConnected(err))
	}
	c.phase = phaseWaiting
	delay = c.Reconnect.delay(c.failed)
	c.failed++
	c.note(Status{State: StateDisconnected, Err: err, Attempt: c.failed, Next: delay})
	return delay, nil
}
