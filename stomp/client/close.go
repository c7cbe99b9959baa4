package client

import (
	"context"
	"errors"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// Close ends the client for good. It sends DISCONNECT behind everything that was sent before, waits for the server's
// receipt, and closes the connection; attempts to connect are given up. STOMP 1.2, "Graceful Shutdown".
//
// It always returns: when parent ends the connection is closed at once and the cause of parent is returned; when
// CloseTimeout ends it is a *TimeoutError. ErrUnconfirmed: the server has closed the connection without the receipt. On
// the event loop of the connection Close begins all that and returns pipeline.ErrOnLoop. A second call waits for the same
// end. Safe for concurrent use.
func (c *Client) Close(parent context.Context) error {
	ended := c.startClose(nil)
	if err := c.blocked(nil); err != nil {
		return err
	}
	select {
	case <-ended:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.end
	case <-parent.Done():
	}
	c.mu.Lock()
	var ch *pipeline.Channel
	if c.conn != nil {
		ch = c.conn.channel
	}
	c.mu.Unlock()
	if ch != nil {
		ch.CloseWith(pipeline.CloseNow, nil)
	}
	return context.Cause(parent)
}

// StartClose is Close that does not wait; CloseTimeout bounds it. done, unless it is nil, is called once with the
// outcome, on the event loop or before it returns. Safe for concurrent use.
func (c *Client) StartClose(done func(err error)) { c.startClose(done) }

// startClose begins the end and returns what is closed when it has come.
func (c *Client) startClose(done func(err error)) <-chan struct{} {
	c.mu.Lock()
	if c.ended == nil {
		c.ended = make(chan struct{})
	}
	var all []ending
	var given *conn
	if done != nil {
		c.closers = append(c.closers, done)
	}
	switch c.phase {
	case phaseIdle, phaseWaiting:
		if c.stop != nil {
			c.stop()
		}
		all = c.closed(nil)
	case phaseDialing:
		c.phase = phaseClosing
		given = c.conn
		c.hangUp()
	case phaseUp:
		c.phase = phaseClosing
		c.disconnect(c.conn)
	case phaseClosing:
	case phaseClosed:
		all = c.takeClosers()
	}
	c.mu.Unlock()
	if given != nil && given.dialedOut() {
		c.giveUp(given, ErrClosed)
	}
	tellAll(all)
	c.tell()
	return c.ended
}

// dialedOut reports whether the connection is there, and only the login is awaited.
func (n *conn) dialedOut() bool {
	n.client.mu.Lock()
	defer n.client.mu.Unlock()
	return n.channel != nil
}

// disconnect sends DISCONNECT. The client is locked.
func (c *Client) disconnect(n *conn) {
	r := newRequest(stomp.NewFrame(stomp.CommandDisconnect), func(err error) {
		if err == nil { // on the loop, as it is RECEIPT that says so
			n.confirmed = true
			n.ctx.Close()
		}
	})
	c.confirm(r)
	c.queue(n, r)
	within := orDefault(c.CloseTimeout, DefaultCloseTimeout)
	_ = n.channel.Post(func() { // a connection that is gone needs no timer
		n.farewell = n.ctx.After(within, func() { n.fail(&TimeoutError{What: "answer to DISCONNECT", After: within}) })
	})
}

// outcome is what Close returns when the connection is gone because of err.
func (n *conn) outcome(err error) error {
	var late *TimeoutError
	switch {
	case !n.up, n.confirmed:
		return nil
	case errors.As(err, &late):
		return err
	}
	return unconfirmed(err)
}

// closed is the end. The client is locked.
func (c *Client) closed(err error) []ending {
	c.phase, c.end, c.cause = phaseClosed, err, ErrClosed
	all := c.finishAll(&c.offline, ErrClosed)
	for _, s := range c.subs {
		all = append(all, ending{s.first, ErrClosed})
		s.first, s.ended = nil, true
	}
	c.subs = nil
	clear(c.byID)
	if c.hangUp != nil {
		c.hangUp()
	}
	c.note(Status{State: StateClosed, Err: err})
	close(c.ended)
	return append(all, c.takeClosers()...)
}

// takeClosers returns whom to tell of the end. The client is locked.
func (c *Client) takeClosers() (all []ending) {
	for _, done := range c.closers {
		all = append(all, ending{done, c.end})
	}
	c.closers = nil
	return all
}
