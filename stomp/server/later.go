package server

import "sync"

// later is an answer that a hook gives once, before it returns or afterwards on any goroutine.
type later struct {
	mu               sync.Mutex
	called, returned bool
}

// answer notes the answer by calling keep, before the loop can see that there is one; not when there was one before. post says
// that the hook has returned, so that the answer has to find its way to the loop. Safe for concurrent use.
func (l *later) answer(keep func()) (post bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.called {
		return false
	}
	l.called = true
	keep()
	return l.returned
}

// hookReturned notes that the hook has returned and reports whether the answer is there already.
func (l *later) hookReturned() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.returned = true
	return l.called
}
