package transport

import (
	"log/slog"
	"net"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// Server accepts connections and runs a pipeline over each. Set the fields before the first call and leave
// them alone afterwards. A server is used once: after Shutdown or Close make another.
type Server struct {
	// Init fills the pipeline of each new channel, on the channel's loop. Its error closes the channel.
	// Required.
	Init func(ch *pipeline.Channel) error
	// Options are the settings of all channels. A nil Logger in it means that of the server.
	Options pipeline.Options
	// Loops is the number of event loops, one goroutine each. 0 = GOMAXPROCS.
	Loops int
	// Socket are the settings of listeners and connections.
	Socket SocketOptions
	// MaxConns limits the open connections; who comes then is reset. 0 = 10,000.
	MaxConns int
	// MaxPerAddress limits the open connections of one peer IP address. 0 = 1,000. Unix sockets have no
	// peer address: only MaxConns counts for them.
	MaxPerAddress int
	// Allow is asked for each new connection before anything is spent on it; false resets the peer. It
	// runs on an event loop and must not block. nil = everybody.
	Allow func(peer net.Addr) bool
	// DrainTimeout is how long Serve waits for open connections after its context has ended. 0 = 15 s.
	DrainTimeout time.Duration
	// StallAfter is how long a callback may keep an event loop before that is reported. 0 = 100 ms.
	StallAfter time.Duration
	// OnStall gets the reports, on a goroutine of the server. nil = they are logged.
	OnStall func(Stall)
	// Goroutines runs every connection as a net.Conn with goroutines of its own instead of on event loops
	// over the system's poller. It is always so where there is no such poller (Windows).
	Goroutines bool
	// Logger gets what concerns no single channel. nil = slog.Default().
	Logger *slog.Logger
}

// Stall is a report about a callback that has kept an event loop for too long.
type Stall struct {
	Loop    string        // name of the loop
	Blocked time.Duration // for how long, at least
	Handler string        // function that the pipeline called, when the stack shows one
	Stack   string        // of the loop's goroutine
}
