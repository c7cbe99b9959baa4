package httpx

import (
	"errors"
	"fmt"
	"time"
)

// ErrScheme is what a request is refused with whose target is neither http nor, with Client.DialTLS, https.
var ErrScheme = errors.New("httpx: scheme that the client does not speak")

// ErrBusy is what a request is refused with when Client.MaxWaiting others wait for a connection to the same host.
var ErrBusy = errors.New("httpx: too many requests wait for a connection to this host")

// ErrClientClosed is what requests end with, or are refused with, when the Client has been closed.
var ErrClientClosed = errors.New("httpx: the client is closed")

// ErrServerGone is matched by the error that a call ends with when the connection is lost before the response is
// complete; the error wraps the cause as well.
var ErrServerGone = errors.New("httpx: server left before the response was complete")

// ErrBodyTooLarge is what Do returns, and Collect gives, for a response whose body is over the limit.
var ErrBodyTooLarge = errors.New("httpx: body of the response too large")

// ErrCallUsed is what starting a Call a second time returns.
var ErrCallUsed = errors.New("httpx: the call has been started before")

// ErrBodyEnded is what a piece is refused with behind the end of a request's body, or when there is none.
var ErrBodyEnded = errors.New("httpx: the body of the request has ended")

// ErrRedirects is what Do returns when there were more redirections than Client.MaxRedirects, or one that can't be
// followed.
var ErrRedirects = errors.New("httpx: redirection not followed")

// errPanicked is what a call ends with when one of its functions panics.
var errPanicked = errors.New("httpx: a function of the call panicked")

// TimeoutError says what did not happen in time: a connection, the head of the response, more of its body, the answer of
// a proxy. Its Timeout method makes it a net.Error.
type TimeoutError struct {
	What  string
	After time.Duration
	// Err is what was reported when the time was over, nil = nothing.
	Err error
}

// Error names what did not happen.
func (e *TimeoutError) Error() string { return fmt.Sprintf("httpx: no %s within %v", e.What, e.After) }

// Unwrap returns Err.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Timeout is true.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary is false: what was tried has been given up.
func (e *TimeoutError) Temporary() bool { return false }
