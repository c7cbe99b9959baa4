package client

import (
	"context"

	"github.com/penstock-go/penstock/stomp"
)

// Send sends f, without a receipt, and waits until its last octet has been handed to the kernel; what the server makes
// of it remains unknown. It takes f, which must not be shared. While too much is unsent it waits for that first.
//
// The error is ErrNotConnected or an *stomp.Error when nothing was sent, ErrUnconfirmed when the connection was lost on
// the way, ErrClosed, or the cause of parent, and then f may still be sent. Safe for concurrent use.
func (c *Client) Send(parent context.Context, f *stomp.Frame) error {
	return c.sendAndWait(parent, f, false, nil)
}

// SendReceipt is Send that waits until the server has confirmed that it has processed f. A receipt header is added.
//
// Of its errors, *ServerError says that the server has refused f, and ErrUnconfirmed that nobody knows, see Resend. Safe
// for concurrent use.
func (c *Client) SendReceipt(parent context.Context, f *stomp.Frame) error {
	return c.sendAndWait(parent, f, true, nil)
}

// StartSend sends f and does not wait. It takes f, which must not be shared. done, unless it is nil, makes it a frame
// with a receipt, and is called once: with nil when the server has confirmed it, else with one of the errors of
// SendReceipt. It runs on the event loop, and must not wait.
//
// An error says that nothing is sent and done is not called: ErrBusy when too much is unsent or unconfirmed, and then
// another done is a good place to go on; ErrNotConnected, ErrClosed. Safe for concurrent use.
func (c *Client) StartSend(f *stomp.Frame, done func(err error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startSend(f, done != nil, nil, done)
}

// startSend is StartSend for a transaction, too. The client is locked.
func (c *Client) startSend(f *stomp.Frame, receipt bool, t *Transaction, done func(err error)) error {
	err := t.check()
	if err == nil && c.stats.Unsent >= c.maxUnsent() {
		err = ErrBusy
	}
	if err != nil {
		f.Release()
		return err
	}
	return c.submitSend(newRequest(f, done), receipt, t)
}

// submitSend submits a SEND frame. The client is locked.
func (c *Client) submitSend(r *request, receipt bool, t *Transaction) error {
	r.frame.Command = stomp.CommandSend
	if t != nil {
		r.frame.Headers.Set(stomp.HeaderTransaction, t.id)
		r.vital = r.done == nil // a transaction that lacks it must not be committed
	}
	if receipt {
		c.confirm(r)
		r.resend = c.Resend && t == nil
	}
	return c.submit(r, t == nil)
}

// sendAndWait is Send and SendReceipt.
func (c *Client) sendAndWait(parent context.Context, f *stomp.Frame, receipt bool, t *Transaction) error {
	if err := c.blocked(f); err != nil {
		return err
	}
	done := make(chan error, 1)
	r := newRequest(f, func(err error) { done <- err })
	c.mu.Lock()
	for {
		err := t.check()
		if err == nil {
			err = context.Cause(parent)
		}
		if err != nil {
			c.mu.Unlock()
			f.Release()
			return err
		}
		if c.stats.Unsent < c.maxUnsent() {
			break
		}
		c.awaitRoom(parent)
	}
	err := c.submitSend(r, receipt, t)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.await(parent, r, done)
}

// awaitRoom waits until less is unsent, or parent ends. The client is locked, but not meanwhile.
func (c *Client) awaitRoom(parent context.Context) {
	if c.room == nil {
		c.room = make(chan struct{})
	}
	room := c.room
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-room:
	case <-parent.Done():
	}
}

// await waits for r, whose end goes to done.
func (c *Client) await(parent context.Context, r *request, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-parent.Done():
	}
	c.mu.Lock()
	ended := r.ended
	if !ended {
		r.done = nil
		if r.conn == nil { // nothing of it is sent yet, and now nobody wants it
			c.finish(r, nil)
		}
	}
	c.mu.Unlock()
	if ended {
		return <-done
	}
	return context.Cause(parent)
}
