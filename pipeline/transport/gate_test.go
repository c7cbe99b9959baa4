package transport

import (
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// comeIn connects and reports whether the server lets us in: it greets then.
func comeIn(s *Server, from string) (net.Conn, bool, error) {
	d := net.Dialer{Timeout: patience}
	if from != "" {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	c, err := d.Dial("tcp", s.Addrs()[0].String())
	if err != nil {
		return nil, false, err
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	_, err = c.Read(make([]byte, 1))
	if err != nil {
		_ = c.Close()
	}
	return c, err == nil, err
}

// greeter sends one byte to everybody who was let in.
func greeter(ch *pipeline.Channel) error {
	return with(active(func(ctx *pipeline.Context) error {
		b := ctx.Alloc(1)
		b.AppendByte('+')
		return ctx.Write(b)
	}))(ch)
}

func TestLimitsAreExact(t *testing.T) {
	const limit, clients = 50, 200
	for name, s := range map[string]*Server{
		"in all":                  {MaxConns: limit},
		"per address":             {MaxPerAddress: limit},
		"on goroutines":           {MaxConns: limit, Goroutines: true},
		"with many listeners":     {MaxConns: limit, Socket: SocketOptions{ReusePort: true}},
		"the smaller one matters": {MaxConns: limit, MaxPerAddress: limit + 1},
	} {
		t.Run(name, func(t *testing.T) {
			s.Loops, s.Init = 4, greeter
			serve(t, s)
			var mu sync.Mutex
			var in []net.Conn
			var all sync.WaitGroup
			refusals := make(chan error, clients)
			for range clients {
				all.Go(func() {
					c, ok, err := comeIn(s, "")
					if !ok {
						refusals <- err
						return
					}
					mu.Lock()
					defer mu.Unlock()
					in = append(in, c)
				})
			}
			all.Wait()
			close(refusals)
			require.Len(t, in, limit)
			for err := range refusals {
				require.ErrorIs(t, err, syscall.ECONNRESET)
			}
			stats := s.Stats()
			require.Equal(t, limit, stats.Open)
			require.Equal(t, int64(limit), stats.Accepted)
			require.Equal(t, int64(clients-limit), stats.RefusedFull+stats.RefusedAddress)

			require.NoError(t, in[0].Close())
			eventually(t, "there is room", func() bool { return s.Stats().Open == limit-1 })
			c, ok, err := comeIn(s, "")
			require.True(t, ok, "%v", err)
			in = append(in[1:], c)
			for _, c := range in {
				require.NoError(t, c.Close())
			}
			eventually(t, "all are gone", func() bool { return s.Stats().Open == 0 })
			require.Empty(t, s.gate.perIP)
		})
	}
}

func TestAddressesAreCountedOneByOne(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // elsewhere only 127.0.0.1 is ours
	}
	s := &Server{MaxPerAddress: 2, Init: greeter}
	serve(t, s)
	for _, from := range []string{"127.0.0.2", "127.0.0.3"} {
		for i := range 3 {
			c, ok, _ := comeIn(s, from)
			require.Equal(t, i < 2, ok)
			if ok {
				defer c.Close()
			}
		}
	}
	require.Equal(t, int64(2), s.Stats().RefusedAddress)
}

func TestAllowTurnsPeersAway(t *testing.T) {
	for name, allow := range map[string]func(net.Addr) bool{
		"by its answer":               func(net.Addr) bool { return false },
		"when it panics":              func(net.Addr) bool { panic("rule") },
		"when it ends the goroutine":  func(net.Addr) bool { runtime.Goexit(); return true },
		"and gets the peer's address": func(a net.Addr) bool { return !a.(*net.TCPAddr).IP.IsLoopback() },
	} {
		t.Run(name+" on a loop", func(t *testing.T) { turnAway(t, false, allow) })
		t.Run(name+" on a goroutine", func(t *testing.T) { turnAway(t, true, allow) })
	}
}

func turnAway(t *testing.T, goroutines bool, allow func(net.Addr) bool) {
	t.Helper()
	var closed atomic.Bool
	s := &Server{Loops: 1, Goroutines: goroutines, Init: greeter, Logger: quiet, Allow: func(a net.Addr) bool {
		return !closed.Load() || allow(a)
	}}
	serve(t, s)
	friend, ok, err := comeIn(s, "")
	require.True(t, ok, "%v", err)
	defer friend.Close()
	closed.Store(true)
	for range 5 {
		_, ok, err := comeIn(s, "")
		require.False(t, ok)
		require.ErrorIs(t, err, syscall.ECONNRESET)
	}
	require.Equal(t, 1, s.Stats().Open)
	require.Equal(t, int64(1), s.Stats().Accepted)
	closed.Store(false)
	other, ok, err := comeIn(s, "")
	require.True(t, ok, "it goes on: %v", err)
	require.NoError(t, other.Close())
}

func TestAddressOfAPeer(t *testing.T) {
	for name, c := range map[string]struct {
		addr net.Addr
		want string
	}{
		"IPv4":                 {&net.TCPAddr{IP: net.ParseIP("1.2.3.4").To4(), Port: 5}, "1.2.3.4"},
		"IPv4 in IPv6":         {&net.TCPAddr{IP: net.ParseIP("1.2.3.4"), Port: 5}, "1.2.3.4"},
		"IPv6":                 {&net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 5}, "2001:db8::1"},
		"a Unix socket":        {&net.UnixAddr{Name: "@"}, "invalid IP"},
		"none":                 {nil, "invalid IP"},
		"another kind with IP": {&net.UDPAddr{IP: net.ParseIP("fe80::1"), Zone: "1", Port: 5}, "fe80::1"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, ipOf(c.addr).String()) })
	}
}
