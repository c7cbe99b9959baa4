package nethttp_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// floods writes n pieces and counts what was taken.
func floods(n int, taken *atomic.Int64, failed *error) http.HandlerFunc {
	piece := strings.Repeat("x", 10_000)
	return func(w http.ResponseWriter, _ *http.Request) {
		for range n {
			k, err := io.WriteString(w, piece)
			taken.Add(int64(k))
			if err != nil {
				*failed = err
				return
			}
		}
	}
}

func TestAnswerWaitsForASlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken atomic.Int64
		var failed error
		b := handling(t, floods(2000, &taken, &failed))
		b.Block()
		b.Feed(plainGet)
		most := int64(64<<10 + 64<<10 + 32<<10 + 4<<10) // on the way, in the queue, and a piece of each kind
		for range 10 {
			synctest.Wait()
			b.RunPending()
			require.LessOrEqual(t, taken.Load(), most)
			require.LessOrEqual(t, int64(b.Channel.Channel().Pending()), most)
		}
		require.Greater(t, taken.Load(), int64(64<<10))
		b.AcceptBytes(500_000)
		b.RunPending()
		synctest.Wait()
		b.RunPending()
		require.LessOrEqual(t, taken.Load(), 500_000+most)
		b.Unblock()
		b.over()
		require.NoError(t, failed)
		require.EqualValues(t, 20_000_000, taken.Load())
	})
}

func TestAnswerToAClientThatReadsNothingOnASocket(t *testing.T) {
	var taken atomic.Int64
	var failed error
	b := &nethttp.Bridge{Handler: floods(100_000, &taken, &failed)}
	address := serving(t, b, func(s *transport.Server) { s.Socket.SendBuffer = 64 << 10 })
	p := dial(t, address)
	require.NoError(t, p.conn.SetReadBuffer(64<<10))
	p.send(plainGet)
	still := int64(-1)
	require.Eventually(t, func() bool {
		before := still
		still = taken.Load()
		return still > 0 && still == before
	}, patience, 50*time.Millisecond, "the handler waits")
	require.Less(t, still, int64(16<<20), "of a gigabyte")
	_ = p.conn.Close()
	require.NoError(t, b.Wait(t.Context()))
	require.Error(t, failed)
}

func TestWriteToAClientThatLeft(t *testing.T) {
	var taken atomic.Int64
	var failed error
	b := handling(t, floods(2000, &taken, &failed))
	b.Block()
	b.Feed(plainGet)
	b.until(func() bool { return b.Channel.Channel().Pending() > 64<<10 })
	b.PeerReset()
	b.over()
	for _, target := range []error{syscall.EPIPE, net.ErrClosed, httpx.ErrGone} {
		require.ErrorIs(t, failed, target)
	}
	var op *net.OpError
	require.ErrorAs(t, failed, &op)
	var call *os.SyscallError
	require.ErrorAs(t, failed, &call)
	require.Contains(t, call.Error(), "broken pipe")
}

func TestContextEndsWhenTheClientLeaves(t *testing.T) {
	var cause error
	b := handling(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		cause = r.Context().Err()
	})
	b.Feed(plainGet)
	b.PeerClose()
	b.over()
	require.Error(t, cause)
}

func TestWriteDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var took time.Duration
		var taken atomic.Int64
		var failed, again error
		flood := floods(2000, &taken, &failed)
		b := handling(t, func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Second))
			flood(w, r)
			took = time.Since(began)
			_, again = io.WriteString(w, strings.Repeat("x", 10_000))
		})
		b.Block()
		b.Feed(plainGet)
		synctest.Wait()
		b.RunPending()
		synctestSleep(2 * time.Second)
		b.over()
		require.ErrorIs(t, failed, os.ErrDeadlineExceeded)
		require.ErrorIs(t, again, os.ErrDeadlineExceeded)
		require.Equal(t, time.Second, took)
		require.True(t, b.Channel.Channel().Closed(), "the client cannot be told otherwise")
	})
}

func TestWriteDeadlineThatIsMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken atomic.Int64
		var failed error
		flood := floods(100, &taken, &failed)
		b := handling(t, func(w http.ResponseWriter, r *http.Request) {
			c := http.NewResponseController(w)
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			time.AfterFunc(500*time.Millisecond, func() { _ = c.SetWriteDeadline(time.Time{}) })
			flood(w, r)
		})
		b.Block()
		b.Feed(plainGet)
		synctest.Wait()
		b.RunPending()
		synctestSleep(3 * time.Second)
		require.Equal(t, 1, b.bridge.Running())
		b.Unblock()
		b.over()
		require.NoError(t, failed)
	})
}

func TestNothingHappensBehindTheHandler(t *testing.T) {
	var w http.ResponseWriter
	b := handling(t, func(rw http.ResponseWriter, _ *http.Request) {
		w = rw
		writeAll(rw, "answer")
	})
	b.Feed(plainGet)
	require.Equal(t, "answer", body(b.over()))
	n, err := io.WriteString(w, "late")
	require.Zero(t, n)
	require.Error(t, err)
	w.WriteHeader(http.StatusTeapot)
	w.Header().Set("X-Late", "1")
	require.Error(t, http.NewResponseController(w).Flush())
	_, err = w.(io.ReaderFrom).ReadFrom(strings.NewReader("late"))
	require.Error(t, err)
	_, _, err = http.NewResponseController(w).Hijack()
	require.Error(t, err)
	b.RunPending()
	require.Empty(t, b.Wire())
	b.Feed(plainGet)
	require.Equal(t, 2, strings.Count(b.over(), "answer"))
}

func TestWritesFromManyGoroutines(t *testing.T) {
	b := handling(t, func(w http.ResponseWriter, r *http.Request) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 100 {
					writeAll(w, "0123456789")
					w.(http.Flusher).Flush()
				}
			})
		}
		all.Go(func() { _, _ = io.Copy(io.Discard, r.Body) })
		all.Wait()
	})
	b.Feed("POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc")
	require.Equal(t, strings.Repeat("0123456789", 800), body(b.over()))
}

func TestAnswerWaitsForItsTurnBehindAnotherHandler(t *testing.T) {
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stream":
			for range 100 {
				writeAll(w, strings.Repeat("s", 10_000))
			}
		case "/abort":
			panic(http.ErrAbortHandler)
		}
		writeAll(w, "bridged")
	})}
	for path, want := range map[string]int{"/small": 7, "/stream": 1_000_007, "/abort": 0} {
		t.Run(path, func(t *testing.T) {
			native := new(nativeHolder)
			ch := newBenchMixed(t, b, native.serve)
			ch.Feed("GET /native HTTP/1.1\r\nHost: x\r\n\r\nGET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
			if path != "/stream" { // that one waits for room
				require.NoError(t, b.Wait(t.Context()))
			}
			ch.RunPending()
			require.Empty(t, ch.Wire())
			require.NoError(t, native.x.RespondText(200, "native"))
			wire := ch.over()
			require.Equal(t, 1, strings.Count(wire, "native"))
			_, second, _ := strings.Cut(wire, "native")
			require.Equal(t, want, len(bodyOf(second))) //nolint:testifylint // Len would print a megabyte
		})
	}
}

// bodyOf reads an answer.
func bodyOf(wire string) string {
	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(wire)), nil)
	if err != nil {
		return ""
	}
	all, _ := io.ReadAll(r.Body)
	return string(all)
}

func TestEveryMethodOfTheWriterIsThere(t *testing.T) {
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		c := http.NewResponseController(w)
		err := errors.Join(c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}), c.EnableFullDuplex(), c.Flush())
		if err != nil {
			writeAll(w, err.Error())
		}
	})
	b.Feed(plainGet)
	require.True(t, strings.HasSuffix(b.over(), "\r\n\r\n0\r\n\r\n"))
}

func TestInterimAnswersGoFirstAndACloseGoesLast(t *testing.T) {
	for range 20 {
		b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).EnableFullDuplex()
			w.WriteHeader(http.StatusEarlyHints)
			writeAll(w, "final") // and the rest of the body is too much
		})
		b.Feed(announcedPost(1<<20, 0))
		wire := b.over()
		require.True(t, strings.HasPrefix(wire, "HTTP/1.1 103 "), wire)
		require.True(t, strings.HasSuffix(wire, "\r\n\r\nfinal"), wire)
		require.True(t, b.FINSent())
	}
}
