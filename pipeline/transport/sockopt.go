//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// option is one integer option of a socket.
type option struct {
	name       string
	level, opt int
	value      int
}

// tcp lists what is to be set on a TCP socket.
func (o *SocketOptions) tcp() []option {
	noDelay := 1
	if o.DelaySmallWrites {
		noDelay = 0
	}
	list := []option{{"TCP_NODELAY", unix.IPPROTO_TCP, unix.TCP_NODELAY, noDelay}}
	if idle := o.keepAlive(); idle > 0 {
		list = append(list, option{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1})
		list = append(list, keepAliveTimes(seconds(idle))...)
	} else {
		list = append(list, option{"SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0})
	}
	if o.UserTimeout > 0 {
		list = append(list, userTimeout(o.UserTimeout)...)
	}
	return list
}

// buffers lists what is to be set on a stream socket of any kind.
func (o *SocketOptions) buffers() []option {
	var list []option
	if o.ReceiveBuffer > 0 {
		list = append(list, option{"SO_RCVBUF", unix.SOL_SOCKET, unix.SO_RCVBUF, o.ReceiveBuffer})
	}
	if o.SendBuffer > 0 {
		list = append(list, option{"SO_SNDBUF", unix.SOL_SOCKET, unix.SO_SNDBUF, o.SendBuffer})
	}
	return list
}

// seconds rounds up, since the system takes no fractions and zero is an error.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// set sets all options on fd.
func (o *SocketOptions) set(fd int, tcp bool) error {
	list := o.buffers()
	if tcp {
		list = append(list, o.tcp()...)
	}
	for _, opt := range list {
		if err := unix.SetsockoptInt(fd, opt.level, opt.opt, opt.value); err != nil {
			return fmt.Errorf("transport: setting %s to %d: %w", opt.name, opt.value, os.NewSyscallError("setsockopt", err))
		}
	}
	return nil
}

// dialed sets the options of a connection that package net has opened.
func (o *SocketOptions) dialed(c net.Conn) error {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil // not a socket
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	_, tcp := c.(*net.TCPConn)
	var failure error
	if err := raw.Control(func(fd uintptr) { failure = o.set(int(fd), tcp) }); err != nil {
		return err
	}
	return failure
}

// listening sets the options of a listener, before it is bound. Its connections inherit them.
func (o *SocketOptions) listening(network, _ string, raw syscall.RawConn) error {
	var failure error
	err := raw.Control(func(fd uintptr) {
		tcp := network[:3] == "tcp"
		if tcp && o.ReusePort {
			failure = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}
		if failure == nil {
			failure = o.set(int(fd), tcp)
		}
	})
	if err != nil {
		return err
	}
	return failure
}

// backlog changes the length of a listener's queue.
func (o *SocketOptions) backlog(sc syscall.Conn) error {
	if o.Backlog <= 0 {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	if err := raw.Control(func(fd uintptr) { failure = unix.Listen(int(fd), o.Backlog) }); err != nil {
		return err
	}
	return os.NewSyscallError("listen", failure)
}
