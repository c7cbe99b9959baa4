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
	// ErrTooLong is matched by the errors of frames and messages that exceed a limit.
	ErrTooLong = errors.New("codec: frame too long")
	// ErrCorrupted is matched by the errors of frames whose length, checksum or compressed data makes no sense.
	ErrCorrupted = errors.New("codec: corrupted frame")
	// ErrNoOutput is what a message fails with that its MessageEncoder turned into nothing.
	ErrNoOutput = errors.New("codec: message became nothing")
	// ErrUnframeable is matched by the errors of encoders for payloads that the peer would cut elsewhere.
	ErrUnframeable = errors.New("codec: payload would be framed differently by the peer")
	// ErrConfig is matched by the errors of codecs whose settings make no sense.
	ErrConfig = errors.New("codec: wrong settings")
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

// TooLongError says that a frame or message exceeds a limit. It matches ErrTooLong.
type TooLongError struct {
	Codec  string
	Limit  int   // bytes
	Length int64 // bytes; 0: it was not known yet when the limit was passed
}

// Error implements error.
func (e *TooLongError) Error() string {
	if e.Length == 0 {
		return fmt.Sprintf("codec: %s: frame too long, limit %d bytes", e.Codec, e.Limit)
	}
	return fmt.Sprintf("codec: %s: frame of %d bytes too long, limit %d", e.Codec, e.Length, e.Limit)
}

// Is matches ErrTooLong.
func (e *TooLongError) Is(target error) bool { return target == ErrTooLong }

// CorruptedError says what is wrong with a frame. It matches ErrCorrupted.
type CorruptedError struct {
	Codec string
	What  string
	Err   error // from the library that found it; may be nil
}

// Error implements error.
func (e *CorruptedError) Error() string {
	text := fmt.Sprintf("codec: %s: %s", e.Codec, e.What)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Is matches ErrCorrupted.
func (e *CorruptedError) Is(target error) bool { return target == ErrCorrupted }

// Unwrap gives the library's error.
func (e *CorruptedError) Unwrap() error { return e.Err }

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

// wrongSettings is an error that matches ErrConfig.
func wrongSettings(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
}
