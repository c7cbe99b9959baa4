// Package transport puts pipelines over sockets: a [Server] accepts connections, a [Client] dials them, and each
// becomes a [pipeline.Channel] on an event loop.
//
// # Which to use
//
//   - [Server] for what listens: its zero value, but for Init, is ready.
//   - [Client] for what dials; Dial is a [pipeline.DialFunc], so protocol clients take it. With Goroutines set it
//     uses package net alone, as it always does where there is no poller: to find out whether a problem is one
//     of the poller.
//   - [Conns] for many connections that something else makes: crypto/tls, a proxy's dialer, SSH channels.
//   - [ServeConn] for one such connection, when the caller has nothing to do but wait for its end.
//
// # Loops
//
// A server has a few event loops (Server.Loops), one goroutine each, and every connection belongs to one of
// them for its life. A loop waits for descriptors, reads what is there straight into pooled memory, runs the
// handlers, and sends what they wrote by one system call at the end of the batch. A handler that blocks keeps
// all connections of its loop waiting; Server.OnStall tells which. Accepting is not part of any batch: an Allow
// that blocks keeps the loop as well, and nobody tells.
//
// Where the system has no poller that can be used (Windows), with Goroutines set, and for connections that
// have no descriptor (tls.Conn, net.Pipe), each connection gets two goroutines instead, which read and write
// for the loop. Handlers run in the same way and see the same events, but for one: a reset is not noticed by a
// channel that neither reads nor writes. Bytes are copied once more, and a [pipeline.FileRegion] is read
// through a buffer. The Transport of a channel over a descriptor is a [Controller], the other kind a [Wrapper].
//
// # Who owns the bytes
//
// A buffer that was read belongs to the first handler that gets it, with one reference; nothing here looks at it
// again. A buffer that was written belongs to the channel until the kernel, or the net.Conn, has taken its last
// byte, and is released then, or when the channel closes. Memory comes from the loop's own pool
// ([pipeline.Loop.Pool]); buffers may be released on any goroutine.
//
// # Limits
//
// Connections in all and per peer address are limited before anything is spent on them (Server.MaxConns,
// Server.MaxPerAddress), and Server.Allow can turn peers away; those see a reset, maybe while they still
// connect. When the process runs out of descriptors the server goes on and tries to accept again 10 to 50 ms
// later.
//
// # The end
//
// [Server.Serve] returns when its context has ended and everything is drained: no more connections are accepted,
// [pipeline.ShutdownEvent] goes through each pipeline, each channel is closed by [pipeline.CloseDrain], and what
// has not ended within Server.DrainTimeout is cut.
//
// Init, Allow and all handlers may panic or call runtime.Goexit: only their connection ends.
//
// # Build tags
//
// Neither is needed. With edge, Linux runs the code of the systems with kqueue (reports of changes only, a pipe
// to wake a loop, accept and writev in their portable forms), so that it can be tested there. With poll_opt the
// poller hands the kernel pointers instead of descriptor numbers; its events are not aligned as Go's race
// detector demands, so the two don't go together.
package transport
