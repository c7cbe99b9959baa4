package pipeline

import (
	"errors"
	"io"
	"os"
)

const (
	maxPieces  = 64 // buffers in one writev
	writeSpins = 16 // writevs in one flush; a socket that took them all is asked again next round
)

// WriteReady continues a flush that the socket had stopped. The transport calls it on the event loop
// when the socket may be writable.
func (c *Channel) WriteReady() { c.loop.batch(c, (*Channel).writeBatch) }

func (c *Channel) writeBatch() {
	if c.state >= stateClosed || !c.out.blocked {
		return
	}
	c.out.blocked = false
	c.send()
	c.touch()
}

// flush marks everything queued so far for sending and sends what the socket takes.
func (c *Channel) flush() {
	o := &c.out
	if c.state >= stateClosed || o.failed {
		return // everything was dropped; what waits is being failed
	}
	if o.cancelled {
		c.dropCancelled()
	}
	o.mark = o.queued
	for i := len(o.waiting) - 1; i >= o.firstWait && o.waiting[i].p.state == promiseQueued; i-- {
		o.waiting[i].p.state = promiseFlushed // too late to cancel
	}
	c.failDropped() // what their listeners write is behind the mark
	c.send()
}

// send writes up to the mark. Promise listeners run in here and may write, flush, close or panic.
func (c *Channel) send() {
	o := &c.out
	if o.flushing {
		o.again = true
		return
	}
	o.flushing = true
	for spins := 0; c.state < stateClosed && !o.blocked; spins++ {
		left := o.sent != o.mark
		if spins >= writeSpins && (left || o.again) {
			o.blocked = true
			break
		}
		o.again = false
		if left {
			c.sendSome()
			continue
		}
		c.completeWrites() // of empty messages
		if !o.again {
			break
		}
	}
	o.flushing = false
	if o.blocked && c.state < stateClosed {
		c.armStall()
		if !c.in.writeWanted {
			c.touch() // the transport is told that we wait, once
		}
	} else {
		o.stall.Stop()
	}
}

// sendSome does one system call.
func (c *Channel) sendSome() {
	o := &c.out
	var n, asked int
	var err error
	if first := &o.entries[o.first]; first.file != nil {
		asked = min(first.file.left, int(o.mark-o.sent), mostGuess)
		n, err = c.sendFile(first.file, asked)
	} else {
		asked = o.gather(c.loop, int(o.mark-o.sent))
		n, err = c.tr.Writev(c.loop.pieces)
		clear(c.loop.pieces)
	}
	if n > 0 {
		c.advance(n)
		if c.state >= stateClosed {
			return
		}
	}
	switch {
	case err != nil && !errors.Is(err, ErrWouldBlock):
		c.writeFailed(err)
	case n < asked:
		o.blocked = true
	case n == 0:
		c.writeFailed(io.ErrNoProgress)
	}
}

// gather fills the loop's scratch with up to limit bytes from the front of the queue.
func (o *outbound) gather(l *Loop, limit int) int {
	l.pieces = l.pieces[:0]
	total := 0
	for i := o.first; i < len(o.entries) && len(l.pieces) < maxPieces && total < limit; i++ {
		e := &o.entries[i]
		if e.file != nil {
			break
		}
		piece := e.data[:min(len(e.data), limit-total)]
		l.pieces = append(l.pieces, piece)
		total += len(piece)
	}
	return total
}

// sendFile lets the transport send from the file, or reads a piece of it and sends that.
func (c *Channel) sendFile(r *FileRegion, n int) (int, error) {
	if s, ok := c.tr.(FileSender); ok {
		sent, err := s.SendFile(r.file, r.off, n)
		if err == nil && sent == 0 {
			err = io.ErrUnexpectedEOF // the file is shorter than announced
		}
		return sent, err
	}
	b := c.loop.pool.Get(n)
	defer c.loop.pool.Put(b)
	got, err := r.file.ReadAt(b.Reserve(n), r.off)
	if got == 0 {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, &os.PathError{Op: "read", Path: r.file.Name(), Err: err}
	}
	b.Commit(got)
	c.loop.pieces = append(c.loop.pieces[:0], b.Bytes())
	defer clear(c.loop.pieces)
	return c.tr.Writev(c.loop.pieces)
}

// advance takes n sent bytes off the queue and completes the promises that end there.
func (c *Channel) advance(n int) {
	o := &c.out
	o.sent += uint64(n)
	for n > 0 {
		e := &o.entries[o.first]
		if k := e.len(); n < k {
			e.skip(n)
			break
		} else {
			n -= k
		}
		e.release(c)
		o.first++
	}
	if o.first == len(o.entries) {
		o.entries, o.first = o.entries[:0], 0
		if cap(o.entries) > maxPieces {
			o.entries = nil // a peak is over; idle channels hold no large queue
		}
	}
	c.checkLow()
	c.completeWrites()
}

