//go:build linux && !edge

package transport

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// waker wakes a loop through an event descriptor, registered like any other one.
type waker struct {
	fd     int
	mu     sync.Mutex
	closed bool
}

func newWaker() (*waker, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("transport: eventfd: %w", err)
	}
	return &waker{fd: fd}, nil
}

// wake makes the loop come round. It does nothing once the loop has ended, since the number may be another
// descriptor's by then. Safe for concurrent use.
func (w *waker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	one := [8]byte{1} // of either byte order: any number but zero does
	for {
		_, err := unix.Write(w.fd, one[:])
		if errors.Is(err, unix.EAGAIN) { // the counter is full, which takes centuries
			_, _ = unix.Read(w.fd, one[:])
			one = [8]byte{1}
			continue
		}
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// drain does nothing: each write is reported once, whatever the counter is.
func (w *waker) drain() {}

func (w *waker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	_ = unix.Close(w.fd) // nothing is left to do about it
}
