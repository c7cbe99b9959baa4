package nethttp_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
)

// proxied is a handler that passes requests to another server by httputil.ReverseProxy.
func proxied(behind func(j *journal) http.HandlerFunc) func(j *journal) http.HandlerFunc {
	return func(j *journal) http.HandlerFunc {
		s := httptest.NewUnstartedServer(behind(j))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.Start()
		target, err := url.Parse(s.URL)
		if err != nil {
			return func(http.ResponseWriter, *http.Request) { j.note("%v", err) }
		}
		transport := &http.Transport{}
		p := &httputil.ReverseProxy{
			Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = "backend" },
			Transport: transport, ErrorLog: log.New(io.Discard, "", 0),
		}
		return func(w http.ResponseWriter, r *http.Request) {
			defer s.Close()
			defer transport.CloseIdleConnections()
			defer s.CloseClientConnections()
			p.ServeHTTP(w, r)
		}
	}
}

func proxyRows() []row {
	return []row{
		{name: "proxy", handler: proxied(writes("from behind")), request: plainGet},
		{name: "proxy, large answer", handler: proxied(writes(strings.Repeat("x", 1<<18))), request: plainGet},
		{name: "proxy, announced body", handler: proxied(counts), method: "POST", request: announcedPost(100_000, 100_000)},
		{name: "proxy, chunked body", handler: proxied(counts), method: "POST", request: chunkedPost(100)},
		{name: "proxy, HEAD", handler: proxied(writes("x")), method: "HEAD", request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"},
		{name: "proxy, 204", handler: proxied(status(http.StatusNoContent, "")), request: plainGet},
		{name: "proxy, early hints", handler: proxied(of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "</a>")
			w.WriteHeader(http.StatusEarlyHints)
			_, _ = io.WriteString(w, "final")
		})), request: plainGet},
		{name: "proxy, trailers", handler: proxied(of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			_, _ = io.WriteString(w, "body")
			w.Header().Set("X-Sum", "1")
			w.Header().Set(http.TrailerPrefix+"X-Late", "2")
		})), request: plainGet},
		{name: "proxy, answer breaks off", handler: proxied(of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "part")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})), request: plainGet},
		{name: "proxy, expect", handler: proxied(counts), talk: func(p *peer) {
			p.send(announcedPost(10, 0, expects))
			r, err := p.head("POST")
			if err == nil && r.StatusCode == http.StatusContinue {
				p.send(strings.Repeat("b", 10))
				p.answer("POST")
				p.probe()
			}
			// Both the server behind and the proxy's own reading ask the client to go on, in no order.
			p.log = slices.DeleteFunc(p.log, func(line string) bool { return strings.HasSuffix(line, "100 Continue") })
		}},
		{name: "proxy, streaming", handler: proxied(func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for i := range 3 {
					_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
				j.note("behind: client has left")
			}
		}), talk: func(p *peer) {
			p.send(plainGet)
			r, err := p.head("GET")
			if err == nil {
				b := make([]byte, len("data: 0\n\n")*3)
				_, err = io.ReadFull(r.Body, b)
				p.note("%q %v", b, err)
			}
		}},
		{name: "proxy, upgrade", handler: proxied(func(j *journal) http.HandlerFunc {
			return hijacks(shouting(11))(j)
		}), talk: func(p *peer) {
			p.send(upgradeGet)
			_, _ = p.head("GET")
			p.send("hello")
			p.send(" world")
			p.raw(11)
			p.rest()
		}},
		{name: "proxy, upgrade, client leaves", handler: proxied(func(j *journal) http.HandlerFunc {
			return hijacks(shouting(1 << 20))(j)
		}), talk: func(p *peer) {
			p.send(upgradeGet)
			_, _ = p.head("GET")
			p.send("hello")
		}},
	}
}
