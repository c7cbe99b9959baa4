package pipeline

import (
	"sync"
	"sync/atomic"
)

// Promise tells how one write or close ended. It completes exactly once: it succeeds when the last byte
// of the message reached the kernel (or the socket is closed), fails with the reason, or is cancelled
// while the message was not flushed yet. A nil *Promise means that nobody wants to know; calls that take
// a promise accept nil.
//
// A promise goes back to its pool after its last listener has run: do not touch it after that. Who keeps
// a result keeps it in a listener.
//
// Call its methods on the event loop only, unless they say otherwise.
type Promise struct {
	ch     *Channel // whose loop and protection its listeners run under
	queue  *Channel // whose outbound queue has its message
	first  func(error)
	more   []func(error)
	parent *Combiner
	waiter chan error
	state  promiseState
	serial atomic.Uint32 // counts the lives of this object
}

type promiseState uint8

const (
	promiseFree promiseState = iota
	promisePending
	promiseQueued // its message is in the outbound queue
	promiseFlushed
	promiseCancelled // in the queue, to be dropped at the next flush
	promiseDone
)

var promises = sync.Pool{New: func() any { return new(Promise) }}

func newPromise(ch *Channel) *Promise {
	p := promises.Get().(*Promise)
	p.ch, p.state = ch, promisePending
	return p
}

// OnDone adds a listener that runs on the loop when p completes, with nil for success. Listeners run in
// the order they were added, inside the flush that completes p; they may write, close and panic. If p is
// complete already f is not run and OnDone panics, since p may be somebody else's by then. Whoever made p may add
// listeners on any goroutine before giving it away.
func (p *Promise) OnDone(f func(err error)) {
	p.mustBeOpen("OnDone")
	if p.first == nil {
		p.first = f
		return
	}
	p.more = append(p.more, f)
}

// Succeed completes p. Handlers that take a message and its promise and do not pass p on complete it.
func (p *Promise) Succeed() { p.complete(nil) }

// Fail completes p with err, which must not be nil.
func (p *Promise) Fail(err error) { p.complete(err) }

// Cancel asks that the write of p be dropped. It returns false when the message was flushed already:
// then it is sent, and p completes as usual. A cancelled promise fails with ErrCancelled when its
// message is dropped, at the next flush or close.
func (p *Promise) Cancel() bool {
	switch p.state {
	case promiseQueued:
		p.state = promiseCancelled
		p.queue.out.cancelled = true
		p.queue.touch()
		return true
	case promiseCancelled:
		return true
	default:
		return false
	}
}

// Pending reports whether p has not completed yet.
func (p *Promise) Pending() bool { return p.state != promiseDone && p.state != promiseFree }

func (p *Promise) mustBeOpen(call string) {
	if !p.Pending() {
		panic("pipeline: Promise." + call + " after completion")
	}
}

// mostNested is how deep promises complete inside each other's listeners; the next one waits for its turn in the
// loop's queue. A listener that writes again when its write has failed would otherwise grow the stack for ever.
const mostNested = 16

// complete runs the listeners under the protection of p's channel, so that a panic closes the channel
// that the promise belongs to and not the one whose batch completed it.
func (p *Promise) complete(err error) {
	p.mustBeOpen("Succeed or Fail")
	if p.first != nil && p.ch.loop.nested >= mostNested && p.ch.loop.Post(func() { p.complete(err) }) == nil {
		return
	}
	p.state = promiseDone
	if p.parent != nil {
		p.parent.childDone(err)
	}
	if p.waiter != nil {
		p.waiter <- err // has room for one
	}
	if p.first != nil {
		l := p.ch.loop
		l.nested++
		if l.current == p.ch {
			p.notify(err)
		} else {
			l.protect(p.ch, func(*Channel) { p.notify(err) })
		}
		l.nested--
	}
	p.recycle()
}

// completeAlone succeeds p on a goroutine that is not the loop's, after the loop has ended: nothing of the loop
// may be touched.
func (p *Promise) completeAlone() {
	p.mustBeOpen("Succeed")
	p.state = promiseDone
	if p.waiter != nil {
		p.waiter <- nil
	}
	if p.first != nil {
		p.notify(nil)
	}
	p.recycle()
}

// recycle gives p back to the pool. The serial outlives that, so that old users can tell.
func (p *Promise) recycle() {
	clear(p.more)
	p.more = p.more[:0]
	p.ch, p.queue, p.first, p.parent, p.waiter, p.state = nil, nil, nil, nil, nil, promiseFree
	p.serial.Add(1)
	promises.Put(p)
}

func (p *Promise) notify(err error) {
	if len(p.more) == 0 {
		p.first(err)
		return
	}
	p.notifyFrom(0, err)
}

// notifyFrom runs the listeners from the i-th on. One that panics does not keep the others from hearing.
func (p *Promise) notifyFrom(i int, err error) {
	defer func() {
		if i <= len(p.more) {
			p.notifyFrom(i, err)
		}
	}()
	for i <= len(p.more) {
		i++
		if i == 1 {
			p.first(err)
		} else {
			p.more[i-2](err)
		}
	}
}
