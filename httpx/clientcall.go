package httpx

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Call is a request that Client.Start or Client.Stream sends, and its response. Set the fields before that; a Call
// serves once. It may be a part of a larger struct; do not copy it.
//
// Its functions run on the event loop of whoever started it, one after the other, whichever loop runs the connection:
// OnInterim any number of times, OnResponse, OnContent up to the piece that has Last, and, in any case, OnEnd once and
// last. They may run inside ResumeBody, and not inside the other methods.
//
// Both bodies are under backpressure. Of the response's not more than about 128 KiB, and what one read brings, wait
// while its pieces are not taken, because of PauseBody or because the loop is behind; then the connection is not read.
// Of the request's, Writable tells whether another piece is wanted.
type Call struct {
	// Address is where the request goes, "host:port" or what else Client.Dial takes. "" = what the request says.
	Address string
	// OnInterim takes an interim response other than 100 (Continue), which the client deals with. nil = it is dropped.
	// RFC 9110, 15.2.
	OnInterim func(r *Response)
	// OnResponse takes the head of the final response. An error ends the call with it. nil = it is dropped.
	OnResponse func(r *Response) error
	// OnContent takes a piece of the body; a response without one gives EmptyLast, so that the last piece has Last in any
	// case. An error ends the call with it. nil = it is dropped.
	OnContent func(c *Content) error
	// OnEnd says that nothing more comes: with nil behind a complete response, else with what went wrong. It matches
	// ErrServerGone when the connection was lost, *TimeoutError when something took too long, or is what Cancel said.
	OnEnd func(err error)
	// OnWritable says that the call has become Writable again.
	OnWritable func()
	// OnUpgrade takes the response that leaves HTTP, 101 or 2xx to CONNECT, and the connection, which is not the
	// client's any more: it adds handlers to the pipeline, which is active and has no HTTP in it when OnUpgrade has
	// returned. Octets behind the response go to them. It runs on the connection's loop. nil = such a response ends the
	// call. RFC 9110, 7.8 and 9.3.6.
	OnUpgrade func(r *Response, ch *pipeline.Channel) error

	client  *Client
	loop    *pipeline.Loop // of whoever started it; nil: the functions run on that of the connection, for Do
	gather  *gathering     // takes the response instead of the functions
	waiting chan struct{}  // for Do: it waits for a connection again

	// Of whoever has the call: the connection's loop, or who took it out of those that wait.
	full     *FullRequest // one of the two until there is a response
	request  *Request
	method   Method
	body     bool // the request has one that is sent in pieces
	expects  bool // its server is asked first
	held     bool // the body of the full request is sent behind its head
	attempts int

	// Guarded by the pool.
	host     *clientHost
	links    callLinks
	assigned *clientConn

	conn  atomic.Pointer[clientConn] // that serves the call
	state atomic.Uint32

	mu    sync.Mutex
	cause error // of the end
	up    upward
	down  downward

	// Of the loop:
	task    func() // run, made once
	timer   *pipeline.Timer
	busy    bool // a function runs, or a method that none runs in
	rerun   bool // there is something to do behind it
	paused  bool
	ended   bool
	written bool // the last piece of the request has been given
}

// The states of a call. It leaves callRunning under mu.
const (
	callNew uint32 = iota
	callRunning
	callOver      // the connection has nothing more to tell
	callCancelled // nobody wants to hear more
)

// callWindow is how many octets of a body may wait on their way between a call and its connection, in each direction,
// before the sender has to; below half of it the sender goes on.
const callWindow = 128 << 10

// upward is what is on its way from the connection to the functions.
type upward struct {
	queue    queue
	posted   bool // run has been posted
	full     bool // the connection is not read
	writable bool // OnWritable is due
	waits    bool // the call waits for a connection again
}

// callEnd is the last message to a call.
type callEnd struct{}

func (c *Call) claim() bool { return c.state.CompareAndSwap(callNew, callRunning) }

// head is the head of the request.
func (c *Call) head() *Request {
	if c.full != nil {
		return &c.full.Request
	}
	return c.request
}

// prepare looks at what is to be sent.
func (c *Call) prepare() {
	r := c.head()
	c.method = r.Method
	asks := r.Header.present.has(fieldExpect) && r.Header.expectsContinue()
	if c.full != nil {
		c.expects = asks && c.full.BodyLen() > 0
		return
	}
	c.body = r.announcesBody()
	c.expects = asks && c.body
	c.down.starving = c.expects
}

