package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatchPrefix(t *testing.T) {
	const yes, more, no = "yes", "more", "no"
	for prefix, want := range map[string]string{
		"":                                   more,
		"C":                                  more,
		"CONNECT":                            more,
		"CONNECT\r":                          more,
		"CONNECT\n":                          yes,
		"CONNECT\r\n":                        yes,
		"CONNECT\nhost:x\n\n\x00":            yes,
		"CONNECT ":                           no,
		"CONNECT example.org:443 HTTP/1.1\r": no,
		"CONNECT\rx":                         no,
		"CONNECTED\n":                        no,
		"CONNECT\x00":                        no,
		"S":                                  more,
		"STOMP":                              more,
		"STOMP\n":                            yes,
		"STOMP\r\naccept-version:1.2":        yes,
		"STOMP ":                             no,
		"SEND\n":                             no,
		"stomp\n":                            no,
		"GET / HTTP/1.1":                     no,
		"AMQP\x00\x01\x00\x00":               no,
		"\x16\x03\x01":                       no,
		"\n":                                 more,
		"\n\n\nSTO":                          more,
		"\n\n\nSTOMP\n":                      yes,
		"\nCONNECT x":                        no,
		"\n\rSTOMP\n":                        no,
		"\r":                                 more,
		"\r\n":                               more,
		"\r\n\r":                             more,
		"\r\n\r\n":                           more,
		"\r\n\r\n\x00\r\nQUIT\n":             no,
		"\r\nGET / HTTP/1.1":                 no,
		"\r\nSTOMP\n":                        no,
		"\r\r":                               no,
		"\rS":                                no,
	} {
		gotYes, gotMore := MatchPrefix([]byte(prefix))
		require.Equal(t, want == yes, gotYes, "%q", prefix)
		require.Equal(t, want == more, gotMore, "%q", prefix)
	}
}

func TestMatchPrefixNeverTakesAnAnswerBack(t *testing.T) {
	for _, whole := range []string{"CONNECT\nhost:x\n\n\x00", "\n\nSTOMP\r\n", "CONNECT host HTTP/1.1\r\n", "\r\n\r\n\x00\r\nQUIT\n"} {
		decided := ""
		for n := range len(whole) + 1 {
			yes, more := MatchPrefix([]byte(whole[:n]))
			require.False(t, yes && more)
			if more {
				require.Empty(t, decided, "%q", whole[:n])
				continue
			}
			if decided == "" {
				decided = map[bool]string{true: "yes", false: "no"}[yes]
			}
			require.Equal(t, decided == "yes", yes)
		}
	}
}
