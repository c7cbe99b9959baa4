package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// announcedPost is a request with a body of n octets, of which sent are there.
func announcedPost(n, sent int, fields ...string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n%s", n, strings.Join(fields, ""), strings.Repeat("b", sent))
}

// chunkedPost is a request whose body comes in chunks of 1024 octets.
func chunkedPost(chunks int) string {
	return "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
		strings.Repeat("400\r\n"+strings.Repeat("c", 1024)+"\r\n", chunks) + "0\r\n\r\n"
}

const expects = "Expect: 100-continue\r\n"

// counts reads the body and answers with its length.
func counts(j *journal) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		j.note("read %d %v", n, err)
		_, _ = fmt.Fprintf(w, "%d", n)
	}
}

// peeks reads three octets of the body.
func peeks(j *journal) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b := make([]byte, 3)
		n, err := io.ReadFull(r.Body, b)
		j.note("read %q %v", b[:n], err)
		_, _ = io.WriteString(w, "enough")
	}
}

func bodyRows() []row {
	return slicesOf(smallBodyRows(), expectRows(), duplexRows())
}

func smallBodyRows() []row {
	const post = "POST"
	return []row{
		{name: "body read", handler: counts, method: post, request: announcedPost(1000, 1000)},
		{name: "large body read", handler: counts, method: post, request: announcedPost(1<<20, 1<<20)},
		{name: "chunked body read", handler: counts, method: post, request: chunkedPost(500)},
		{name: "small body not read", handler: writes("no thanks"), method: post, request: announcedPost(1000, 1000)},
		{name: "small chunked body not read", handler: writes("no thanks"), method: post, request: chunkedPost(10)},
		{name: "large body not read", handler: writes("no thanks"), method: post, request: announcedPost(1<<20, 1<<20)},
		{name: "large chunked body not read", handler: writes("no thanks"), method: post, request: chunkedPost(1 << 10)},
		{name: "large body not read behind a large answer", handler: writes(strings.Repeat("x", 1<<16)), method: post, request: announcedPost(1<<20, 1<<20)},
		{name: "small body partly read", handler: peeks, method: post, request: announcedPost(1000, 1000)},
		{name: "large body partly read", handler: peeks, method: post, request: announcedPost(1<<20, 1<<20)},
		{name: "body closed by the handler", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				j.note("close %v", r.Body.Close())
				_, err := r.Body.Read(make([]byte, 1))
				j.note("read %v", errors.Is(err, http.ErrBodyReadAfterClose))
			}
		}, method: post, request: announcedPost(1000, 1000)},
		{name: "large body closed by the handler", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				j.note("close %v", r.Body.Close())
				_, _ = io.WriteString(w, "x")
			}
		}, method: post, request: announcedPost(1<<20, 1<<20)},
		{name: "end of a body again and again", handler: func(j *journal) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				for range 3 {
					n, err := r.Body.Read(make([]byte, 10))
					j.note("%d %v", n, err)
				}
			}
		}, method: post, request: announcedPost(10, 10)},
		{name: "read behind the answer", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				_ = http.NewResponseController(w).Flush()
				n, err := r.Body.Read(make([]byte, 10))
				j.note("%d %v", n, errors.Is(err, http.ErrBodyReadAfterClose))
			}
		}, method: post, request: announcedPost(10, 10)},
		{name: "client leaves in the middle of a body", handler: counts, talk: func(p *peer) {
			p.send(announcedPost(1000, 500))
			p.j.awaitBegin(p.t)
			_ = p.conn.Close()
		}},
		{name: "client leaves in the middle of a chunk", handler: counts, talk: func(p *peer) {
			p.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400\r\nabc")
			p.j.awaitBegin(p.t)
			_ = p.conn.Close()
		}},
		{name: "chunk that is none", handler: counts, talk: func(p *peer) {
			p.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n")
			if p.answer(post) {
				p.probe()
			}
		}},
		{name: "read deadline", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				j.note("%v", http.NewResponseController(w).SetReadDeadline(time.Now().Add(20*time.Millisecond)))
				_, err := io.ReadAll(r.Body)
				j.note("%v", errors.Is(err, os.ErrDeadlineExceeded))
				_, _ = io.WriteString(w, "too slow")
			}
		}, method: post, request: announcedPost(1000, 500)},
		{name: "body that is too long by MaxBytesReader", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100))
				var tooLong *http.MaxBytesError
				j.note("%v", errors.As(err, &tooLong))
				http.Error(w, "too long", http.StatusRequestEntityTooLarge)
			}
		}, method: post, request: announcedPost(1000, 1000)},
		{name: "body that is much too long by MaxBytesReader", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100))
				j.note("%v", err)
				http.Error(w, "too long", http.StatusRequestEntityTooLarge)
			}
		}, method: post, request: announcedPost(1<<20, 1<<20)},
	}
}

