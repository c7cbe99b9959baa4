package httpx

import (
	"context"
	"fmt"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// enter finds out where a new call goes and gives it a connection. on is as for dispatch: the call's own loop.
func (c *Client) enter(call *Call) (waits bool, err error) {
	h, err := c.hostOf(call)
	if err != nil {
		return false, err
	}
	call.host = h
	call.prepare()
	return c.dispatch(call, call.loop)
}

// hostOf returns the host that call goes to.
func (c *Client) hostOf(call *Call) (*clientHost, error) {
	if c.Dial == nil {
		return nil, refuse(0, "client without Dial")
	}
	var scratch [128]byte
	key, err := c.appendKey(scratch[:0], call.Address, call.head())
	if err != nil {
		return nil, err
	}
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	return c.pool.enter(key)
}

// dispatch gives call a connection, or lets it wait for one. on is the event loop that runs the caller, nil = none.
func (c *Client) dispatch(call *Call, on *pipeline.Loop) (waits bool, err error) {
	p := &c.pool
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return false, ErrClientClosed
	}
	h := p.remember(call)
	if conn := p.take(h, call.loop); conn != nil {
		conn.next, call.assigned = call, conn
		p.mu.Unlock()
		conn.wakeFrom(on)
		return false, nil
	}
	if h.waiting.n >= orDefault(c.MaxWaiting, DefaultMaxWaiting) {
		p.mu.Unlock()
		return false, ErrBusy
	}
	h.waiting.push(call)
	dials := c.wanted(h)
	p.mu.Unlock()
	c.startDials(h, dials)
	return true, nil
}

// again gives a call another connection when it has lost the one it had, or ends it.
func (c *Client) again(call *Call, on *pipeline.Loop) {
	waits, err := c.dispatch(call, on)
	switch {
	case err != nil:
		call.end(err, on)
	case !waits:
	case call.cancelled():
		if _, waited := c.pool.withdraw(call); waited {
			call.end(nil, on)
		}
	default:
		call.tellWaiting(on)
	}
}

// wanted counts the dials that those who wait still need, and counts them as under way. The pool is locked.
func (c *Client) wanted(h *clientHost) int {
	n := min(h.waiting.n-h.dialing, orDefault(c.MaxConnsPerHost, DefaultMaxConnsPerHost)-h.open)
	if n <= 0 || c.pool.closed {
		return 0
	}
	h.dialing += n
	h.open += n
	return n
}

// startDials dials n times for those that wait. Dialing waits: these are the only goroutines of a client.
func (c *Client) startDials(h *clientHost, n int) {
	for range n {
		go c.dialForWaiting(h)
	}
}

// dialForWaiting makes a connection for the call that has waited longest by then.
func (c *Client) dialForWaiting(h *clientHost) {
	conn, err := c.connect(c.pool.dials, h)
	p := &c.pool
	p.mu.Lock()
	h.dialing--
	if err = p.admit(conn, err); err == nil {
		if conn.next = h.waiting.pop(); conn.next != nil {
			conn.next.assigned = conn
			p.mu.Unlock()
			conn.wakeFrom(nil)
			return
		}
		surplus := c.keep(conn)
		p.mu.Unlock()
		conn.wakeFrom(nil)
		closeAll(surplus)
		return
	}
	h.open--
	var failed *Call
	if h.waiting.n > h.dialing {
		failed = h.waiting.pop()
	}
	dials := c.wanted(h)
	p.leave(h)
	p.mu.Unlock()
	c.startDials(h, dials)
	if failed != nil {
		failed.end(err, nil)
	}
}

// admit counts a connection that has been dialed, unless it is gone already. The pool is locked.
func (p *clientPool) admit(conn *clientConn, err error) error {
	switch {
	case err != nil:
		return err
	case conn.gone != nil:
		return conn.gone
	case p.closed:
		conn.channel.CloseWith(pipeline.CloseNow, nil)
		return ErrClientClosed
	}
	p.conns[conn] = struct{}{}
	return nil
}

// keep keeps conn unused and returns those that have to be closed for it. The pool is locked.
func (c *Client) keep(conn *clientConn) [2]*clientConn {
	return c.pool.put(conn, orDefault(c.MaxIdlePerHost, DefaultMaxIdlePerHost), orDefault(c.MaxIdle, DefaultMaxIdle))
}

func closeAll(surplus [2]*clientConn) {
	for _, conn := range surplus {
		if conn != nil {
			conn.channel.CloseWith(pipeline.CloseNow, nil)
		}
	}
}

// connect dials h and waits.
func (c *Client) connect(parent context.Context, h *clientHost) (*clientConn, error) {
	within := orDefault(c.ConnectTimeout, DefaultConnectTimeout)
	limited, stop := context.WithTimeout(parent, within)
	defer stop()
	address, secure := h.address()
	dial := c.Dial
	if secure {
		dial = c.DialTLS
	}
	conn := newClientConn(c, h)
	_, err := dial(limited, address, conn.install)
	if deadline, _ := limited.Deadline(); err != nil && !time.Now().Before(deadline) {
		<-limited.Done() // dialers with a clock of their own may be a moment early
	}
	switch {
	case err == nil:
		return conn, nil
	case c.pool.isClosed():
		return nil, ErrClientClosed
	case parent.Err() != nil:
		return nil, context.Cause(parent)
	case limited.Err() != nil:
		return nil, &TimeoutError{What: "connection", After: within, Err: err}
	}
	return nil, fmt.Errorf("httpx: no connection: %w", err)
}

// dialFor makes a connection for call on the caller's goroutine when there is neither an unused one nor a reason to
// wait: done is false then, and call waits, or has a connection, as after dispatch.
func (c *Client) dialFor(parent context.Context, call *Call) (done bool, err error) {
	p := &c.pool
	p.mu.Lock()
	h := p.remember(call)
	if p.closed || len(h.idle) > 0 || h.open >= orDefault(c.MaxConnsPerHost, DefaultMaxConnsPerHost) {
		p.mu.Unlock()
		return false, nil
	}
	h.open++
	p.mu.Unlock()
	parent, stop := context.WithCancelCause(parent)
	defer stop(nil)
	defer context.AfterFunc(p.dials, func() { stop(ErrClientClosed) })()
	conn, err := c.connect(parent, h)
	p.mu.Lock()
	if err = p.admit(conn, err); err != nil {
		h.open--
		dials := c.wanted(h)
		p.leave(h)
		p.mu.Unlock()
		c.startDials(h, dials)
		return false, err
	}
	p.mu.Unlock()
	return c.give(conn, call)
}
