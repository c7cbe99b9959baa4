package nethttp

import (
	"os"
	"sync"
	"time"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	window    = 64 << 10 // octets that may be on their way to the loop
	largest   = 32 << 10 // octets of one piece
	highInput = 64 << 10 // octets that wait for a reader before the connection is not read
	lowInput  = 32 << 10 // and when it is again
)

// link is what a goroutine and the event loop share: messages on their way to the loop, in order, how much of them the
// client has not taken yet, why it is over, and until when to wait. However many messages come before the loop looks,
// they cost one post.
//
// Its methods are safe for concurrent use, unless they say otherwise. Those called ...Locked need the lock.
type link struct {
	mu     sync.Mutex
	change sync.Cond // anything below is different, or the user's own state is
	post   func(f func()) error
	look   func() // runs on the loop when there is something

	out    []any
	posted bool
	taken  bool  // the loop is at what it took
	unsent int   // octets that were pushed and for which the channel has no easy room yet
	failed error // nothing is taken any more
	shut   error // nothing more is taken; what is on its way goes

	readBy, writeBy deadline

	stuck int // octets that the loop has given to a channel that was not writable; for the loop only
}

// connect prepares the link: post brings a function to the loop, look is what takes the messages there.
func (l *link) connect(post func(f func()) error, look func()) {
	l.change.L = &l.mu
	l.post, l.look = post, look
}

// push gives messages to the loop; n is what they count. It takes them, also when it fails.
func (l *link) push(n int, msgs ...any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pushLocked(n, msgs...)
}

func (l *link) pushLocked(n int, msgs ...any) error {
	if err := l.refusal(); err != nil {
		releaseAll(msgs)
		return err
	}
	return l.enqueue(n, msgs...)
}

// refusal is why nothing can be pushed, nil when something can.
func (l *link) refusal() error {
	if l.shut != nil {
		return l.shut
	}
	return l.failed
}

// enqueue is pushLocked for a link that has not failed.
func (l *link) enqueue(n int, msgs ...any) error {
	l.out = append(l.out, msgs...)
	l.unsent += n
	if l.posted {
		return nil
	}
	l.posted = true
	if err := l.post(l.look); err != nil {
		l.failLocked(err)
		return err
	}
	return nil
}

// take returns the messages that have come. Call it on the event loop only.
func (l *link) take() []any {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.out
	l.out, l.posted, l.taken = nil, false, true
	return out
}

// done says that the loop has dealt with what it took: it has given n octets to the channel, which wants more if
// writable. Call it on the event loop only.
func (l *link) done(n int, writable bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken = false
	l.credit(n, writable)
}

// idle reports whether the loop has dealt with all that was pushed.
func (l *link) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.posted && !l.taken
}

// writable says that the channel wants more. Call it on the event loop only.
func (l *link) writable() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.credit(0, true)
}

func (l *link) credit(n int, writable bool) {
	l.stuck += n
	if writable {
		l.unsent -= l.stuck
		l.stuck = 0
		l.change.Broadcast()
	}
}

// room waits until little enough is under way. It returns the reason of a link that has failed, or
// os.ErrDeadlineExceeded.
func (l *link) room() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		err := l.refusal()
		switch {
		case err != nil:
			return err
		case l.writeBy.passed():
			return os.ErrDeadlineExceeded
		case l.unsent < window:
			return nil
		}
		l.change.Wait()
	}
}

// fail ends the link for a reason, the first of which counts, and drops what is on its way.
func (l *link) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failLocked(err)
}

func (l *link) failLocked(err error) {
	if l.failed == nil {
		l.failed = err
	}
	releaseAll(l.out)
	l.out = nil
	l.change.Broadcast()
}

// rouse lets everybody who waits look again.
func (l *link) rouse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change.Broadcast()
}

// setDeadline moves one of the deadlines.
func (l *link) setDeadline(d *deadline, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.set(at, l.rouse)
	l.change.Broadcast()
}

// stopTimers lets the deadlines go.
func (l *link) stopTimers() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readBy.stop()
	l.writeBy.stop()
}

func releaseAll(msgs []any) {
	for _, m := range msgs {
		buffer.Release(m)
	}
}
