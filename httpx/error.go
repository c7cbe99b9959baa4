package httpx

import (
	"errors"
	"strconv"
)

// Error is a message that was refused: by a decoder, by a setter of Header, or by an encoder. It never carries octets of
// the peer, so it can be logged and answered with as it is.
type Error struct {
	// Status is what a server answers before it closes: 400, 413, 414, 431, 501, 503 or 505. 0 = nothing can be
	// answered: the peer has gone, the error is on the client side, or it is one of the program.
	Status int
	// Reason says what was wrong in a few fixed words.
	Reason string
}

// Error returns the status, if any, and the reason.
func (e *Error) Error() string {
	if e.Status == 0 {
		return "httpx: " + e.Reason
	}
	return "httpx: " + strconv.Itoa(e.Status) + " " + e.Reason
}

// ErrOrder is returned by Encode for a message that does not follow from the one before: content without a head, a head
// inside an unfinished message. Nothing was written.
var ErrOrder = errors.New("httpx: message out of order")

// ErrAfterLast is returned by Encode for a response, or a request, behind the last one of a connection. Nothing was
// written; dropping the response is right, a request needs another connection.
var ErrAfterLast = errors.New("httpx: message behind the last one of the connection")

// prematureClose is the reason of the error for a message that the end of the octets cuts off.
const prematureClose = "premature close"

func refuse(status int, reason string) error { return &Error{Status: status, Reason: reason} }
