package transport

import (
	"net"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// optionOf asks the system for an option of a channel's socket.
func optionOf(t *testing.T, ch *pipeline.Channel, level, opt int) (value int) {
	t.Helper()
	onLoop(t, ch, func() {
		err := ch.Transport().(Controller).Control(func(fd uintptr) {
			var err error
			if value, err = unix.GetsockoptInt(int(fd), level, opt); err != nil {
				value = -1
			}
		})
		if err != nil {
			value = -1
		}
	})
	return value
}

func TestSocketOptionsAreSet(t *testing.T) {
	type want struct {
		name       string
		level, opt int
		value      int
	}
	for name, c := range map[string]struct {
		set  SocketOptions
		want []want
	}{
		"by default": {SocketOptions{}, []want{
			{"TCP_NODELAY", unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},
			{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
			{"TCP_KEEPIDLE", unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 15},
			{"TCP_KEEPINTVL", unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 15},
			{"TCP_USER_TIMEOUT", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 0},
		}},
		"all of them": {SocketOptions{
			DelaySmallWrites: true, KeepAlive: 7500 * time.Millisecond, UserTimeout: 3 * time.Second,
			ReceiveBuffer: 20_000, SendBuffer: 30_000,
		}, []want{
			{"TCP_NODELAY", unix.IPPROTO_TCP, unix.TCP_NODELAY, 0},
			{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
			{"TCP_KEEPIDLE", unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 8},
			{"TCP_KEEPINTVL", unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 8},
			{"TCP_USER_TIMEOUT", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 3000},
			{"SO_RCVBUF", unix.SOL_SOCKET, unix.SO_RCVBUF, 40_000}, // the kernel doubles it for its own needs
			{"SO_SNDBUF", unix.SOL_SOCKET, unix.SO_SNDBUF, 60_000},
		}},
		"no probes": {SocketOptions{KeepAlive: -1}, []want{
			{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Server{Init: echoInit, Socket: c.set}
			serve(t, s)
			client := &Client{Socket: c.set}
			defer func() { require.NoError(t, client.Close()) }()
			dialed, err := client.Dial(t.Context(), s.Addrs()[0].String(), nil)
			require.NoError(t, err)
			accepted := one(t, s)
			for _, w := range c.want {
				require.Equal(t, w.value, optionOf(t, accepted, w.level, w.opt), "accepted: %s", w.name)
				require.Equal(t, w.value, optionOf(t, dialed, w.level, w.opt), "dialled: %s", w.name)
			}
		})
	}
}

func TestSocketsAreNotInheritedAndDoNotBlock(t *testing.T) {
	s := &Server{Init: echoInit}
	serve(t, s)
	client := &Client{}
	defer func() { require.NoError(t, client.Close()) }()
	dialed, err := client.Dial(t.Context(), s.Addrs()[0].String(), nil)
	require.NoError(t, err)
	for _, ch := range []*pipeline.Channel{dialed, one(t, s)} {
		onLoop(t, ch, func() {
			err = ch.Transport().(Controller).Control(func(fd uintptr) {
				flags, _ := unix.FcntlInt(fd, unix.F_GETFD, 0)
				if flags&unix.FD_CLOEXEC == 0 {
					t.Error("a started program would inherit the descriptor")
				}
				flags, _ = unix.FcntlInt(fd, unix.F_GETFL, 0)
				if flags&unix.O_NONBLOCK == 0 {
					t.Error("the descriptor blocks")
				}
			})
		})
		require.NoError(t, err)
	}
	ch := one(t, s)
	require.NoError(t, dialed.Close())
	eventually(t, "closed", ch.Closed)
	require.ErrorIs(t, ch.Transport().(Controller).Control(func(uintptr) {}), net.ErrClosed)
}

func TestBacklogIsSet(t *testing.T) {
	s := &Server{Init: echoInit, Socket: SocketOptions{Backlog: 2}}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0")) // and nobody accepts
	defer func() { require.NoError(t, s.Close()) }()
	waiting := 0
	for range 8 {
		c, err := net.DialTimeout("tcp", s.Addrs()[0].String(), 50*time.Millisecond)
		if err != nil {
			break
		}
		defer c.Close()
		waiting++
	}
	require.Equal(t, 3, waiting, "Linux lets one more wait than the backlog says")
}
