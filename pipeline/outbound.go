package pipeline

import (
	"fmt"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// outbound is the queue between a pipeline's head and the socket: bytes in entries, promises beside them
// as offsets in the stream, so that a promise does not stop small messages from sharing an entry.
type outbound struct {
	entries    []entry
	first      int // entries before it are gone
	waiting    []waiting
	firstWait  int
	queued     uint64     // stream offsets: end of what was ever queued,
	mark       uint64     // of what was flushed,
	sent       uint64     // of what the kernel took
	dropped    []*Promise // of messages that were dropped, to be told so
	cancelled  bool       // there are promises to drop before the next flush
	unwritable bool
	told       bool // handlers know that we are unwritable
	blocked    bool // the socket took less than it was given
	flushing   bool
	again      bool // a flush came in the middle of one
	ended      bool // our FIN is sent or on its way
	failed     bool // a write failed; nothing is taken any more
	stall      *Timer
	stallSent  uint64
}

// entry is a run of bytes of one buffer, or a piece of a file.
type entry struct {
	buf  *buffer.Buffer // one reference
	data []byte         // what is left of it
	file *FileRegion    // instead of buf and data
}

func (e *entry) len() int {
	if e.file != nil {
		return e.file.left
	}
	return len(e.data)
}

// waiting is a promise with the stream offsets of its message.
type waiting struct {
	p          *Promise
	start, end uint64
}

const (
	coalesceMost = 512     // messages up to this size share an entry
	coalesceSize = 4 << 10 // size of the buffer they share
)

// enqueue takes msg and, when it returns nil, p.
func (c *Channel) enqueue(msg any, p *Promise) error {
	if p != nil && p.state != promisePending {
		panic("pipeline: promise written twice")
	}
	n := 0
	switch m := msg.(type) {
	case *buffer.Buffer:
		n = m.Len()
	case *buffer.Composite:
		n = m.Len()
	case *FileRegion:
		n = m.left
	default:
		return c.notBytes(msg, p)
	}
	if err := c.refuse(n); err != nil {
		buffer.Release(msg)
		return err
	}
	c.touch()
	start := c.out.queued
	switch m := msg.(type) {
	case *buffer.Buffer:
		c.out.add(c, m)
	case *buffer.Composite:
		for i := range m.Parts() {
			c.out.push(m.RetainPart(i))
		}
		m.Release()
	case *FileRegion:
		c.out.addFile(m)
	}
	if p != nil {
		p.state, p.queue = promiseQueued, c
		c.out.wait(waiting{p, start, c.out.queued})
	}
	c.checkHigh()
	return nil
}

// refuse says why n more bytes can't be queued.
func (c *Channel) refuse(n int) error {
	switch {
	case c.state >= stateClosing || c.out.failed:
		return c.closedError()
	case c.out.ended:
		return ErrWriteClosed
	case c.Pending()+n > c.opts.HardCap:
		return fmt.Errorf("pipeline: channel %s: %d bytes queued, %d more would pass the cap of %d: %w",
			c.ID(), c.Pending(), n, c.opts.HardCap, ErrOutboundFull)
	}
	return nil
}

func (c *Channel) notBytes(msg any, p *Promise) error {
	if c.state >= stateClosing {
		buffer.Release(msg)
		return c.closedError()
	}
	if c.sink != nil && c.sink.Unencoded(msg) {
		if p != nil {
			p.Succeed()
		}
		return nil
	}
	err := fmt.Errorf("pipeline: channel %s: %s reached the head: %w", c.ID(), messageName(msg), ErrNoEncoder)
	buffer.Release(msg)
	return err
}

// Pending is the number of bytes queued and not yet taken by the kernel. Call it on the event loop only.
func (c *Channel) Pending() int { return int(c.out.queued - c.out.sent) }

// BytesWritten is the number of bytes that the kernel took. Call it on the event loop only.
func (c *Channel) BytesWritten() uint64 { return c.out.sent }

// add queues a buffer, or copies it behind its neighbour when both are small.
func (o *outbound) add(c *Channel, b *buffer.Buffer) {
	n := b.Len()
	if n == 0 {
		c.loop.pool.Put(b)
		return
	}
	if n <= coalesceMost && len(o.entries) > o.first {
		last := &o.entries[len(o.entries)-1]
		if last.file == nil && len(last.data) <= coalesceSize {
			if o.join(c, last, b.Bytes()) {
				c.loop.pool.Put(b)
				return
			}
		}
	}
	o.push(b, b.Bytes())
}

// join appends data to the last entry, when that is a buffer of the queue's own or small enough to
// become one.
func (o *outbound) join(c *Channel, last *entry, data []byte) bool {
	if !last.growable(len(data)) {
		if len(last.data) > coalesceMost {
			return false
		}
		shared := c.loop.pool.Get(coalesceSize)
		shared.Append(last.data)
		c.loop.pool.Put(last.buf)
		last.buf, last.data = shared, shared.Bytes()
	}
	left := len(last.data)
	last.buf.Append(data)
	window := last.buf.Bytes()
	last.data = window[len(window)-left-len(data):]
	o.queued += uint64(len(data))
	return true
}

// growable reports whether n bytes can be appended in place: nobody else holds the buffer, there is room,
// and the entry ends where the buffer's bytes end.
func (e *entry) growable(n int) bool {
	if !e.buf.Unique() || e.buf.Room() < n {
		return false
	}
	all := e.buf.Bytes()
	return len(all) > 0 && &all[len(all)-1] == &e.data[len(e.data)-1]
}

// push queues a buffer's window under its own reference.
func (o *outbound) push(b *buffer.Buffer, window []byte) {
	if len(window) == 0 {
		b.Release()
		return
	}
	o.compact()
	o.entries = append(o.entries, entry{buf: b, data: window})
	o.queued += uint64(len(window))
}

func (o *outbound) addFile(r *FileRegion) {
	if r.left <= 0 {
		r.Release()
		return
	}
	o.compact()
	o.entries = append(o.entries, entry{file: r})
	o.queued += uint64(r.left)
}

// wait appends a promise, in the room of completed ones where there is none left.
func (o *outbound) wait(w waiting) {
	if o.firstWait > 0 && len(o.waiting) == cap(o.waiting) {
		n := copy(o.waiting, o.waiting[o.firstWait:])
		clear(o.waiting[n:])
		o.waiting, o.firstWait = o.waiting[:n], 0
	}
	o.waiting = append(o.waiting, w)
}

// compact reuses the room of entries that are gone instead of growing.
func (o *outbound) compact() {
	if o.first > 0 && len(o.entries) == cap(o.entries) {
		n := copy(o.entries, o.entries[o.first:])
		clear(o.entries[n:])
		o.entries, o.first = o.entries[:n], 0
	}
}

// release drops entry i's reference.
func (e *entry) release(c *Channel) {
	if e.file != nil {
		e.file.Release()
	} else {
		c.loop.pool.Put(e.buf)
	}
	*e = entry{}
}

// drop forgets all bytes; promises are failed by the caller.
func (o *outbound) drop(c *Channel) {
	for i := o.first; i < len(o.entries); i++ {
		o.entries[i].release(c)
	}
	o.entries, o.first = nil, 0
	o.queued, o.mark = o.sent, o.sent
}
