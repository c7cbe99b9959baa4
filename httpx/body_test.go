package httpx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestBodiesOfEveryLengthComeWhole(t *testing.T) {
	for n := range 12 {
		body := strings.Repeat("x", n)
		input := fmt.Sprintf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s%s", n, body, getWith())
		got := decodeRequests(t, DecoderConfig{}, input)
		require.Len(t, got.messages, 2, "%d octets", n)
		require.Equal(t, body, got.messages[0].Body)
		require.Equal(t, "GET", got.messages[1].Method)
	}
}

func TestLargeBodiesComeByReference(t *testing.T) {
	body := strings.Repeat("0123456789", 1000)
	for name, input := range map[string]string{
		"length": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n" + body,
		"chunks": postChunked + "2710\r\n" + body + "\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			in := buffer.FromString(input)
			whole := in.Bytes()
			d := NewRequestDecoder(DecoderConfig{}, nil)
			head, _, err := d.Decode(in)
			require.NoError(t, err)
			buffer.Release(head)
			m, _, err := d.Decode(in)
			require.NoError(t, err)
			c := m.(*Content)
			require.Same(t, &whole[strings.Index(input, body)], &c.Bytes()[0], "copied")
			in.Release()
			require.Equal(t, body, string(c.Bytes()), "the content holds the memory")
			c.Release()
		})
	}
}

func TestChunkDataMustEndExactlyThere(t *testing.T) {
	for _, body := range []string{"3\r\nabcd\r\n", "3\r\nabc\n0\r\n\r\n", "3\r\nabc\r\r\n", "3\r\nabc\rx", "3\r\nabc0\r\n\r\n"} {
		requireRefused(t, postChunked+body, 400, "chunk data not followed by CRLF")
	}
}

func TestChunkSizesThatAddUpPast63BitsAreRefused(t *testing.T) {
	var d body
	d.begin(LengthChunked)
	d.data = 1<<63 - 2
	in := buffer.FromString("2\r\n")
	defer in.Release()
	config := DecoderConfig{Limits: Limits{}.filled()}
	_, _, err := d.decode(in, &config)
	require.EqualError(t, err, "httpx: 400 bad chunk size")
	require.EqualValues(t, 1<<63-1, d.extBudget(&config), "the budget does not overflow either")
}

func TestTrailersComeApartAndInOrder(t *testing.T) {
	got := requireAccepted(t, DecoderConfig{}, postChunked+"1\r\na\r\n00\r\nX-T: 1\r\nHost: evil\r\nx-u:  2 \r\nX-t:\r\n\r\n")
	require.Equal(t, [][2]string{{"X-T", "1"}, {"x-u", "2"}, {"X-t", ""}}, got.Trailers)
	require.Equal(t, "a", got.Body)
}

func TestTrailersAreCheckedLikeFields(t *testing.T) {
	for line, reason := range map[string]string{
		"X-A : v": "space before colon", "X@A: v": "bad field name", "X": "no colon", "X: \x00": "bad field value",
		"X: a\rb": "bare CR", ": v": "empty field name",
	} {
		requireRefused(t, postChunked+"0\r\n"+line+"\r\n\r\n", 400, reason)
	}
	requireRefused(t, postChunked+"0\r\nX: v\n\r\n", 400, "bare LF")
}
