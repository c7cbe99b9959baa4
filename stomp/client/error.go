package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/penstock-go/penstock/stomp"
)

// ErrNotConnected is matched by the error of whatever needs a connection when there is none. Nothing of it has been
// sent.
var ErrNotConnected = errors.New("stomp/client: not connected")

// ErrUnconfirmed is matched by the error of a frame that was on its way when the connection was lost: whether the
// server has processed it is unknown. It wraps why the connection was lost.
var ErrUnconfirmed = errors.New("stomp/client: connection lost before the frame was confirmed")

// ErrBusy is what a call that does not wait is refused with when too much is unsent, or too many receipts, subscriptions
// or transactions are open already. Nothing of it has been sent.
var ErrBusy = errors.New("stomp/client: too much is under way")

// ErrClosed is what calls are refused with, and end with, when the Client has been closed.
var ErrClosed = errors.New("stomp/client: the client is closed")

// ErrStarted is what Connect and Start return for a client that is connected or connecting.
var ErrStarted = errors.New("stomp/client: connected or connecting already")

// ErrServerClosed is why a connection was lost that the server closed without a word.
var ErrServerClosed = errors.New("stomp/client: the server closed the connection")

// ErrProtocol is matched by the error of a connection on which the server sent what it must not.
var ErrProtocol = errors.New("stomp/client: the server broke the protocol")

// ErrVersion is matched by the error of what the version in force does not have, such as NACK in 1.0, and of a
// connection whose server chose a version that it was not offered.
var ErrVersion = errors.New("stomp/client: not in this version")

// ErrSettled is what settling a message returns that has been acknowledged or refused before, by itself or, with
// AckClient, together with a later one.
var ErrSettled = errors.New("stomp/client: the message is settled already")

// ErrStale is what settling a message returns, and using a transaction, when the connection that it belongs to is gone.
// The server delivers such a message again, unless it was restarted and keeps messages in memory; of such a transaction nothing has happened, unless its COMMIT was
// ErrUnconfirmed.
var ErrStale = errors.New("stomp/client: its connection is gone")

// ErrEnded is what a transaction returns that has been committed or aborted, and a subscription that has ended.
var ErrEnded = errors.New("stomp/client: it has ended")

// ErrUsed is what starting a Subscription a second time returns.
var ErrUsed = errors.New("stomp/client: the subscription has been used before")

// ServerError is an ERROR frame: what the server says of the frame that it refused. It closes the connection behind it.
// The texts are copies. STOMP 1.2, "ERROR".
type ServerError struct {
	Message string        // of the header; "" = there was none
	Receipt string        // of the header receipt-id: the frame that was refused; "" = unknown
	Headers stomp.Headers // all of them
	Body    string        // the first 4 KiB
}

// maxErrorBody is how much of the body of an ERROR frame is kept.
const maxErrorBody = 4 << 10

// maxQuoted is how many octets of a peer's text stand in the text of an error.
const maxQuoted = 64

// Error quotes the message.
func (e *ServerError) Error() string {
	return fmt.Sprintf("stomp/client: the server refused: %q", e.Message[:min(len(e.Message), maxQuoted)])
}

// TimeoutError says what did not happen in time: the connection, CONNECTED, a sign of life from the server. Its Timeout
// method makes it a net.Error.
type TimeoutError struct {
	What  string
	After time.Duration
	Err   error // what was reported when the time was over; nil = nothing
}

// Error names what did not happen.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("stomp/client: no %s within %v", e.What, e.After)
}

// Unwrap returns Err.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Timeout is true.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary is false: what was tried has been given up.
func (e *TimeoutError) Temporary() bool { return false }

// unconfirmed is the error of a frame that was on its way.
func unconfirmed(cause error) error { return fmt.Errorf("%w: %w", ErrUnconfirmed, cause) }

// notConnected is the error of a frame that was not sent because the connection was lost, or there is none.
func notConnected(cause error) error {
	if cause == nil || errors.Is(cause, ErrClosed) {
		return orError(cause, ErrNotConnected)
	}
	return fmt.Errorf("%w: %w", ErrNotConnected, cause)
}

func orError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// serverError copies what an ERROR frame says.
func serverError(f *stomp.Frame) *ServerError {
	e := &ServerError{Headers: f.Headers.Own()}
	e.Message, e.Receipt = e.Headers.Get(stomp.HeaderMessage), e.Headers.Get(stomp.HeaderReceiptID)
	body := make([]byte, 0, min(f.Body.Len(), maxErrorBody))
	for i := range f.Body.Parts() {
		part := f.Body.Part(i)
		body = append(body, part[:min(len(part), cap(body)-len(body))]...)
	}
	e.Body = string(body)
	return e
}
