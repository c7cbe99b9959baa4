package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTargetsAreCutAtTheirQuery(t *testing.T) {
	for line, want := range map[string]struct {
		path  string
		query string // "-" = none
	}{
		"GET / HTTP/1.1":                          {"/", "-"},
		"GET /a%2Fb?c=d?e HTTP/1.1":               {"/a%2Fb", "c=d?e"},
		"GET /? HTTP/1.1":                         {"/", ""},
		"GET //a HTTP/1.1":                        {"//a", "-"},
		"GET /a?http://b/c HTTP/1.1":              {"/a", "http://b/c"},
		"GET http://a HTTP/1.1":                   {"/", "-"},
		"GET http://a?b HTTP/1.1":                 {"/", "b"},
		"GET http://a:80/b?c HTTP/1.1":            {"/b", "c"},
		"GET urn:a HTTP/1.1":                      {"", "-"},
		"OPTIONS * HTTP/1.1":                      {"", "-"},
		"CONNECT example.com:443 HTTP/1.1":        {"", "-"},
		"GET http://a/b?c=http://d/e?f HTTP/1.1":  {"/b", "c=http://d/e?f"},
		"GET http://a.example?c=/d/../e HTTP/1.1": {"/", "c=/d/../e"},
	} {
		t.Run(line, func(t *testing.T) {
			r := decodeHead(t, line+"\r\nHost: h\r\n\r\n")
			defer r.Release()
			require.Equal(t, want.path, string(r.Path()))
			require.Equal(t, want.query == "-", r.RawQuery() == nil)
			if want.query != "-" {
				require.Equal(t, want.query, string(r.RawQuery()))
			}
		})
	}
}

func TestHostNamesAreLowerCaseWithoutPorts(t *testing.T) {
	for host, want := range map[string]string{
		"a": "a", "A.Example:8080": "a.example", "a.example.": "a.example", "a.example.:80": "a.example", "[::1]": "[::1]", "[::1]:80": "[::1]",
		"192.0.2.1:1": "192.0.2.1", "": "",
	} {
		r := decodeHead(t, "GET / HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		require.Equal(t, want, r.HostName())
		r.Release()
	}
}
