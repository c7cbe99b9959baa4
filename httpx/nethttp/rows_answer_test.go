package nethttp_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

const plainGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

// of is a handler that notes nothing.
func of(h http.HandlerFunc) func(*journal) http.HandlerFunc {
	return func(*journal) http.HandlerFunc { return h }
}

// writes is a handler that writes the given parts one by one.
func writes(parts ...string) func(*journal) http.HandlerFunc {
	return of(func(w http.ResponseWriter, _ *http.Request) {
		for _, p := range parts {
			_, _ = io.WriteString(w, p)
		}
	})
}

func answerRows() []row {
	return []row{
		{name: "nothing at all", handler: writes(), request: plainGet},
		{name: "small text", handler: writes("hello"), request: plainGet},
		{name: "html is sniffed", handler: writes("<html>", "<p>x"), request: plainGet},
		{name: "binary is sniffed", handler: writes("\x89PNG\r\n\x1a\n", "xx"), request: plainGet},
		{name: "2048 octets", handler: writes(strings.Repeat("x", 2048)), request: plainGet},
		{name: "2049 octets in one", handler: writes(strings.Repeat("x", 2049)), request: plainGet},
		{name: "2049 octets in two", handler: writes(strings.Repeat("x", 2048), "y"), request: plainGet},
		{name: "megabyte in one", handler: writes(strings.Repeat("abcdefgh", 1<<17)), request: plainGet},
		{name: "many small writes", handler: writes(strings.SplitAfter(strings.Repeat("line of text\n", 5000), "\n")...), request: plainGet},
		{name: "status without a body", handler: status(http.StatusAccepted, ""), request: plainGet},
		{name: "status with a body", handler: status(http.StatusNotFound, "gone"), request: plainGet},
		{name: "204", handler: status(http.StatusNoContent, ""), request: plainGet},
		{name: "204 with a body", handler: status(http.StatusNoContent, "x"), request: plainGet},
		{name: "205", handler: status(http.StatusResetContent, ""), request: plainGet},
		{name: "304", handler: status(http.StatusNotModified, ""), request: plainGet},
		{name: "304 with fields of a body", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "12")
			w.Header().Set("Etag", `"a"`)
			w.WriteHeader(http.StatusNotModified)
		}), request: plainGet},
		{name: "413 has its name", handler: status(http.StatusRequestEntityTooLarge, "x"), request: plainGet},
		{name: "status without a name", handler: status(599, "x"), request: plainGet},
		{name: "status above 599", handler: status(799, "x"), request: plainGet},
		{name: "status twice", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, "first")
		}), request: plainGet},
		{name: "invalid status panics", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				defer func() { j.note("panics %v", recover() != nil) }()
				w.WriteHeader(42)
			}
		}, request: plainGet},
		{name: "flush before anything", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "later")
		}), request: plainGet},
		{name: "flush between", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, _ = io.WriteString(w, "tick\n")
				w.(http.Flusher).Flush()
			}
		}), request: plainGet},
		{name: "flush of an announced body", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "hello")
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "world")
		}), request: plainGet},
		{name: "flush arrives at once", handler: func(*journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, "first")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			r, err := p.head("GET")
			if err == nil {
				b := make([]byte, 5)
				_, err = io.ReadFull(r.Body, b)
				p.note("got %q %v", b, err)
			}
		}},
		{name: "ReadFrom a reader", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.Copy(w, strings.NewReader(strings.Repeat("0123456789", 3000)))
		}), request: plainGet},
		{name: "ReadFrom an announced one", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "30000")
			_, _ = w.(io.ReaderFrom).ReadFrom(io.MultiReader(strings.NewReader(strings.Repeat("0123456789", 3000))))
		}), request: plainGet},
		{name: "zero length write", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				n, err := w.Write(nil)
				j.note("%d %v", n, err)
			}
		}, request: plainGet},
		{name: "what writes return", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				n, err := w.Write([]byte("hello"))
				j.note("%d %v", n, err)
				n, err = io.WriteString(w, strings.Repeat("x", 10000))
				j.note("%d %v", n, err)
			}
		}, request: plainGet},
		{name: "body where there is none", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusNotModified)
				_, err := io.WriteString(w, "x")
				j.note("%v", errors.Is(err, http.ErrBodyNotAllowed))
			}
		}, request: plainGet},
		{name: "longer than announced", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "5")
				_, err := io.WriteString(w, "hello")
				j.note("%v", err)
				_, err = io.WriteString(w, " world")
				j.note("%v", errors.Is(err, http.ErrContentLength))
			}
		}, request: plainGet},
		{name: "longer than announced at once", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "hello world")
		}), request: plainGet},
		{name: "shorter than announced", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "hello")
		}), request: plainGet},
		{name: "announced length that is none", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "five")
			_, _ = io.WriteString(w, "hello")
		}), request: plainGet},
		{name: "panic before anything", handler: of(func(http.ResponseWriter, *http.Request) { panic("no") }), request: plainGet},
		{name: "panic with ErrAbortHandler", handler: of(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), request: plainGet},
		{name: "panic behind a write that is kept back", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "never seen")
			panic("no")
		}), request: plainGet},
		{name: "panic behind a flush", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "seen")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}), request: plainGet},
		{name: "panic in the middle of an announced body", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10000")
			_, _ = io.WriteString(w, strings.Repeat("x", 5000))
			panic("no")
		}), request: plainGet},
		{name: "answer takes its time", handler: of(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-r.Context().Done():
			}
			_, _ = io.WriteString(w, "done")
		}), request: plainGet},
	}
}

func status(code int, body string) func(*journal) http.HandlerFunc {
	return of(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		if body != "" {
			_, _ = io.WriteString(w, body)
		}
	})
}
