package transport

import "time"

// SocketOptions are settings of sockets; the zero value means the defaults given here.
type SocketOptions struct {
	// DelaySmallWrites lets the kernel collect small writes (Nagle). false = TCP_NODELAY: pipelines
	// collect what one batch writes by themselves.
	DelaySmallWrites bool
	// KeepAlive is the idle time before the kernel probes the peer, and the time between probes.
	// 0 = 15 s, negative = no probes.
	KeepAlive time.Duration
	// UserTimeout ends a connection whose peer acknowledges nothing for so long while bytes are on their
	// way (TCP_USER_TIMEOUT, Linux only). 0 = the system's default, many minutes.
	UserTimeout time.Duration
	// ReceiveBuffer and SendBuffer are the sizes of the kernel's buffers in bytes. 0 = the kernel adapts
	// them, which is nearly always better.
	ReceiveBuffer, SendBuffer int
	// Backlog is the number of connections that wait in the kernel to be accepted. 0 = the system's
	// limit (net.core.somaxconn).
	Backlog int
	// ReusePort binds one listener per event loop to each TCP address (SO_REUSEPORT), so that the kernel
	// spreads the connections and none changes its loop. Other processes of the same user can bind the
	// address too. Not on Windows.
	ReusePort bool
}

// defaultKeepAlive is Go's own default.
const defaultKeepAlive = 15 * time.Second

// keepAlive is the time between probes; 0: none.
func (o *SocketOptions) keepAlive() time.Duration {
	switch {
	case o.KeepAlive < 0:
		return 0
	case o.KeepAlive == 0:
		return defaultKeepAlive
	}
	return o.KeepAlive
}
