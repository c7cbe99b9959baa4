package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ask sends a request and returns the answer with its body.
func ask(t *testing.T, method, url string, body io.Reader, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	answer, err := client.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer, string(text)
}

func TestPathsAnswer(t *testing.T) {
	url := "http://" + serve(t)
	large := bytes.Repeat([]byte("0123456789"), 100_000)
	for name, c := range map[string]struct {
		method, path string
		body         io.Reader
		headers      []string
		status       int
		want         string
	}{
		"a text":                 {"GET", "/hello", nil, nil, 200, "hello\n"},
		"nothing behind HEAD":    {"HEAD", "/hello", nil, nil, 200, ""},
		"later":                  {"GET", "/late?7", nil, nil, 200, "7\n"},
		"a sum":                  {"PUT", "/sum", bytes.NewReader(large), nil, 200, fmt.Sprintf("1000000 %x\n", sha256.Sum256(large))},
		"a sum of nothing":       {"PUT", "/sum", nil, nil, 200, fmt.Sprintf("0 %x\n", sha256.Sum256(nil))},
		"a sum of chunks":        {"PUT", "/sum", io.MultiReader(strings.NewReader("x")), nil, 200, fmt.Sprintf("1 %x\n", sha256.Sum256([]byte("x")))},
		"a small body":           {"POST", "/small", strings.NewReader("abc"), nil, 200, "3 bytes\n"},
		"a large body":           {"POST", "/small", bytes.NewReader(large), []string{"Expect", "100-continue"}, 413, "Content Too Large\n"},
		"an echo":                {"POST", "/echo", bytes.NewReader(large), nil, 200, string(large)},
		"pieces":                 {"GET", "/stream?pieces=2", nil, nil, 200, "piece 0\npiece 1\n"},
		"no pieces":              {"GET", "/stream?pieces=0", nil, nil, 200, ""},
		"how many pieces":        {"GET", "/stream?pieces=x", nil, nil, 400, "pieces is a number\n"},
		"a file":                 {"GET", "/files/lines.bin", nil, nil, 200, fileText},
		"a range":                {"GET", "/files/lines.bin", nil, []string{"Range", "bytes=16-31"}, 206, "000000000000016\n"},
		"a range behind the end": {"GET", "/files/lines.bin", nil, []string{"Range", "bytes=1048576-"}, 416, ""},
		"no other protocol":      {"GET", "/upgrade", nil, []string{"Connection", "upgrade", "Upgrade", "h2c"}, 426, "Upgrade: echo\n"},
		"nothing":                {"GET", "/", nil, nil, 404, "Not Found\n"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, text := ask(t, c.method, url+c.path, c.body, c.headers...)
			require.Equal(t, c.status, answer.StatusCode)
			require.Equal(t, c.want, text)
		})
	}
}

func TestFieldsOfRangesAndTrailers(t *testing.T) {
	url := "http://" + serve(t)
	answer, _ := ask(t, "GET", url+"/files/lines.bin", nil, "Range", "bytes=-16")
	require.Equal(t, "bytes 1048560-1048575/1048576", answer.Header.Get("Content-Range"))
	answer, _ = ask(t, "GET", url+"/files/lines.bin", nil, "Range", "bytes=1048576-")
	require.Equal(t, "bytes */1048576", answer.Header.Get("Content-Range"))
	answer, _ = ask(t, "GET", url+"/stream?pieces=12", nil)
	require.Equal(t, "12", answer.Trailer.Get("X-Pieces"))
	answer, _ = ask(t, "POST", url+"/echo", strings.NewReader("{}"), "Content-Type", "application/json")
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
}

func TestAHintComesBeforeTheAnswer(t *testing.T) {
	url := "http://" + serve(t)
	var hints []string
	trace := httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		hints = append(hints, fmt.Sprint(code, " ", h.Get("Link")))
		return nil
	}}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), &trace), http.MethodGet, url+"/early", nil)
	require.NoError(t, err)
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, []string{"103 </style.css>; rel=preload"}, hints)
}

// exchange sends text on a connection, and its end unless the server is to end first, and returns everything that comes.
func exchange(t *testing.T, addr, text string, end bool) string {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: 20 * time.Second}).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	if tcp, ok := conn.(*net.TCPConn); ok && end {
		require.NoError(t, tcp.CloseWrite())
	}
	all, err := io.ReadAll(bufio.NewReader(conn))
	require.NoError(t, err)
	return string(all)
}

func TestAnswersKeepTheOrderOfTheRequests(t *testing.T) {
	addr := serve(t)
	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n" }
	all := exchange(t, addr, get("/late?1")+get("/hello")+get("/late?2")+"GET /hello HTTP/1.0\r\n\r\n", false)
	var bodies []string
	for in := bufio.NewReader(strings.NewReader(all)); ; {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			break
		}
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		bodies = append(bodies, string(body))
	}
	require.Equal(t, []string{"1\n", "hello\n", "2\n", "hello\n"}, bodies)
}

func TestAnotherProtocolFollowsTheUpgrade(t *testing.T) {
	all := exchange(t, serve(t), "GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nno HTTP\r\n\r\n", true)
	head, rest, _ := strings.Cut(all, "\r\n\r\n")
	require.True(t, strings.HasPrefix(head, "HTTP/1.1 101 "), head)
	require.Contains(t, head, "\r\nUpgrade: echo")
	require.Equal(t, "no HTTP\r\n\r\n", rest)
}
