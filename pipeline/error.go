package pipeline

import (
	"errors"
	"fmt"
	"net"
)

// closedError is a sentinel that also matches net.ErrClosed, so that callers who know only the standard
// library can tell "the connection is gone" from other failures.
type closedError string

// Error implements error.
func (e closedError) Error() string { return string(e) }

// Is makes errors.Is(err, net.ErrClosed) true.
func (e closedError) Is(target error) bool { return target == net.ErrClosed }

// Sentinels of this package. The first four match net.ErrClosed as well.
const (
	// ErrClosed is what writes to a closing or closed channel fail with.
	ErrClosed = closedError("pipeline: channel closed")
	// ErrWriteClosed is what writes fail with after a write-side close (CloseWrite).
	ErrWriteClosed = closedError("pipeline: write side closed")
	// ErrLoopClosed is what tasks and writes fail with when their event loop has ended.
	ErrLoopClosed = closedError("pipeline: event loop closed")
	// ErrReset is the close cause of a channel that was closed by CloseReset or by the peer's RST.
	ErrReset = closedError("pipeline: connection reset")
)

// More sentinels.
var (
	// ErrWouldBlock is what a Transport answers when nothing can be read or written now.
	ErrWouldBlock = errors.New("pipeline: would block")
	// ErrOutboundFull is what a write fails with that would take the queue past its hard cap.
	ErrOutboundFull = errors.New("pipeline: outbound queue full")
	// ErrOnLoop is what a call that waits returns on the event loop it would wait for.
	ErrOnLoop = errors.New("pipeline: would wait for its own event loop")
	// ErrCancelled is what a promise fails with when its write was cancelled.
	ErrCancelled = errors.New("pipeline: write cancelled")
	// ErrDuplicateName is what adding a second handler of one name returns.
	ErrDuplicateName = errors.New("pipeline: duplicate handler name")
	// ErrNotShareable is what adding a handler that embeds Unshared returns while it is in a pipeline.
	ErrNotShareable = errors.New("pipeline: handler is not shareable")
	// ErrNotHandler is what adding a value that implements no handler interface returns.
	ErrNotHandler = errors.New("pipeline: not a handler")
	// ErrNoHandler is what naming a handler that is not in the pipeline returns.
	ErrNoHandler = errors.New("pipeline: no such handler")
	// ErrWriteStall is the close cause of a channel whose peer took no byte for Options.WriteStall.
	ErrWriteStall = errors.New("pipeline: peer takes no bytes")
	// ErrNoEncoder is what a write fails with whose message reached the head and is not bytes.
	ErrNoEncoder = errors.New("pipeline: no handler turned the message into bytes")
	// ErrGoexit is the close cause of a channel one of whose callbacks called runtime.Goexit.
	ErrGoexit = errors.New("pipeline: callback called runtime.Goexit")
)

// SignatureError says that a handler has a method with an event's name and another signature.
type SignatureError struct {
	Handler, Method string // type and method at fault
	Got, Want       string // signatures
}

// Error implements error.
func (e *SignatureError) Error() string {
	return fmt.Sprintf("pipeline: %s.%s is %s, want %s", e.Handler, e.Method, e.Got, e.Want)
}

// AddedError wraps what HandleAdded of the named handler returned.
type AddedError struct {
	Handler string
	Err     error
}

// Error implements error.
func (e *AddedError) Error() string {
	return fmt.Sprintf("pipeline: adding %s: %v", e.Handler, e.Err)
}

// Unwrap gives the handler's own error.
func (e *AddedError) Unwrap() error { return e.Err }

// PanicError is the close cause of a channel one of whose callbacks panicked.
type PanicError struct {
	Handler string // function that the pipeline had called, from the stack: "main.(*Board).HandleRead"
	Value   any    // what it panicked with
	Stack   []byte // stack of the event loop's goroutine
}

// Error names the function and the value, not the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("pipeline: panic in %s: %v", e.Handler, e.Value)
}

// Unwrap gives the panic's value when that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
