package stomp

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestErrorNamesReasonCommandLimitAndText(t *testing.T) {
	for want, e := range map[string]*Error{
		`stomp: bad-cr`:                            {Reason: ErrBadCR},
		`stomp: bad-escape in SEND: "k:a\\tb"`:     {Reason: ErrBadEscape, Command: CommandSend, Text: `k:a\tb`},
		`stomp: line-too-long in ERROR, limit 16`:  {Reason: ErrLineTooLong, Command: CommandError, Limit: 16},
		`stomp: unknown-command: "\x16\x03\x01"`:   {Reason: ErrUnknownCommand, Text: "\x16\x03\x01"},
		`stomp: bad-header in "X\nY": "no\x00pe"`:  {Reason: ErrBadHeader, Command: "X\nY", Text: "no\x00pe"},
		`stomp: bad-header: "` + ones64() + `"`:    {Reason: ErrBadHeader, Text: ones64() + "222"},
		`stomp: truncated in MESSAGE`:              {Reason: ErrTruncated, Command: CommandMessage},
		`stomp: body-too-large in SEND, limit 123`: {Reason: ErrBodyTooLarge, Command: CommandSend, Limit: 123},
	} {
		require.EqualError(t, e, want)
	}
}

func ones64() string { return strings.Repeat("1", 64) }

func TestErrorIsItsReason(t *testing.T) {
	err := fmt.Errorf("connection 7: %w", &Error{Reason: ErrBadEscape})
	require.ErrorIs(t, err, ErrBadEscape)
	require.NotErrorIs(t, err, ErrBadCR)
	require.NotErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorIs(t, &Error{Reason: ErrTruncated}, io.ErrUnexpectedEOF)
	require.Equal(t, "stomp: bad-escape", ErrBadEscape.Error())
}

func TestErrorsOfTheDecoderCutWhatThePeerSent(t *testing.T) {
	err := decodeError(t, "SEND\n"+strings.Repeat("x", 1000)+"\n")
	require.Len(t, err.Text, 64)
	require.Equal(t, CommandSend, err.Command)
	require.Equal(t, ErrBadHeader, err.Reason)
}

func TestErrorsNeverShowAPasscode(t *testing.T) {
	for _, line := range []string{"passcode:secret\x00\n", "passcode secret\n", "passcode:secret\rx\n"} {
		err := decodeError(t, "CONNECT\nlogin:me\n"+line)
		require.NotContains(t, err.Error(), "secret")
		require.Contains(t, err.Error(), "passcode")
	}
	f := NewFrame(CommandConnect, HeaderPasscode, "secret\n")
	defer f.Release()
	_, err := encodeTo(t, new(Encoder), f)
	require.ErrorIs(t, err, ErrUnencodable)
	require.NotContains(t, err.Error(), "secret")
}

func TestErrorsNeverShowABody(t *testing.T) {
	err := decodeError(t, "SEND\ncontent-length:1\n\nsecret\x00")
	require.Equal(t, ErrMissingNul, err.Reason)
	require.NotContains(t, err.Error(), "secret")
}

// decodeError returns the error of input.
func decodeError(t *testing.T, input string) *Error {
	t.Helper()
	d := new(Decoder)
	in := buffer.FromString(input)
	defer in.Release()
	_, ok, err := d.Decode(in)
	require.False(t, ok)
	var e *Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestErrorsOfTheDecoderNameTheReceipt(t *testing.T) {
	for input, want := range map[string]string{
		"SEND\nreceipt:r\\c1\nreceipt:r2\nbad\n":          "r:1",
		"SEND\nbad\nreceipt:r1\n":                         "",
		"nonsense\nreceipt:r1\n":                          "",
		"SEND\nreceipt:r1\n\x00":                          "r1",
		"SEND\nreceipt:r1\ncontent-length:1\n\nab":        "r1",
		"ACK\nreceipt:r1\n\n\x00SEND\nno\n":               "",
		"SEND\nreceipt:r1\n\n" + strings.Repeat("x", 101): "r1",
	} {
		d := &Decoder{State: &State{Version: Version12}, Limits: Limits{Body: 100}}
		var e *Error
		require.ErrorAs(t, lastError(t, d, input), &e)
		require.Equal(t, want, e.Receipt, "%q", input)
	}
}
