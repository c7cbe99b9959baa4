package transport

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	// The staging buffer follows the traffic, from firstStage on, between leastStage and mostStage.
	firstStage = 4 << 10
	leastStage = 1 << 10
	mostStage  = 64 << 10

	mostKept   = 256 << 10 // bytes collected after a failed write
	emptyReads = 100       // reads of nothing without an error, in a row

	// collectTime is how long a failed write waits for the end of what the peer sent before.
	collectTime = 100 * time.Millisecond
)

// readSide is the reading half of a netConn. Its fields belong to the connection's lock.
type readSide struct {
	more       sync.Cond
	staged     *buffer.Buffer // read and not yet taken by the channel; nil: nothing
	err        error          // why the reader ended; due after staged
	guess      int            // size of the next staging buffer
	want       bool           // the channel wants ReadReady
	started    bool
	ended      bool
	collecting bool // a write has failed: read on, wanted or not, before that is reported
}

// ready reports whether Read would not block.
func (r *readSide) ready() bool { return r.staged != nil || r.err != nil }

// broken reports whether the reader ended by anything but the peer's FIN.
func (r *readSide) broken() bool { return r.err != nil && !errors.Is(r.err, io.EOF) }

func (r *readSide) drop() {
	if r.staged != nil {
		r.staged.Release()
		r.staged = nil
	}
}

// Read takes bytes that the reader has staged. Call it on the event loop only.
func (c *netConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.in
	if r.staged == nil {
		if r.err != nil {
			return 0, r.err
		}
		return 0, pipeline.ErrWouldBlock
	}
	n := min(len(p), r.staged.Len())
	copy(p, r.staged.Next(n))
	if r.staged.Len() == 0 {
		r.drop()
		r.more.Signal() // the reader goes on while the channel works on these
	}
	return n, nil
}

// startReader starts the reader once. The caller holds c.mu.
func (c *netConn) startReader() {
	if c.in.started || c.closed {
		return
	}
	c.in.started = true
	c.loop.owner.group.Go(c.readLoop)
}

// readLoop is the reader: one blocking read at a time, into a buffer that the channel takes it from.
func (c *netConn) readLoop() {
	for empty := 0; empty < emptyReads; {
		size, ok := c.awaitRead()
		if !ok {
			return
		}
		b := c.loop.core.Pool().GetShared(size)
		n, err := c.conn.Read(b.Reserve(size))
		b.Commit(n)
		if !c.stage(b, err) {
			return
		}
		if n > 0 {
			empty = 0
		} else {
			empty++
		}
	}
	c.stage(nil, io.ErrNoProgress)
}

// awaitRead waits until the channel wants more and has taken what there was.
func (c *netConn) awaitRead() (size int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.in
	for !c.closed && !r.collecting && (!r.want || r.staged != nil) {
		r.more.Wait()
	}
	return r.guess, !c.closed
}

// stage takes b, hands its bytes to the loop, and reports whether to read on.
func (c *netConn) stage(b *buffer.Buffer, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.in
	if b != nil {
		r.adapt(b.Len())
		r.keep(b)
	}
	if c.closed {
		r.drop()
		return false
	}
	if err != nil && !c.collected(err) {
		r.err = connError(err)
	}
	if r.collecting && (err != nil || r.staged != nil && r.staged.Len() >= mostKept) {
		r.collecting = false
	}
	r.ended = err != nil
	c.look()
	return !r.ended
}

// collected reports whether err is only the deadline that collect has set.
func (c *netConn) collected(err error) bool {
	var timeout interface{ Timeout() bool }
	return c.in.collecting && errors.As(err, &timeout) && timeout.Timeout()
}

// keep takes b.
func (r *readSide) keep(b *buffer.Buffer) {
	switch {
	case b.Len() == 0:
		b.Release()
	case r.staged == nil:
		r.staged = b
	default:
		r.staged.Append(b.Bytes())
		b.Release()
	}
}

func (r *readSide) adapt(n int) {
	switch {
	case n >= r.guess:
		r.guess = min(r.guess*4, mostStage)
	case n < r.guess/4:
		r.guess = max(r.guess/2, leastStage)
	}
}

// collect lets the reader fetch what the peer had sent when a write failed: a server that refuses a
// request closes right after its answer, and our write may hear of that first. The failure is reported
// when the reader comes to the end, which a broken connection has near. The caller holds c.mu.
func (c *netConn) collect() {
	r := &c.in
	if !r.started || r.ended || c.conn.SetReadDeadline(time.Now().Add(collectTime)) != nil {
		return
	}
	r.collecting = true
	r.more.Signal()
}