func (e *entry) skip(n int) {
	if e.file != nil {
		e.file.off += int64(n)
		e.file.left -= n
		return
	}
	e.data = e.data[n:]
}

// completeWrites succeeds the promises whose last byte is sent, in write order. Those of messages that
// their listeners write have their turn later: a listener that writes nothing and flushes, again and again,
// must not hold up the loop.
func (c *Channel) completeWrites() {
	o := &c.out
	for n := len(o.waiting) - o.firstWait; n > 0 && o.firstWait < len(o.waiting); n-- {
		w := o.waiting[o.firstWait]
		if w.p.state != promiseFlushed || w.end > o.sent {
			return
		}
		o.waiting[o.firstWait] = waiting{}
		o.firstWait++
		if o.firstWait == len(o.waiting) {
			o.waiting, o.firstWait = o.waiting[:0], 0
		}
		w.p.Succeed()
	}
}

// dropCancelled takes the messages of cancelled promises out of the part that is not flushed yet. It
// builds the queue anew, in one pass.
func (c *Channel) dropCancelled() {
	o := &c.out
	old, waits := o.entries[o.first:], o.waiting[o.firstWait:]
	end := o.queued
	o.entries, o.first, o.waiting, o.firstWait = nil, 0, nil, 0
	o.queued, o.cancelled = o.sent, false
	var cuts []waiting // of bytes, in order
	gone := uint64(0)
	for _, w := range waits {
		if w.p.state != promiseCancelled {
			o.waiting = append(o.waiting, waiting{w.p, w.start - gone, w.end - gone})
			continue
		}
		o.dropped = append(o.dropped, w.p)
		gone += w.end - w.start
		if w.end > w.start {
			cuts = append(cuts, w)
		}
	}
	at := o.sent
	for i := range old {
		at, cuts = o.keep(c, &old[i], at, cuts)
	}
	if end-gone != o.queued {
		panic("pipeline: outbound queue lost count of cancelled writes")
	}
	c.checkLow()
}

// keep queues again what of e lies outside the cuts, and returns where e ends and the cuts that reach
// beyond it. A cut covers a piece of a file as a whole or not at all.
func (o *outbound) keep(c *Channel, e *entry, at uint64, cuts []waiting) (uint64, []waiting) {
	end := at + uint64(e.len())
	for ; len(cuts) > 0 && cuts[0].start < end; cuts = cuts[1:] {
		cut := cuts[0]
		if cut.start > at {
			e.buf.Retain()
			o.push(e.buf, e.data[:cut.start-at:cut.start-at])
			e.skip(int(cut.start - at))
		}
		upTo := min(cut.end, end)
		e.skip(int(upTo - max(at, cut.start)))
		at = upTo
		if cut.end > end {
			break
		}
	}
	if e.len() == 0 {
		e.release(c)
		return end, cuts
	}
	o.entries = append(o.entries, *e)
	o.queued += uint64(e.len())
	return end, cuts
}

// failDropped tells the promises of dropped messages.
func (c *Channel) failDropped() {
	o := &c.out
	for len(o.dropped) > 0 {
		p := o.dropped[0]
		o.dropped = o.dropped[1:]
		p.Fail(ErrCancelled)
	}
	o.dropped = nil
}

// armStall starts the watch for a peer that takes nothing. It re-arms itself while there is progress.
func (c *Channel) armStall() {
	o := &c.out
	if o.stall == nil {
		o.stall = &Timer{loop: c.loop, ch: c, run: c.stalled, at: -1}
	}
	if !o.stall.Armed() {
		o.stallSent = o.sent
		o.stall.Reset(c.opts.WriteStall)
	}
}

// drainLeast is what the peer of a draining channel must take within Options.WriteStall: otherwise one that takes a
// byte now and then would keep the queue and the socket for ever.
const drainLeast = 64 << 10

func (c *Channel) stalled() {
	o := &c.out
	if !o.blocked || c.state >= stateClosed {
		return
	}
	least := uint64(1)
	if c.state == stateClosing {
		least = min(o.queued-o.stallSent, drainLeast)
	}
	if o.sent-o.stallSent >= least {
		o.stallSent = o.sent
		o.stall.Reset(c.opts.WriteStall)
		return
	}
	c.closeNow(ErrWriteStall)
}
