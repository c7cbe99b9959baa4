package nethttp_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// taking is a bench whose handler takes the connection over and gives it to f.
func taking(t testing.TB, f func(conn net.Conn, rw *bufio.ReadWriter)) *bench {
	t.Helper()
	return handling(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		f(conn, rw)
	})
}

func TestConnReadsOnlyWhatIsWanted(t *testing.T) {
	block := make(chan struct{})
	var n int
	b := taking(t, func(conn net.Conn, _ *bufio.ReadWriter) {
		writeAll(conn, "ready")
		<-block
		n, _ = io.ReadFull(conn, make([]byte, 8<<20))
	})
	b.Feed(plainGet)
	b.until(func() bool { return b.wire.String() == "ready" })
	b.Feed(strings.Repeat("x", 8<<20))
	require.Greater(t, b.Unread(), 7<<20)
	close(block)
	b.over()
	require.Equal(t, 8<<20, n)
}

func TestConnHandsOverMoreThanItHolds(t *testing.T) {
	var got int
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		got, _ = io.ReadFull(rw, make([]byte, 300_000))
	})
	b.Feed(plainGet + strings.Repeat("x", 300_000))
	b.over()
	require.Equal(t, 300_000, got)
}

func TestConnWriteWaitsForASlowPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		var failed error
		b := taking(t, func(conn net.Conn, _ *bufio.ReadWriter) {
			_ = conn.SetWriteDeadline(time.Now().Add(time.Minute))
			for range 1000 {
				n, err := conn.Write(make([]byte, 10_000))
				sent.Add(int64(n))
				if err != nil {
					failed = err
					return
				}
			}
		})
		b.Block()
		b.Feed(plainGet)
		for range 10 {
			synctest.Wait()
			b.RunPending()
		}
		require.LessOrEqual(t, sent.Load(), int64(64<<10+64<<10+10_000))
		require.Greater(t, sent.Load(), int64(64<<10))
		synctestSleep(2 * time.Minute)
		require.ErrorIs(t, failed, os.ErrDeadlineExceeded)
		var timeout net.Error
		require.ErrorAs(t, failed, &timeout)
		require.True(t, timeout.Timeout())
		b.Unblock()
		b.over()
	})
}

func TestConnReadDeadlineIsMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var took time.Duration
		var failed error
		b := taking(t, func(conn net.Conn, _ *bufio.ReadWriter) {
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			time.AfterFunc(time.Second, func() { _ = conn.SetReadDeadline(time.Now().Add(time.Second)) })
			_, failed = conn.Read(make([]byte, 1))
			took = time.Since(began)
		})
		b.Feed(plainGet)
		synctest.Wait()
		b.RunPending()
		synctestSleep(3 * time.Second)
		b.RunPending()
		synctest.Wait()
		require.ErrorIs(t, failed, os.ErrDeadlineExceeded)
		require.Equal(t, 2*time.Second, took)
		b.over()
	})
}

func TestConnCloseEndsWhatWaits(t *testing.T) {
	var read, write error
	b := taking(t, func(conn net.Conn, _ *bufio.ReadWriter) {
		done := make(chan struct{}, 2)
		go func() {
			_, read = conn.Read(make([]byte, 1))
			done <- struct{}{}
		}()
		go func() {
			for write == nil {
				_, write = conn.Write(make([]byte, 100_000))
			}
			done <- struct{}{}
		}()
		_ = conn.Close()
		<-done
		<-done
	})
	b.Block()
	b.Feed(plainGet)
	b.over()
	b.Unblock()
	require.ErrorIs(t, read, net.ErrClosed)
	require.ErrorIs(t, write, net.ErrClosed)
}

