package transport

import "net"

// Controller is implemented by the Transport of a channel over a descriptor, for options of the socket that
// SocketOptions does not have.
type Controller interface {
	// Control calls f with the descriptor; f must not keep, close or block it. net.ErrClosed: it is closed.
	// Call it on the event loop only.
	Control(f func(fd uintptr)) error
}

// Wrapper is implemented by the Transport of a channel over a net.Conn, and by connections over another one
// (*tls.Conn), for what only that connection knows: a TLS state, say.
type Wrapper interface {
	// NetConn is the connection underneath. Do not read, write or close it. Safe for concurrent use.
	NetConn() net.Conn
}
