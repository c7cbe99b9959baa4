package broker

import "sync/atomic"

// Pause tells a publisher that its message has been accepted, but that queues or subscriptions with PolicyPause are more
// than half full: it should publish nothing until they are down to a quarter, or publishing will fail at the limit. A session
// stops reading its peer; but when the same peer has to settle deliveries first, see Consumer.HoldsUp, both would wait for each
// other. A pause that is not wanted may be dropped.
type Pause struct {
	first *queue
	more  []*queue
	call  func()
	left  atomic.Int32 // queues that have not resumed; 0: called or canceled
}

// add returns p with one more queue; p may be nil.
func (p *Pause) add(q *queue) *Pause {
	if p == nil {
		return &Pause{first: q}
	}
	p.more = append(p.more, q)
	return p
}

// OnResume has f called once when publishing may go on, possibly before it returns. f runs on any goroutine and with locks
// held: it may only post. Call it at most once, from one goroutine.
func (p *Pause) OnResume(f func()) {
	p.call = f
	p.left.Store(int32(2 + len(p.more))) // one more, so that f is not called before all have been asked
	p.each((*queue).addPause)
	p.resumed()
}

// HoldsUp reports whether publishers pause until c, or another consumer of its queue, has settled some of what it has.
func (c *Consumer) HoldsUp() bool {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	return len(c.queue.pauses) > 0
}

// Cancel takes back OnResume, which has returned: the function is not called after Cancel has returned. Safe for concurrent
// use, but not from within that function.
func (p *Pause) Cancel() {
	p.left.Store(0)
	p.each((*queue).removePause)
}

func (p *Pause) each(f func(*queue, *Pause)) {
	f(p.first, p)
	for _, q := range p.more {
		f(q, p)
	}
}

// resumed notes that one of the queues has resumed, and calls when it was the last.
func (p *Pause) resumed() {
	for {
		left := p.left.Load()
		if left <= 0 { // canceled
			return
		}
		if !p.left.CompareAndSwap(left, left-1) {
			continue
		}
		if left == 1 {
			p.call()
		}
		return
	}
}

// addPause puts p among those that are told at the low mark. It takes the lock.
func (q *queue) addPause(p *Pause) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended || q.bounds.low(q.held, q.bytes) {
		p.resumed()
		return
	}
	q.pauses = append(q.pauses, p)
}

// removePause removes p. It takes the lock.
func (q *queue) removePause(p *Pause) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.pauses {
		if other == p {
			q.pauses = append(q.pauses[:i], q.pauses[i+1:]...)
			return
		}
	}
}

// merge returns a pause for what is in p, o, or both; either may be nil.
func (p *Pause) merge(o *Pause) *Pause {
	if p == nil || o == nil {
		if p == nil {
			return o
		}
		return p
	}
	p.more = append(append(p.more, o.first), o.more...)
	return p
}
