package httpx

import (
	"context"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// do is Do without redirections.
func (c *Client) do(parent context.Context, req *FullRequest) (*FullResponse, error) {
	if err := context.Cause(parent); err != nil {
		req.Release()
		return nil, err
	}
	w := &waiter{done: make(chan outcome, 1)}
	call := &w.call
	w.gather = gathering{limit: c.MaxBody, f: w.finish}
	call.gather, call.waiting = &w.gather, make(chan struct{}, 1)
	call.claim()
	call.client, call.full = c, req
	waits, err := c.enterBlocking(parent, call)
	if err != nil {
		call.refuse()
		return nil, err
	}
	return w.wait(parent, waits)
}

// waiter is a goroutine that waits for the response.
type waiter struct {
	call   Call
	gather gathering
	done   chan outcome
}

// outcome is what Do returns.
type outcome struct {
	response *FullResponse
	err      error
}

func (w *waiter) finish(r *FullResponse, err error) { w.done <- outcome{r, err} }

// wait returns the result. waits: the call has no connection yet.
func (w *waiter) wait(parent context.Context, waits bool) (*FullResponse, error) {
	call := &w.call
	within := orDefault(call.client.ConnectTimeout, DefaultConnectTimeout)
	var late <-chan time.Time
	for {
		if waits && late == nil {
			timer := time.NewTimer(within)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case r := <-w.done:
			return r.response, r.err
		case <-call.waiting:
			waits, late = true, nil
		case <-late:
			waits, late = false, nil
			if _, waited := call.client.pool.withdraw(call); waited {
				call.dropRequest()
				return nil, &TimeoutError{What: "connection", After: within}
			}
		case <-parent.Done():
			if cause := context.Cause(parent); call.cancel(cause) {
				return nil, cause
			}
			r := <-w.done
			return r.response, r.err
		}
	}
}

// enterBlocking gives call a connection: an unused one, one that it dials, or it waits for one.
func (c *Client) enterBlocking(parent context.Context, call *Call) (waits bool, err error) {
	h, err := c.hostOf(call)
	if err != nil {
		return false, err
	}
	call.host = h
	call.prepare()
	for {
		c.pool.mu.Lock()
		conn := c.pool.take(c.pool.remember(call), nil)
		c.pool.mu.Unlock()
		if conn == nil {
			break
		}
		if given, err := c.give(conn, call); given || err != nil {
			return false, err
		}
	}
	if dialed, err := c.dialFor(parent, call); err != nil || dialed {
		return false, err
	}
	if c.onLoop(call) {
		return false, pipeline.ErrOnLoop
	}
	return c.dispatch(call, nil)
}

// give has a connection that was taken, or dialed, serve call. given is false when it is gone meanwhile.
func (c *Client) give(conn *clientConn, call *Call) (given bool, err error) {
	if conn.loop().OnLoop() {
		conn.free()
		return false, pipeline.ErrOnLoop
	}
	c.pool.mu.Lock()
	if conn.gone != nil {
		c.pool.mu.Unlock()
		return false, nil
	}
	conn.next, call.assigned = call, conn
	c.pool.mu.Unlock()
	conn.wakeFrom(nil)
	return true, nil
}

// onLoop reports whether the caller runs on the loop of a connection to the host of call.
func (c *Client) onLoop(call *Call) bool {
	loops := map[*pipeline.Loop]struct{}{}
	c.pool.mu.Lock()
	for conn := range c.pool.conns {
		if conn.host == call.host {
			loops[conn.loop()] = struct{}{}
		}
	}
	c.pool.mu.Unlock()
	for loop := range loops {
		if loop.OnLoop() {
			return true
		}
	}
	return false
}