// announcesBody reports whether a request that is sent in pieces has a body.
func (r *Request) announcesBody() bool {
	switch {
	case r.Header.present.has(fieldTransferEncoding):
		return true
	case r.Header.present.has(fieldContentLength):
		n, ok := parseLength(r.Header.Get("content-length"))
		return !ok || n > 0
	}
	return r.Length != 0
}

// refuse undoes the start.
func (c *Call) refuse() {
	c.ended = true
	c.state.Store(callOver)
	c.dropRequest()
}

func (c *Call) dropRequest() {
	if c.full != nil || c.request != nil {
		release(c.full, c.request)
		c.full, c.request = nil, nil
	}
}

// Cancel ends the call with cause, unless it is over: its connection is closed, or it stops waiting for one, and of its
// functions only OnEnd is called any more, later. nil = context.Canceled. Safe for concurrent use once the call has been
// started.
func (c *Call) Cancel(cause error) {
	if cause == nil {
		cause = context.Canceled
	}
	c.cancel(cause)
}

// cancel reports whether the call ends by it.
func (c *Call) cancel(cause error) bool {
	c.mu.Lock()
	running := c.state.Load() == callRunning
	if running {
		c.cause = cause
		c.state.Store(callCancelled)
	}
	c.mu.Unlock()
	if !running {
		return false
	}
	conn, waited := c.client.pool.withdraw(c)
	if waited {
		c.dropRequest()
	}
	if conn != nil {
		_ = conn.channel.Post(func() { conn.abandon(c) }) // a connection that is gone has nothing to abandon
	}
	if c.loop != nil {
		c.wake()
	}
	return true
}

// end is for whoever has the call: nothing more comes. on is the event loop that runs the caller, nil = none.
func (c *Call) end(err error, on *pipeline.Loop) {
	c.dropRequest()
	c.mu.Lock()
	if c.state.Load() == callRunning {
		c.cause = err
		c.state.Store(callOver)
	}
	c.mu.Unlock()
	c.deliver(callEnd{}, 0, on)
}

// cancelled reports whether nobody wants to hear more. Safe for concurrent use.
func (c *Call) cancelled() bool { return c.state.Load() == callCancelled }

// expectConnection limits the waiting for a connection. It runs on the call's loop.
func (c *Call) expectConnection() {
	within := orDefault(c.client.ConnectTimeout, DefaultConnectTimeout)
	if c.timer != nil {
		c.timer.Reset(within)
		return
	}
	c.timer = c.loop.After(within, func() {
		if _, waited := c.client.pool.withdraw(c); waited {
			c.end(&TimeoutError{What: "connection", After: within}, c.loop)
		}
	})
}

// tellWaiting says that the call waits for a connection, once more.
func (c *Call) tellWaiting(on *pipeline.Loop) {
	if c.loop == nil {
		select {
		case c.waiting <- struct{}{}:
		default: // it has been told
		}
		return
	}
	c.mu.Lock()
	c.up.waits = true
	c.mu.Unlock()
	c.turn(on)
}

// PauseBody stops the pieces of OnContent. Call it on the event loop only.
func (c *Call) PauseBody() { c.paused = true }

// ResumeBody ends PauseBody, and may call the functions. Call it on the event loop only.
func (c *Call) ResumeBody() {
	if c.paused {
		c.paused = false
		c.turn(c.loop)
	}
}

// finish ends the call on its loop.
func (c *Call) finish(err error) {
	if c.ended {
		return
	}
	c.ended = true
	c.timer.Stop()
	c.mu.Lock()
	c.up.queue.drop()
	c.down.queue.drop()
	c.mu.Unlock()
	switch {
	case c.gather != nil:
		c.gather.end(err)
	case c.OnEnd != nil:
		c.OnEnd(err)
	}
}

// take gives one message to whom it is for, on the call's loop.
func (c *Call) take(msg any) {
	var err error
	switch m := msg.(type) {
	case *Content:
		err = c.takeContent(m)
	case *Response:
		err = c.takeResponse(m)
	default:
		c.finish(c.cause)
	}
	if err != nil {
		c.Cancel(err)
	}
}

func (c *Call) takeContent(m *Content) error {
	switch {
	case c.gather != nil:
		return c.gather.piece(m)
	case c.OnContent != nil:
		return c.OnContent(m)
	}
	m.Release()
	return nil
}

func (c *Call) takeResponse(m *Response) error {
	switch {
	case m.Interim():
		if c.OnInterim != nil {
			c.OnInterim(m)
			return nil
		}
	case c.gather != nil:
		return c.gather.head(m)
	case c.OnResponse != nil:
		return c.OnResponse(m)
	}
	buffer.Release(m)
	return nil
}
