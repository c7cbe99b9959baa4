package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatchTellsHTTPFromItsNeighbours(t *testing.T) {
	type verdict struct{ yes, more bool }
	no, more, yes := verdict{}, verdict{more: true}, verdict{yes: true}
	for prefix, want := range map[string]verdict{
		"": more, "G": more, "GET": more, "GET ": yes, "GET / HTTP/1.1": yes, "P": more, "PO": more, "PUT /": yes,
		"OPTIONS * H": yes, "CONNECT": more, "CONNECT a:1": yes, "CONNECT\n": no, "CONNECT\r\n": no, "CONNECT\r": no,
		"\r": more, "\r\n": more, "\r\nG": more, "\r\nGET ": yes, "\r\n\r\n": more, "\r\n\r\n\x00": no,
		"\r\n\r\n\x00\r\nQUIT\n": no, "\r\nCONNECT\n": no, "\n": no, "\rG": no, " GET ": no, "get ": no, "GETS ": no,
		"GET\t": no, "STOMP\n": no, "AMQP\x00\x01": no, "\x16\x03\x01": no, "PRI * HTTP/2.0\r\n": no, "PROXY TCP4": no,
		"\r\n\r\n\r\n\r\nGET ": yes, "\r\n\r\n\r\n\r\n\r\n": no,
	} {
		gotYes, gotMore := MatchPrefix([]byte(prefix))
		require.Equal(t, want, verdict{gotYes, gotMore}, "%q", prefix)
	}
}

func TestMatchNeverTakesBackWhatItSaid(t *testing.T) {
	for _, text := range []string{getRequest, "\r\n" + getRequest, "CONNECT a:1 HTTP/1.1\r\n", "CONNECT\naccept-version:1.2\n"} {
		decided := false
		for n := range len(text) + 1 {
			yes, more := MatchPrefix([]byte(text[:n]))
			require.False(t, yes && more)
			require.False(t, decided && more, "%q", text[:n])
			decided = !more
		}
		require.True(t, decided)
	}
}
