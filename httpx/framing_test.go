package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequestsThatCouldBeFramedTwoWaysAreRefused(t *testing.T) {
	for fields, want := range map[string]result{
		"Content-Length: 3\r\nTransfer-Encoding: chunked":          {status: 400, reason: "both length and chunked"},
		"Content-Length: 3\r\nContent-Length: 3":                   {status: 400, reason: "duplicate content-length"},
		"Content-Length: 3, 3":                                     {status: 400, reason: "bad content-length"},
		"Content-Length: 9223372036854775808":                      {status: 400, reason: "bad content-length"},
		"Transfer-Encoding: ":                                      {status: 400, reason: "bad transfer-encoding"},
		"Transfer-Encoding: , chunked":                             {status: 400, reason: "bad transfer-encoding"},
		"Transfer-Encoding: chunked,":                              {status: 400, reason: "bad transfer-encoding"},
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: ":        {status: 400, reason: "bad transfer-encoding"},
		"Transfer-Encoding: , ,":                                   {status: 400, reason: "bad transfer-encoding"},
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: x":       {status: 400, reason: "final coding is not chunked"},
		"Transfer-Encoding: x\r\nTransfer-Encoding: chunked":       {status: 501, reason: "unsupported transfer coding"},
		"Transfer-Encoding: chunked;q=1":                           {status: 400, reason: "final coding is not chunked"},
		"Transfer-Encoding: \"chunked\"":                           {status: 400, reason: "final coding is not chunked"},
		"Transfer-Encoding: xchunked":                              {status: 400, reason: "final coding is not chunked"},
		"Transfer-Encoding: chunked, x, chunked":                   {status: 400, reason: "chunked twice"},
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked": {status: 400, reason: "chunked twice"},
		"Host: b":        {status: 400, reason: "duplicate host"},
		"Host: ":         {status: 400, reason: "duplicate host"},
		"Upgrade : x":    {status: 400, reason: "space before colon"},
		"\x0bHost: b":    {status: 400, reason: "bad field name"},
		"Content-Length": {status: 400, reason: "no colon"},
	} {
		requireRefused(t, "POST / HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n\r\n0\r\n\r\n", want.status, want.reason)
	}
}

func TestEmptyListElementsAreSkipped(t *testing.T) {
	got := requireAccepted(t, DecoderConfig{}, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"+
		"Connection: , ,x, ,close,\r\n\r\n1\r\na\r\n0\r\n\r\n")
	require.Equal(t, "a", got.Body)
	require.False(t, got.KeepAlive)
}

func TestHostOctetsAreChecked(t *testing.T) {
	for host, ok := range map[string]bool{
		"": true, "a.example:8080": true, "[2001:db8::1]:80": true, "a_b~c": true, "%41": true,
		"a b": false, "a/b": false, "a@b": false, "a?b": false, "a#b": false, "a\\b": false, "caf\xe9": false, "a\"b": false,
	} {
		got := decodeRequests(t, DecoderConfig{}, "GET / HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		require.Equal(t, ok, got.reason == "", "%q", host)
	}
}

func TestPersistenceFollowsVersionAndConnection(t *testing.T) {
	for head, keeps := range map[string]bool{
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n":                                   true,
		"GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n":              false,
		"GET / HTTP/1.1\r\nHost: a\r\nConnection: x,close\r\n\r\n":            false,
		"GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n":             true,
		"GET / HTTP/1.0\r\n\r\n":                                              false,
		"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n":                    true,
		"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n":             false,
		"GET / HTTP/1.3\r\nHost: a\r\n\r\n":                                   true,
		"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nConnection: keep-alive\r\n\r\n": true,
	} {
		require.Equal(t, keeps, requireAccepted(t, DecoderConfig{}, head).KeepAlive, "%q", head)
	}
}

func TestContinueIsExpectedOnlyWhenABodyFollows(t *testing.T) {
	for head, expects := range map[string]bool{
		"PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n":             true,
		"PUT / HTTP/1.1\r\nHost: a\r\nExpect: x, 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n": true,
		"PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n":             false,
		"PUT / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\n":                        false,
		"PUT / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n":             false,
	} {
		r := decodeHead(t, head)
		require.Equal(t, expects, r.ExpectContinue, "%q", head)
		r.Release()
	}
}

func TestBodyLengthIsTold(t *testing.T) {
	for fields, want := range map[string]int64{
		"X: 1": 0, "Content-Length: 0": 0, "Content-Length: 0012": 12, "Transfer-Encoding: Chunked": LengthChunked,
		"Content-Length: 9223372036854775807": 1<<63 - 1,
	} {
		r := decodeHead(t, getWith(fields))
		require.Equal(t, want, r.Length, fields)
		r.Release()
	}
}

func TestConnectHasNoContent(t *testing.T) {
	for _, field := range []string{"Content-Length: 3", "Transfer-Encoding: chunked"} {
		requireRefused(t, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n"+field+"\r\n\r\nabc", 400, "content in CONNECT")
	}
	require.True(t, requireAccepted(t, DecoderConfig{}, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").Upgrade)
}

func TestLengthsAreDigitsWithin63Bits(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "7": 7, "00000000000000000000012": 12, "9223372036854775807": 1<<63 - 1} {
		n, ok := parseLength([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, n)
	}
	for _, text := range []string{"", "-1", "+1", "1 ", "0x1", "1_0", "9223372036854775808", "99999999999999999999", "\xb2"} {
		_, ok := parseLength([]byte(text))
		require.False(t, ok, "%q", text)
	}
}

func TestEqualLengthsCollapseInEveryWriting(t *testing.T) {
	config := DecoderConfig{CollapseEqualLengths: true}
	for fields, ok := range map[string]bool{
		"Content-Length: 3\r\nX: 1\r\ncontent-length: 03\r\nContent-Length: 3": true,
		"Content-Length: 3, 3":                   true,
		"Content-Length: 3,4":                    false,
		"Content-Length: 3,":                     true,
		"Content-Length: 3,,3":                   false,
		"Content-Length: 3\r\nContent-Length: 4": false,
		"Content-Length: 3\r\nContent-Length: x": false,
		"Content-Length: \r\nContent-Length: ":   false,
	} {
		got := decodeRequests(t, config, "POST / HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n\r\nabc")
		require.Equal(t, ok, got.reason == "", "%q: %s", fields, got.reason)
		if ok {
			require.Equal(t, "abc", got.messages[0].Body)
		}
	}
}
