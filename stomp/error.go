package stomp

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// Reason is why a frame was refused, as one word. Reasons are errors themselves: ask with
// errors.Is(err, stomp.ErrBadEscape).
type Reason string //nolint:errname // a word, and what Error calls its cause

// The reasons. Those of a Decoder end the connection: STOMP has no way to find the next frame.
const (
	ErrUnknownCommand   Reason = "unknown-command"    // the command line is none of the commands
	ErrBadHeader        Reason = "bad-header"         // no colon, empty name, or a NUL among the headers
	ErrBadEscape        Reason = "bad-escape"         // a backslash that begins no escape of the version
	ErrBadCR            Reason = "bad-cr"             // a CR that does not end a line
	ErrColonInValue     Reason = "colon-in-value"     // strict: a raw colon in a value
	ErrBadContentLength Reason = "bad-content-length" // not a number, or not the length of the body
	ErrMissingNul       Reason = "missing-nul"        // another octet stands where the frame must end
	ErrBodyTooLarge     Reason = "body-too-large"     // over Limits.Body
	ErrLineTooLong      Reason = "line-too-long"      // over Limits.Line
	ErrTooManyHeaders   Reason = "too-many-headers"   // over Limits.Headers
	ErrHeadTooLarge     Reason = "head-too-large"     // over Limits.Head
	ErrBodyNotAllowed   Reason = "body-not-allowed"   // strict, and always when encoding
	ErrUnencodable      Reason = "unencodable-header" // encoding: would be read as something else
	ErrTruncated        Reason = "truncated"          // the stream ended inside a frame; is io.ErrUnexpectedEOF too
	ErrOutOfOrder       Reason = "out-of-order"       // subframes that do not follow one another
	ErrWrongTail        Reason = "wrong-tail"         // encoding: a delivery without a tail, or with one of another version
)

// Error returns the word with the package in front.
func (r Reason) Error() string { return "stomp: " + string(r) }

// Is makes ErrTruncated match io.ErrUnexpectedEOF.
func (r Reason) Is(target error) bool { return r == ErrTruncated && target == io.ErrUnexpectedEOF }

// Error is a frame that was refused, by a Decoder, an Encoder or an Aggregator.
type Error struct {
	Reason  Reason
	Command Command // of the frame, "" when it was not known yet
	Limit   int64   // the limit that was passed, 0 when none was
	Text    string  // what was wrong: octets of the peer or of the caller, at most 64, never a passcode
	Receipt string  // receipt header of a frame that could not be decoded, "" when none had been read
}

// Error returns the reason, then what else is known, octets quoted.
func (e *Error) Error() string {
	var sb strings.Builder
	sb.WriteString(e.Reason.Error())
	if e.Command != "" {
		sb.WriteString(" in " + quote(string(e.Command)))
	}
	if e.Limit > 0 {
		sb.WriteString(", limit " + strconv.FormatInt(e.Limit, 10))
	}
	if e.Text != "" {
		sb.WriteString(": " + quote(e.Text))
	}
	return sb.String()
}

// Unwrap returns the Reason, so that errors.Is finds it.
func (e *Error) Unwrap() error { return e.Reason }

const maxQuoted = 64

// quote quotes text unless it is a known command, and cuts it.
func quote(text string) string {
	if Command(text).Known() {
		return text
	}
	return strconv.Quote(text[:min(len(text), maxQuoted)])
}

// excerpt copies the beginning of line for an Error. Errors are logged and sent back to the peer, so the
// value of a passcode header is left out.
func excerpt(line []byte) string {
	if bytes.HasPrefix(line, []byte(HeaderPasscode)) {
		return HeaderPasscode
	}
	return string(line[:min(len(line), maxQuoted)])
}
