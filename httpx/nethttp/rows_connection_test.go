package nethttp_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

func slicesOf(rows ...[]row) []row { return slices.Concat(rows...) }

const (
	oldGet     = "GET / HTTP/1.0\r\n\r\n"
	oldKeepGet = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
	closeGet   = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
)

func connectionRows() []row {
	large := writes(strings.Repeat("x", 10_000))
	return []row{
		{name: "HTTP/1.0", handler: writes("hello"), request: oldGet},
		{name: "HTTP/1.0, large", handler: large, request: oldGet},
		{name: "HTTP/1.0, keep-alive", handler: writes("hello"), request: oldKeepGet},
		{name: "HTTP/1.0, keep-alive, large", handler: large, request: oldKeepGet},
		{name: "HTTP/1.0, keep-alive, announced", handler: with("hello", "Content-Length", "5"), request: oldKeepGet},
		{name: "HTTP/1.0, keep-alive, 204", handler: status(http.StatusNoContent, ""), request: oldKeepGet},
		{name: "HTTP/1.0, keep-alive, HEAD", handler: writes("hello"), request: "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", method: "HEAD"},
		{name: "HTTP/1.0, keep-alive, flush", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "a")
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "b")
		}), request: oldKeepGet},
		{name: "client closes", handler: writes("hello"), request: closeGet},
		{name: "client closes, large", handler: large, request: closeGet},
		{name: "handler closes", handler: with("hello", "Connection", "close"), request: plainGet},
		{name: "handler closes, large", handler: with(strings.Repeat("x", 10_000), "Connection", "close"), request: plainGet},
		{name: "handler keeps", handler: with("hello", "Connection", "keep-alive"), request: plainGet},
		{name: "handler keeps what the client closes", handler: with("hello", "Connection", "keep-alive"), request: closeGet},
		{name: "handler names an option", handler: with("hello", "Connection", "X-Hop", "X-Hop", "1"), request: plainGet},
		{name: "one after the other", handler: shows, talk: func(p *peer) {
			for i := range 3 {
				p.send(fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", i))
				p.answer("GET")
			}
			p.send(announcedPost(3, 3))
			p.answer("POST")
			p.probe()
		}},
		{name: "pipelined", handler: counts, talk: func(p *peer) {
			p.send(plainGet + announcedPost(10, 10) + chunkedPost(3) + plainGet + announcedPost(300_000, 300_000) + plainGet)
			for _, m := range []string{"GET", "POST", "POST", "GET", "POST", "GET"} {
				p.answer(m)
			}
			p.probe()
		}},
		{name: "pipelined ones run one by one", handler: oneByOne, talk: func(p *peer) {
			p.send(strings.Repeat(plainGet, 20))
			for range 20 {
				p.answer("GET")
			}
		}},
		{name: "pipelined behind a close", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				j.note("%s", r.Method)
				_, _ = io.WriteString(w, "x")
			}
		}, talk: func(p *peer) {
			p.send(closeGet + announcedPost(3, 3))
			p.answer("GET")
			p.rest()
		}},
		{name: "pipelined behind a panic", handler: func(j *journal) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				j.note("%s", r.Method)
				panic(http.ErrAbortHandler)
			}
		}, talk: func(p *peer) {
			p.send(plainGet + announcedPost(3, 3))
			p.rest()
		}},
		{name: "client leaves", handler: func(j *journal) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				j.note("began")
				select {
				case <-r.Context().Done():
					j.note("context is done: %v", r.Context().Err())
				case <-time.After(patience):
					j.note("context is not done")
				}
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			p.j.awaitBegin(p.t)
			_ = p.conn.Close()
		}},
		{name: "context ends with the handler", handler: func(j *journal) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				j.running.Add(1)
				go func() {
					defer j.running.Add(-1)
					<-r.Context().Done()
					j.note("%v", r.Context().Err())
				}()
			}
		}, request: plainGet},
		{name: "write to a client that has left", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				var err error
				for range 1000 {
					if _, err = io.WriteString(w, strings.Repeat("x", 10_000)); err != nil {
						break
					}
				}
				j.note("fails %v", err != nil)
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			p.j.awaitBegin(p.t)
			_ = p.conn.Close()
		}},
		{name: "half-closed client", handler: func(*journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				_, _ = io.WriteString(w, "hello")
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			_ = p.conn.CloseWrite()
			p.answer("GET")
		}},
	}
}

// oneByOne notes when two of its calls run at a time.
func oneByOne(j *journal) http.HandlerFunc {
	free := make(chan struct{}, 1)
	return func(w http.ResponseWriter, _ *http.Request) {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
		default:
			j.note("two at a time")
		}
		_, _ = io.WriteString(w, "x")
	}
}