func expectRows() []row {
	const post = "POST"
	// patient sends the body when it is asked for it.
	patient := func(request, body string) func(p *peer) {
		return func(p *peer) {
			p.send(request)
			r, err := p.head(post)
			if err != nil {
				p.note("no answer")
				return
			}
			if r.StatusCode == http.StatusContinue {
				p.send(body)
				p.answer(post)
			} else {
				p.body(r)
			}
			p.probe()
		}
	}
	return []row{
		{name: "expect, body read", handler: counts, talk: patient(announcedPost(10, 0, expects), strings.Repeat("b", 10))},
		{name: "expect, chunked body read", handler: counts, talk: patient(
			"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"+expects+"\r\n", "3\r\nabc\r\n0\r\n\r\n")},
		{name: "expect, body not read", handler: status(http.StatusForbidden, "no"), talk: patient(announcedPost(10, 0, expects), "")},
		{name: "expect, body not read, large answer", handler: writes(strings.Repeat("x", 5000)), talk: patient(announcedPost(10, 0, expects), "")},
		{name: "expect, continue by the handler", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusContinue)
				counts(j)(w, r)
			}
		}, talk: patient(announcedPost(10, 0, expects), strings.Repeat("b", 10))},
		{name: "expect, body comes at once", handler: counts, method: post, request: announcedPost(10, 10, expects)},
		{name: "expect, body partly read", handler: peeks, talk: patient(announcedPost(10, 0, expects), strings.Repeat("b", 10))},
		{name: "expect, no body", handler: counts, method: post, request: announcedPost(0, 0, expects)},
		{name: "expect something else", handler: counts, method: post, request: announcedPost(0, 0, "Expect: a-miracle\r\n")},
		{name: "expect by HTTP/1.0", handler: counts, method: post, request: "POST / HTTP/1.0\r\nContent-Length: 3\r\n" + expects + "\r\nabc"},
	}
}

func duplexRows() []row {
	return []row{
		{name: "full duplex", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				c := http.NewResponseController(w)
				j.note("%v", c.EnableFullDuplex())
				_ = c.Flush()
				b := make([]byte, 4)
				for range 3 {
					if _, err := io.ReadFull(r.Body, b); err != nil {
						j.note("%v", err)
						return
					}
					_, _ = fmt.Fprintf(w, "<%s>", b)
					_ = c.Flush()
				}
			}
		}, talk: func(p *peer) {
			p.send(announcedPost(12, 0))
			r, err := p.head("POST")
			if err != nil {
				p.note("no answer")
				return
			}
			for _, part := range []string{"abcd", "efgh", "ijkl"} {
				p.send(part)
				b := make([]byte, 6)
				_, err := io.ReadFull(r.Body, b)
				p.note("%s %v", b, err)
			}
			p.body(r)
			p.probe()
		}},
		{name: "full duplex, large body left", handler: func(*journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				_ = http.NewResponseController(w).EnableFullDuplex()
				_, _ = io.WriteString(w, "answer")
			}
		}, method: "POST", request: announcedPost(1<<20, 1<<20)},
	}
}
