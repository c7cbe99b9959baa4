package transport

import (
	"log/slog"

	"github.com/penstock-go/penstock/pipeline"
)

// Client dials connections and runs a pipeline over each. The zero value is ready. Set the fields before
// the first Dial and leave them alone afterwards.
type Client struct {
	// Options are the settings of all channels. A nil Logger in it means that of the client.
	Options pipeline.Options
	// Loops is the number of event loops, one goroutine each, started by the first Dial. 0 = GOMAXPROCS.
	Loops int
	// Socket are the settings of the connections.
	Socket SocketOptions
	// Goroutines runs every connection as a net.Conn with goroutines of its own instead of on event loops
	// over the system's poller. It is always so where there is no such poller (Windows).
	Goroutines bool
	// Logger gets what concerns no single channel. nil = slog.Default().
	Logger *slog.Logger
}
