package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyFieldsOfTheWholeWayArePassedOn(t *testing.T) {
	for name, row := range map[string]struct{ in, want []string }{
		"ordinary fields":              {[]string{"Accept", "a", "X", "1", "X", "2"}, []string{"Accept", "a", "X", "1", "X", "2"}},
		"Connection":                   {[]string{"Connection", "close", "X", "1"}, []string{"X", "1"}},
		"what Connection lists":        {[]string{"X", "1", "Connection", "close, x , ,Y", "Y", "2", "Z", "3"}, []string{"Z", "3"}},
		"what a second one lists":      {[]string{"Connection", "close", "CONNECTION", "Y", "Y", "2", "Z", "3"}, []string{"Z", "3"}},
		"known ones":                   {[]string{"Keep-Alive", "timeout=5", "TE", "trailers", "Transfer-Encoding", "chunked", "Upgrade", "a", "Proxy-Connection", "x", "Proxy-Authorization", "y", "Proxy-Authenticate", "z"}, nil},
		"framing and host, in any way": {[]string{"Connection", "Host, Content-Length", "Host", "a", "Content-Length", "1"}, []string{"Host", "a", "Content-Length", "1"}},
		"trailers are announced":       {[]string{"Trailer", "X-Sum"}, []string{"Trailer", "X-Sum"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out Header
			out.AddEndToEnd(headerOf(t, row.in...))
			var got []string
			for name, value := range out.All() {
				got = append(got, string(name), string(value))
			}
			require.Equal(t, row.want, got)
		})
	}
}
