// Package transport puts pipelines over sockets: a Server accepts connections, a Client dials them, and each
// becomes a pipeline.Channel on an event loop.
//
// # Loops
//
// A server has a few event loops (Server.Loops), one goroutine each, and every connection belongs to one of
// them for its life. A loop waits for descriptors, reads what is there straight into pooled memory, runs the
// handlers, and sends what they wrote by one system call at the end of the batch. A handler that blocks keeps
// all connections of its loop waiting; Server.OnStall tells which.
//
// Where the system has no poller that can be used (Windows), with Goroutines set, and for connections that
// have no descriptor (tls.Conn, net.Pipe), each connection gets two goroutines instead. Handlers can't tell
// the difference. Conns runs pipelines over such connections alone.
//
// # Limits
//
// Connections in all and per peer address are limited before anything is spent on them (MaxConns,
// MaxPerAddress), and Allow can turn peers away; those see a reset. When the process runs out of descriptors
// the server goes on and tries to accept again 10 to 50 ms later.
//
// # The end
//
// Serve returns when its context has ended and everything is drained: no more connections are accepted,
// pipeline.ShutdownEvent goes through each pipeline, each channel is closed by CloseDrain, and what has not
// ended within DrainTimeout is cut.
//
// The callbacks that a user gives (Init, Allow) and all handlers may panic or call runtime.Goexit: only their
// connection ends.
//
// Start with Server and Client; their zero values, but for Init, are ready to use.
package transport