func TestConnOfAPeerThatLeaves(t *testing.T) {
	for name, leave := range map[string]func(b *bench){
		"by FIN":   func(b *bench) { b.PeerClose() },
		"by reset": func(b *bench) { b.PeerReset() },
	} {
		t.Run(name, func(t *testing.T) {
			var first string
			var read, write error
			b := taking(t, func(conn net.Conn, _ *bufio.ReadWriter) {
				writeAll(conn, "ready ")
				p := make([]byte, 5)
				_, _ = io.ReadFull(conn, p)
				first = string(p)
				_, read = conn.Read(p)
				_, write = conn.Write([]byte("behind"))
			})
			b.Feed(plainGet)
			b.until(func() bool { return b.wire.String() == "ready " })
			b.Feed("hello")
			leave(b)
			wire := b.over()
			require.Equal(t, "hello", first)
			if name == "by FIN" {
				require.Equal(t, io.EOF, read)
				require.NoError(t, write)
				require.Equal(t, "ready behind", wire, "its own side goes on")
				return
			}
			require.ErrorIs(t, read, syscall.ECONNRESET)
			require.ErrorIs(t, write, syscall.EPIPE)
		})
	}
}

func TestConnOfAServerThatStops(t *testing.T) {
	ended := make(chan error, 1)
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		writeAll(conn, "ready")
		_, err = conn.Read(make([]byte, 1))
		ended <- err
	})}
	var server *transport.Server
	address := serving(t, b, func(s *transport.Server) { server = s })
	p := dial(t, address)
	p.send(plainGet)
	p.raw(5)
	go func() { _ = server.Shutdown(t.Context()) }()
	p.rest()
	_ = p.conn.Close()
	require.ErrorIs(t, <-ended, net.ErrClosed)
}

func TestConnIsGivenUpWithTheClient(t *testing.T) {
	block := make(chan struct{})
	var failed error
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		<-block
		_, _, failed = http.NewResponseController(w).Hijack()
	})
	b.Feed(plainGet)
	b.PeerClose()
	b.RunPending()
	close(block)
	b.over()
	require.Error(t, failed)
	require.NotErrorIs(t, failed, http.ErrHijacked)
}

func TestConnAddresses(t *testing.T) {
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		local := r.Context().Value(http.LocalAddrContextKey)
		same := conn.RemoteAddr().String() == r.RemoteAddr && conn.LocalAddr() == local
		if same {
			_, _ = rw.WriteString("same")
		}
		_ = rw.Flush()
	})}
	p := dial(t, serving(t, b, nil))
	p.send(plainGet)
	p.rest()
	require.Equal(t, []string{`rest "same"`}, p.log)
}

func TestHijackOfAnExchangeWhoseTurnHasNotCome(t *testing.T) {
	b := taking(t, func(conn net.Conn, rw *bufio.ReadWriter) {
		all, err := io.ReadAll(rw)
		writeAll(conn, strings.ToUpper(string(all)))
		if err != nil {
			writeAll(conn, err.Error())
		}
	})
	native := new(nativeHolder)
	ch := newBenchMixed(t, b.bridge, native.serve)
	ch.Feed("GET /native HTTP/1.1\r\nHost: x\r\n\r\n" + plainGet + "leftover")
	ch.RunPending()
	require.NoError(t, native.x.RespondText(200, "native"))
	ch.RunPending()
	ch.PeerClose()
	require.True(t, strings.HasSuffix(ch.over(), "nativeLEFTOVER"))
}

func TestErrorsOfAConnAreThoseOfPackageNet(t *testing.T) {
	var errs []error
	b := taking(t, func(conn net.Conn, _ *bufio.ReadWriter) {
		_ = conn.SetDeadline(time.Unix(1, 0))
		_, read := conn.Read(make([]byte, 1))
		_, write := conn.Write(make([]byte, 1))
		errs = []error{read, write, conn.Close(), conn.Close()}
	})
	b.Feed(plainGet)
	b.over()
	for _, err := range []error{errs[0], errs[1], errs[3]} {
		var op *net.OpError
		require.ErrorAs(t, err, &op)
	}
	require.True(t, errors.Is(errs[0], os.ErrDeadlineExceeded) && errors.Is(errs[1], os.ErrDeadlineExceeded))
	require.NoError(t, errs[2])
	require.ErrorIs(t, errs[3], net.ErrClosed)
}
