package websocket

// CloseEvent is fired once, as a value, when it is known how the connection ends: `case websocket.CloseEvent` in
// HandleEvent. Nothing that is written afterwards reaches the peer. RFC 6455, 7.1.4 to 7.1.6.
type CloseEvent struct {
	// Code and Reason are those of the peer's Close frame (CodeNone: it had no code), or of ours when this end gave up
	// the connection. CodeAbnormal: it ended without a Close frame of the peer. Reason may be the peer's: quote it in logs.
	Code   Code
	Reason string
	// Remote: the peer began.
	Remote bool
	// Clean: both ends sent a Close frame.
	Clean bool
	// Err is why this end gave up, or what broke the connection. nil: nothing did.
	Err error
}
