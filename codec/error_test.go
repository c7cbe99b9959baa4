package codec

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorsSayWhatHappenedAndMatchTheirSentinel(t *testing.T) {
	for _, c := range []struct {
		err  error
		is   error
		text string
	}{
		{&StuckError{Decoder: "codec.words"}, ErrStuck, "codec: codec.words gave a message without consuming bytes"},
		{&HeldError{Decoder: "codec.words", Held: 12, Limit: 10}, ErrHeldTooMuch, "codec: codec.words holds 12 bytes of one message, limit 10"},
		{&TooLongError{Codec: "line", Limit: 10}, ErrTooLong, "codec: line: frame too long, limit 10 bytes"},
		{&TooLongError{Codec: "line", Limit: 10, Length: 12}, ErrTooLong, "codec: line: frame of 12 bytes too long, limit 10"},
		{&CorruptedError{Codec: "varint", What: "bad length"}, ErrCorrupted, "codec: varint: bad length"},
		{&CorruptedError{Codec: "gzip", What: "bad data", Err: errBad}, ErrCorrupted, "codec: gzip: bad data: bad word"},
		{&CorruptedError{Codec: "gzip", What: "bad data", Err: errBad}, errBad, "codec: gzip: bad data: bad word"},
		{&TruncatedError{Decoder: "line", Left: 3}, io.ErrUnexpectedEOF, "codec: line: peer closed in the middle of a message (3 bytes)"},
		{&EncodeError{Encoder: "codec.words", Err: errBad}, errBad, "codec: codec.words: bad word"},
		{wrongSettings("width %d", 5), ErrConfig, "codec: wrong settings: width 5"},
	} {
		require.EqualError(t, c.err, c.text)
		require.ErrorIs(t, fmt.Errorf("wrapped: %w", c.err), c.is)
		require.NotErrorIs(t, c.err, io.ErrClosedPipe)
	}
}
