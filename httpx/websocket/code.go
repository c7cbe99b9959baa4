package websocket

import "strconv"

// Code says why a connection was closed. RFC 6455, 7.4. 3000 to 3999 are for libraries and frameworks, 4000 to 4999 for
// applications among themselves.
type Code uint16

// The registered codes. RFC 6455, 7.4.1 and 11.7.
const (
	CodeNormal         Code = 1000 // the purpose is fulfilled
	CodeGoingAway      Code = 1001 // the server stops, or the browser leaves the page
	CodeProtocol       Code = 1002 // the peer broke the protocol
	CodeUnsupported    Code = 1003 // a type of data that this end can't take
	CodeNone           Code = 1005 // only reported: the Close frame had no code
	CodeAbnormal       Code = 1006 // only reported: the connection ended without a Close frame
	CodeInvalidPayload Code = 1007 // the payload does not fit its type, such as text that is not UTF-8
	CodePolicy         Code = 1008 // breaks a rule of this end, when nothing else fits
	CodeTooBig         Code = 1009 // the message is larger than this end takes
	CodeExtension      Code = 1010 // client only: the server did not agree to an extension that it needs
	CodeInternal       Code = 1011 // this end met a condition that it did not expect
	CodeRestart        Code = 1012 // the service restarts
	CodeTryLater       Code = 1013 // the service is overloaded
	CodeBadGateway     Code = 1014 // a server behind this one gave a bad answer
	CodeTLS            Code = 1015 // only reported: the TLS handshake failed
)

// Sendable reports whether c may stand in a Close frame. RFC 6455, 7.4.2.
func (c Code) Sendable() bool {
	switch {
	case c >= 3000 && c <= 4999:
		return true
	case c < CodeNormal || c > CodeBadGateway:
		return false
	}
	return c <= CodeUnsupported || c >= CodeInvalidPayload
}

// String is the number.
func (c Code) String() string { return strconv.Itoa(int(c)) }
