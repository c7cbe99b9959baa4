package transport

import "log/slog"

// reception is what all listeners of one server have in common, whichever way they are accepted from: by a door,
// which is a listening descriptor on an event loop, or by an acceptor, which is a net.Listener on a goroutine
// of its own.
type reception struct {
	*gate
	from   *origin
	socket *SocketOptions
	logger *slog.Logger
}
