package nethttp_test

import (
	"crypto/sha1"
	"encoding/base64"
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

// webSocketEcho answers frames of a few octets until one closes.
func webSocketEcho(*journal) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		sum := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(sum[:]))
		head := make([]byte, 6)
		for head[0] != 0x88 {
			if _, err = io.ReadFull(rw, head); err != nil {
				return
			}
			payload := make([]byte, head[1]&0x7f)
			if _, err = io.ReadFull(rw, payload); err != nil {
				return
			}
			_, _ = conn.Write(append([]byte{head[0], head[1] & 0x7f}, payload...))
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
		{name: "proxy, WebSocket", handler: proxied(webSocketEcho), talk: func(p *peer) {
			p.send("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
				"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
			_, _ = p.head("GET")
			p.send("\x81\x85\x00\x00\x00\x00Hello") // text, masked by nothing
			p.raw(7)
			p.send("\x88\x82\x00\x00\x00\x00\x03\xe8")
			p.raw(4)
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
