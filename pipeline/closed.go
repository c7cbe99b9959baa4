package pipeline

import (
	"errors"
	"net"
	"syscall"
)

// This file has the errors that a closed channel answers with.

// causeError is what writes to a channel with a cause fail with.
type causeError struct{ cause error }

// Error implements error.
func (e *causeError) Error() string { return ErrClosed.Error() + ": " + e.cause.Error() }

// Unwrap gives the cause.
func (e *causeError) Unwrap() error { return e.cause }

// Is matches ErrClosed and net.ErrClosed.
func (e *causeError) Is(target error) bool { return target == ErrClosed || target == net.ErrClosed }

func (c *Channel) closedError() error {
	if c.cause == nil {
		return ErrClosed
	}
	return &causeError{c.cause}
}

// resetError is a connection reset as the system reports it; it matches ErrReset.
type resetError struct{ err error }

// Error implements error.
func (e *resetError) Error() string { return ErrReset.Error() + ": " + e.err.Error() }

// Unwrap gives the system's error.
func (e *resetError) Unwrap() error { return e.err }

// Is matches ErrReset and net.ErrClosed.
func (e *resetError) Is(target error) bool { return target == ErrReset || target == net.ErrClosed }

func socketError(err error) error {
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return &resetError{err}
	}
	return err
}
