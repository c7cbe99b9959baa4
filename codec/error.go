package codec

import (
	"errors"
	"fmt"
	"io"
)

var (
	// ErrStuck is matched by the error of a decoder that gave a message and consumed nothing.
	ErrStuck = errors.New("codec: decoder gave a message without consuming bytes")
	// ErrHeldTooMuch is matched by the error of a message that is larger than the handler may hold.
	ErrHeldTooMuch = errors.New("codec: message too large to hold")
	// ErrTooLong is matched by the errors of frames that exceed their decoder's limit.
	ErrTooLong = errors.New("codec: frame too long")
	// ErrCorrupted is matched by the errors of frames whose length makes no sense.
	ErrCorrupted = errors.New("codec: corrupted frame")
)

// StuckError names a decoder that would loop for ever. It matches ErrStuck.
type StuckError struct{ Decoder string }

// Error implements error.
func (e *StuckError) Error() string {
	return fmt.Sprintf("codec: %s gave a message without consuming bytes", e.Decoder)
}

// Is matches ErrStuck.
func (e *StuckError) Is(target error) bool { return target == ErrStuck }

// HeldError says how much a message that is not complete would hold. It matches ErrHeldTooMuch.
type HeldError struct {
	Decoder     string
	Held, Limit int // bytes
}

// Error implements error.
func (e *HeldError) Error() string {
	return fmt.Sprintf("codec: %s holds %d bytes of one message, limit %d", e.Decoder, e.Held, e.Limit)
}

// Is matches ErrHeldTooMuch.
func (e *HeldError) Is(target error) bool { return target == ErrHeldTooMuch }

// TruncatedError says that the peer ended its side in the middle of a message. It matches
// io.ErrUnexpectedEOF.
type TruncatedError struct {
	Decoder string
	Left    int // bytes that were held
}

// Error implements error.
func (e *TruncatedError) Error() string {
	return fmt.Sprintf("codec: %s: peer closed in the middle of a message (%d bytes)", e.Decoder, e.Left)
}

// Is matches io.ErrUnexpectedEOF.
func (e *TruncatedError) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// EncodeError wraps what an encoder returned for one message; nothing of that message was sent.
type EncodeError struct {
	Encoder string
	Err     error
}

// Error implements error.
func (e *EncodeError) Error() string { return fmt.Sprintf("codec: %s: %v", e.Encoder, e.Err) }

// Unwrap gives the encoder's error.
func (e *EncodeError) Unwrap() error { return e.Err }
