package transport

import (
	"net"
	"syscall"
)

// dialed sets the options of a connection that package net has opened.
func (o *SocketOptions) dialed(c net.Conn) error {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil // no option applies
	}
	if err := tcp.SetNoDelay(!o.DelaySmallWrites); err != nil {
		return err
	}
	idle := o.keepAlive()
	err := tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: idle > 0, Idle: idle, Interval: idle})
	if err == nil && o.ReceiveBuffer > 0 {
		err = tcp.SetReadBuffer(o.ReceiveBuffer)
	}
	if err == nil && o.SendBuffer > 0 {
		err = tcp.SetWriteBuffer(o.SendBuffer)
	}
	return err
}

// listening does nothing: connections do not inherit here, they are set one by one.
func (*SocketOptions) listening(string, string, syscall.RawConn) error { return nil }

// backlog does nothing: package net asks for the longest queue.
func (*SocketOptions) backlog(syscall.Conn) error { return nil }
