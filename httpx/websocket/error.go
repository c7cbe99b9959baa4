package websocket

import (
	"errors"
	"io"
	"net"
)

// Error is a frame, a message or a handshake that was refused. It never carries octets of the peer, so it can be logged
// and sent back as it is.
type Error struct {
	// Code is what the Close frame says that answers it. RFC 6455, 7.4. CodeAbnormal: nothing can be sent.
	Code Code
	// Reason says what was wrong in a few fixed words.
	Reason string
	// Err is the cause, such as io.ErrUnexpectedEOF or an error of the compression library. It may be nil.
	Err error
}

// Error returns the code, the reason and the cause, if any.
func (e *Error) Error() string {
	text := "websocket: " + e.Code.String() + " " + e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

var (
	// ErrCloseSent is what a write fails with behind our Close frame. It matches net.ErrClosed.
	ErrCloseSent error = closedError("websocket: Close frame sent")
	// ErrRawBytes is what a write of bytes fails with that nothing has made a message of: without frames around them
	// they would break the stream. Write a *Message, or put a Stream behind the Session.
	ErrRawBytes = errors.New("websocket: bytes that are no message")
	// ErrOrder is what Encode returns for a message, or a first Piece, inside an unfinished one, and for a Piece
	// that continues nothing.
	ErrOrder = errors.New("websocket: piece out of order")
	// ErrText is what Encode returns for text that is not UTF-8. RFC 6455, 8.1.
	ErrText = errors.New("websocket: text is not valid UTF-8")
	// ErrType is what Encode returns for a message that is neither text nor binary.
	ErrType = errors.New("websocket: message of no known type")
	// ErrControl is what Encode returns for a Ping or Pong of more than 125 octets, and for a Close whose code may
	// not be sent, whose reason has more than 123 octets or is not UTF-8, or has a reason and no code.
	ErrControl = errors.New("websocket: bad control frame")
)

// closedError is a sentinel that also matches net.ErrClosed.
type closedError string

// Error implements error.
func (e closedError) Error() string { return string(e) }

// Is matches net.ErrClosed.
func (e closedError) Is(target error) bool { return target == net.ErrClosed }

// refuse makes the error of a peer that broke a rule.
func refuse(code Code, reason string) error { return &Error{Code: code, Reason: reason} }

// truncated is the end of the stream in the middle of something.
func truncated() error {
	return &Error{Code: CodeAbnormal, Reason: "connection ended inside a message", Err: io.ErrUnexpectedEOF}
}
