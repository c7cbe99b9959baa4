package nethttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// call is one request on its goroutine.
type call struct {
	link
	bridge *Bridge
	x      *httpx.Exchange
	req    *http.Request
	ctx    context.Context
	cancel context.CancelCauseFunc
	body   body
	answer response
	conn   *conn // that took the connection over; the lock of the link guards it
}

// order is a message to the loop without octets.
type order uint8

const (
	orderBody   order = iota // ask for the body
	orderResume              // go on with it
	orderAbort               // close in the place of the rest of the answer
	orderClose               // close behind the answer
)

func newCall(b *Bridge, x *httpx.Exchange) *call {
	c := &call{bridge: b, x: x}
	c.ctx, c.cancel = context.WithCancelCause(b.context(x.Channel()))
	c.connect(x.Post, c.obey)
	c.body.c = c
	c.answer.begin(c)
	return c
}

// begin ties the call to the exchange. It runs on the event loop.
func (c *call) begin(req *http.Request) {
	q := c.x.Request
	c.req = req
	c.body.known(req)
	c.body.waits = q.ExpectContinue
	c.answer.keep, c.answer.asksToLeave = q.KeepAlive, q.Upgrade
	c.x.OnGone(c.gone)
	c.x.OnWritable(c.writable)
	c.x.OnBodyError(c.broken)
	if q.Length != 0 && !c.body.waits {
		c.body.asked = true
		c.ask()
	}
}

// gone says that the client has left. It runs on the event loop.
func (c *call) gone(cause error) {
	c.cancel(cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failLocked(opError(c.x.Channel(), "write", pipeError{}))
	if c.conn != nil {
		c.conn.fail(cause)
	}
}

// run answers the request. Nothing that the handler does may hurt the process, short of what no program survives.
func (c *call) run() {
	whole := false
	defer func() { c.over(whole, recover()) }()
	c.bridge.handler(c.req).ServeHTTP(&c.answer, c.req)
	c.answer.finish()
	whole = true
}

// over lets everything go. whole is false when the handler panicked with cause, or ended its goroutine.
func (c *call) over(whole bool, cause any) {
	if !whole {
		if cause != nil && cause != http.ErrAbortHandler { //nolint:errorlint // that very value, as net/http has it
			c.logger().Error("nethttp: handler panicked", "channel", c.x.Channel().ID(), "remote", c.req.RemoteAddr,
				"panic", cause, "stack", string(debug.Stack()))
		}
		c.answer.abort()
	}
	c.cancel(context.Canceled)
	c.body.leave()
	c.stopTimers()
	if c.req.MultipartForm != nil {
		_ = c.req.MultipartForm.RemoveAll() // temporary files that are gone already are no loss
	}
	c.bridge.leave()
}

// obey does what the goroutine asks for. It runs on the event loop.
func (c *call) obey() {
	n := 0
	for _, m := range c.take() {
		size, err := c.do(m)
		n += size
		if err != nil {
			c.fail(c.reason(err))
			_ = c.x.Abort() // unless the answer is complete
		}
	}
	c.done(n, c.x.Writable())
}

// reason makes the error of a channel that is closing that of a client that has left.
func (c *call) reason(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, httpx.ErrGone) {
		return opError(c.x.Channel(), "write", errors.Join(pipeError{}, err))
	}
	return err
}

// do deals with one message, and takes it. It returns what that counts.
func (c *call) do(m any) (int, error) {
	switch m := m.(type) {
	case *httpx.Content:
		n := m.Len()
		return n, c.x.Write(m)
	case *httpx.Response:
		if m.Interim() {
			return 0, c.x.Interim(m)
		}
		return 0, c.x.Begin(m)
	case *pipeline.FileRegion:
		n := m.Len()
		return n, c.x.WriteFile(m)
	case *takeover:
		m.perform(c)
		return 0, nil
	case order:
		return 0, c.follow(m)
	}
	buffer.Release(m)
	return 0, nil
}

func (c *call) follow(o order) error {
	switch o {
	case orderBody:
		c.ask()
	case orderResume:
		c.x.ResumeBody()
	case orderAbort:
		return c.x.Abort()
	case orderClose:
		return c.x.Channel().Close()
	}
	return nil
}
