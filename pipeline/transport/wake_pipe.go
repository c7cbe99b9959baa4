//go:build darwin || dragonfly || freebsd || netbsd || openbsd || (linux && edge)

package transport

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// waker wakes a loop through a pipe, whose reading end is registered like any other descriptor.
type waker struct {
	fd     int // reading end
	in     int // writing end
	mu     sync.Mutex
	closed bool
}

func newWaker() (*waker, error) {
	var ends [2]int
	syscall.ForkLock.RLock()
	err := unix.Pipe(ends[:])
	if err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("transport: pipe: %w", err)
	}
	w := &waker{fd: ends[0], in: ends[1]}
	for _, fd := range ends {
		if err := unix.SetNonblock(fd, true); err != nil {
			w.close()
			return nil, fmt.Errorf("transport: pipe: %w", err)
		}
	}
	return w, nil
}

// wake makes the loop come round. It does nothing once the loop has ended, since the number may be another
// descriptor's by then. Safe for concurrent use.
func (w *waker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	one := [1]byte{1}
	for {
		if _, err := unix.Write(w.in, one[:]); !errors.Is(err, unix.EINTR) {
			return // written, or the pipe is full and the loop about to come round
		}
	}
}

// drain empties the pipe. Call it on the loop.
func (w *waker) drain() {
	var bytes [64]byte
	for {
		n, err := unix.Read(w.fd, bytes[:])
		if !errors.Is(err, unix.EINTR) && n < len(bytes) {
			return
		}
	}
}

func (w *waker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	_ = unix.Close(w.fd) // nothing is left to do about it
	_ = unix.Close(w.in)
}
