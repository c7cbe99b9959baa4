package nethttp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const upgradeGet = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n"

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n"

// hijacks is a handler that takes the connection over, and closes it when f returns.
func hijacks(f func(j *journal, conn net.Conn, rw *bufio.ReadWriter)) func(*journal) http.HandlerFunc {
	return func(j *journal) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				j.note("%v", err)
				return
			}
			defer conn.Close()
			f(j, conn, rw)
		}
	}
}

// shouting answers n octets in capitals.
func shouting(n int) func(j *journal, conn net.Conn, rw *bufio.ReadWriter) {
	return func(_ *journal, _ net.Conn, rw *bufio.ReadWriter) {
		_, _ = rw.WriteString(switching)
		_ = rw.Flush()
		b := make([]byte, n)
		k, _ := io.ReadFull(rw, b)
		_, _ = rw.WriteString(strings.ToUpper(string(b[:k])))
		_ = rw.Flush()
	}
}

func hijackRows() []row {
	return []row{
		{name: "hijack", handler: hijacks(shouting(5)), talk: func(p *peer) {
			p.send(upgradeGet)
			p.raw(len(switching))
			p.send("hello")
			p.raw(5)
			p.rest()
		}},
		{name: "hijack with octets behind the request", handler: hijacks(func(j *journal, conn net.Conn, rw *bufio.ReadWriter) {
			early := make([]byte, rw.Reader.Buffered())
			_, err := io.ReadFull(rw, early)
			j.note("%q %v", early, err)
			_, _ = io.WriteString(conn, "go")
			rest, err := io.ReadAll(conn) // what is buffered was all that came before
			j.note("%q %v", rest, err)
			_, _ = io.WriteString(conn, "bye")
		}), talk: func(p *peer) {
			p.send(plainGet + "hello")
			p.raw(2)
			p.send("the rest")
			_ = p.conn.CloseWrite()
			p.rest()
		}},
		{name: "hijack without an upgrade", handler: hijacks(func(_ *journal, conn net.Conn, _ *bufio.ReadWriter) {
			_, _ = io.WriteString(conn, "anything")
		}), talk: func(p *peer) {
			p.send(plainGet)
			p.rest()
		}},
		{name: "hijack of a request with a body", handler: hijacks(func(j *journal, _ net.Conn, rw *bufio.ReadWriter) {
			b := make([]byte, 13)
			_, err := io.ReadFull(rw, b)
			j.note("%q %v", b, err)
		}), talk: func(p *peer) {
			p.send(announcedPost(10, 10) + "and")
			p.rest()
		}},
		{name: "hijack of a request that is the last", handler: hijacks(shouting(5)), talk: func(p *peer) {
			p.send(oldGet + "hello")
			p.rest()
		}},
		{name: "hijack behind a head", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-A", "1")
				w.Header().Set("Date", "today")
				w.WriteHeader(http.StatusOK)
				conn, _, err := http.NewResponseController(w).Hijack()
				j.note("%v", err)
				_, _ = io.WriteString(conn, "raw")
				_ = conn.Close()
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			p.rest()
		}},
		{name: "101 then hijack", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Connection", "Upgrade")
				w.Header().Set("Upgrade", "shout")
				w.WriteHeader(http.StatusSwitchingProtocols)
				conn, _, err := http.NewResponseController(w).Hijack()
				j.note("%v", err)
				_, _ = io.WriteString(conn, "RAW")
				_ = conn.Close()
			}
		}, talk: func(p *peer) {
			p.send(upgradeGet)
			_, _ = p.head("GET")
			p.raw(3)
			p.rest()
		}},
		{name: "CONNECT by hijack", handler: hijacks(func(_ *journal, conn net.Conn, rw *bufio.ReadWriter) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
			b := make([]byte, 4)
			_, _ = io.ReadFull(rw, b)
			_, _ = fmt.Fprintf(conn, "<%s>", b)
		}), talk: func(p *peer) {
			p.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\nping")
			p.rest()
		}},
		{name: "CONNECT by 200, then hijack", handler: func(*journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusOK)
				conn, rw, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				b := make([]byte, 4)
				_, _ = io.ReadFull(rw, b)
				_, _ = fmt.Fprintf(conn, "<%s>", b)
				_ = conn.Close()
			}
		}, talk: func(p *peer) {
			p.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\nping")
			_, _ = p.head("CONNECT")
			p.rest()
		}},
		{name: "everything behind a hijack", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				j.note("%v", err)
				defer conn.Close()
				_, _, err = w.(http.Hijacker).Hijack()
				j.note("%v", errors.Is(err, http.ErrHijacked))
				_, err = w.Write([]byte("x"))
				j.note("%v", errors.Is(err, http.ErrHijacked))
				w.WriteHeader(http.StatusTeapot)
				j.note("%v %v", conn.Close(), errors.Is(conn.Close(), net.ErrClosed))
				_, err = conn.Write([]byte("x"))
				j.note("%v", errors.Is(err, net.ErrClosed))
				_, err = conn.Read(make([]byte, 1))
				j.note("%v", errors.Is(err, net.ErrClosed))
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			p.rest()
		}},
		{name: "panic behind a hijack", handler: func(*journal) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					_, _ = io.WriteString(conn, "alive")
					_ = conn.Close()
				}
				panic("no")
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			p.rest()
		}},
		{name: "context behind a hijack", handler: func(j *journal) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, "alive")
				_, err = conn.Read(make([]byte, 1)) // the client ends its side
				j.note("%v %v", err, r.Context().Err())
				_ = conn.Close()
			}
		}, talk: func(p *peer) {
			p.send(plainGet)
			p.raw(5)
			_ = p.conn.CloseWrite()
			p.rest()
		}},
		{name: "half-close of a hijacked connection", handler: hijacks(func(j *journal, conn net.Conn, _ *bufio.ReadWriter) {
			_, _ = io.WriteString(conn, "done")
			j.note("%v", conn.(interface{ CloseWrite() error }).CloseWrite())
			_, err := conn.Write([]byte("x"))
			j.note("write fails %v", err != nil)
			all, err := io.ReadAll(conn)
			j.note("%q %v", all, err)
		}), talk: func(p *peer) {
			p.send(plainGet)
			p.rest()
			p.send("still listening")
			_ = p.conn.CloseWrite()
		}},
		{name: "deadlines of a hijacked connection", handler: hijacks(func(j *journal, conn net.Conn, _ *bufio.ReadWriter) {
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			_, err := conn.Read(make([]byte, 1))
			var timeout net.Error
			j.note("%v %v", errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout())
			_ = conn.SetDeadline(time.Time{})
			_, _ = io.WriteString(conn, "go")
			b := make([]byte, 4)
			_, err = io.ReadFull(conn, b)
			j.note("%q %v", b, err)
			_ = conn.SetWriteDeadline(time.Unix(1, 0))
			_, err = conn.Write(b)
			j.note("%v", errors.Is(err, os.ErrDeadlineExceeded))
		}), talk: func(p *peer) {
			p.send(plainGet)
			p.raw(2)
			p.send("ping")
			p.rest()
		}},
		{name: "a megabyte each way on a hijacked connection", handler: hijacks(func(j *journal, conn net.Conn, rw *bufio.ReadWriter) {
			n, err := io.CopyN(conn, rw, 1<<20)
			j.note("%d %v", n, err)
		}), talk: func(p *peer) {
			p.send(plainGet)
			go p.send(strings.Repeat("z", 1<<20))
			p.rest()
		}},
	}
}
