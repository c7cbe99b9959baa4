package nethttp_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// shows is a handler that answers with what it got.
func shows(_ *journal) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s %d.%d\nurl %s | %s | %s | %s | %s\nhost %s\nuri %s\nlength %d\ncoding %q\nclose %v\nbody %q %v\n",
			r.Method, r.Proto, r.URL.String(), r.ProtoMajor, r.ProtoMinor, r.URL.Scheme, r.URL.Host, r.URL.Path, r.URL.RawQuery, r.URL.Opaque,
			r.Host, r.RequestURI, r.ContentLength, r.TransferEncoding, r.Close, body, err)
		for _, name := range slices.Sorted(maps.Keys(r.Header)) {
			_, _ = fmt.Fprintf(w, "%s: %q\n", name, r.Header[name])
		}
		for _, name := range slices.Sorted(maps.Keys(r.Trailer)) {
			_, _ = fmt.Fprintf(w, "trailer %s: %q\n", name, r.Trailer[name])
		}
		_, _ = fmt.Fprintf(w, "path value %q, pattern %q, remote %v, local %v, server %v, tls %v, body %v\n", r.PathValue("x"), r.Pattern,
			strings.HasPrefix(r.RemoteAddr, "127.0.0.1:"), r.Context().Value(http.LocalAddrContextKey) != nil,
			r.Context().Value(http.ServerContextKey).(*http.Server) != nil, r.TLS, r.Body == http.NoBody)
	}
}

// with is a handler that sets fields, then writes a body.
func with(body string, fields ...string) func(*journal) http.HandlerFunc {
	return of(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		_, _ = io.WriteString(w, body)
	})
}

func headRows() []row {
	trailers := of(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum, x-count")
		w.Header().Add("Trailer", "X-Unset")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "abc")
		w.Header().Set("X-Count", "4")
		w.Header().Set(http.TrailerPrefix+"X-Late", "yes")
	})
	early := of(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("X-More", "1")
		w.WriteHeader(http.StatusProcessing)
		w.Header().Del("Link")
		_, _ = io.WriteString(w, "final")
	})
	return []row{
		{name: "what a request looks like", handler: shows, request: "GET /a%20b/c?x=1&y=%20 HTTP/1.1\r\nHost: example.com:80\r\naccept: */*\r\nX-Two: 1\r\nx-two: 2\r\nX-Empty:\r\nCookie: a=b\r\nReferer: /x\r\n\r\n"},
		{name: "absolute target", handler: shows, request: "GET http://other.example/p?q HTTP/1.1\r\nHost: x\r\n\r\n"},
		{name: "CONNECT refused", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				j.note("%q %q %q %q", r.URL.Host, r.URL.Scheme, r.RequestURI, r.Host)
				http.Error(w, "no tunnel", http.StatusForbidden)
			}
		}, request: "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"},
		{name: "OPTIONS of the server", handler: shows, request: "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", method: "OPTIONS"},
		{name: "OPTIONS of a resource", handler: shows, request: "OPTIONS /a HTTP/1.1\r\nHost: x\r\n\r\n", method: "OPTIONS"},
		{name: "unknown method", handler: shows, request: "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n", method: "BREW"},
		{name: "pragma becomes cache-control", handler: shows, request: "GET / HTTP/1.1\r\nHost: x\r\nPragma: no-cache\r\n\r\n"},
		{name: "chunked request with trailers", handler: shows, method: "POST", request: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum, X-None\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\nX-Other: 6\r\n\r\n"},
		{name: "announced request", handler: shows, method: "POST", request: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Type: text/plain\r\nTrailer: X-Sum\r\n\r\nhello"},
		{name: "empty announced request", handler: shows, method: "POST", request: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"},
		{name: "target that is none", handler: shows, request: "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"},
		{name: "fields in canonical form", handler: with("x", "X-A", "1", "X-A", "2", "x-b", "3"), request: plainGet},
		{name: "fields changed behind the head", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h.Set("X-A", "1")
			w.WriteHeader(http.StatusOK)
			h.Set("X-A", "2")
			h.Set("X-B", "late")
			_, _ = io.WriteString(w, "x")
		}), request: plainGet},
		{name: "line break in a value", handler: with("x", "X-A", "a\r\nX-Evil: b"), request: plainGet},
		{name: "name that is no token", handler: with("x", "X A", "a", "", "b"), request: plainGet},
		{name: "no content type wanted", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "hello")
		}), request: plainGet},
		{name: "no date wanted", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			_, _ = io.WriteString(w, "hello")
		}), request: plainGet},
		{name: "own date", handler: with("x", "Date", "Thu, 01 Jan 1970 00:00:00 GMT"), request: plainGet},
		{name: "encoded body is not sniffed", handler: with("\x1f\x8b", "Content-Encoding", "gzip"), request: plainGet},
		{name: "own chunked", handler: with("hello", "Transfer-Encoding", "chunked"), request: plainGet},
		{name: "own identity", handler: with("hello", "Transfer-Encoding", "identity"), request: plainGet},
		{name: "own length and coding", handler: with("hello", "Transfer-Encoding", "chunked", "Content-Length", "5"), request: plainGet},
		{name: "HEAD of small", handler: writes("hello"), request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "HEAD of nothing", handler: writes(), request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "HEAD of large", handler: writes(strings.Repeat("x", 100_000)), request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "HEAD with a length", handler: with("", "Content-Length", "1234"), request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "HEAD that flushes", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "y")
		}), request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "trailers", handler: trailers, request: plainGet},
		{name: "trailers to HTTP/1.0", handler: trailers, request: "GET / HTTP/1.0\r\n\r\n"},
		{name: "trailers of HEAD", handler: trailers, request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "trailers only by prefix", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "body")
			_ = http.NewResponseController(w).Flush()
			w.Header().Set(http.TrailerPrefix+"X-Late", "yes")
		}), request: plainGet},
		{name: "trailers by prefix without a flush", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "body")
			w.Header().Set(http.TrailerPrefix+"X-Late", "yes")
		}), request: plainGet},
		{name: "trailer that may be none", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "Content-Length, X-Sum")
			_, _ = io.WriteString(w, "body")
			w.Header().Set("X-Sum", "1")
			w.Header().Set("Content-Length", "77")
		}), request: plainGet},
		{name: "trailer of cookies", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "Set-Cookie")
			_, _ = io.WriteString(w, "body")
			w.Header().Set("Set-Cookie", "a=b")
		}), request: plainGet},
		{name: "early hints", handler: early, request: plainGet},
		{name: "early hints to HTTP/1.0", handler: early, request: "GET / HTTP/1.0\r\n\r\n"},
		{name: "101 that nobody asked for", handler: status(http.StatusSwitchingProtocols, ""), request: plainGet},
	}
}
