package transport

import (
	"log/slog"
	"net"

	"github.com/penstock-go/penstock/pipeline"
)

// loopSettings is what a server or client gives to its loops, of either kind.
type loopSettings struct {
	// name stands in logs and in the loops' names, as name/0, name/1, …
	name string
	// clock is nil for the machine's.
	clock pipeline.Clock
	// logger is nil for slog.Default().
	logger *slog.Logger
	// group is joined by every channel from its making on, by ChannelConfig.Group; nil: none.
	group *pipeline.Group
	// onClosed, unless nil, is called once for each net.Conn given to connLoops.open, right after it was
	// closed; on any goroutine. Limits count by it.
	onClosed func(c net.Conn)
}

// log is the logger to use.
func (s *loopSettings) log() *slog.Logger {
	if s.logger != nil {
		return s.logger
	}
	return slog.Default()
}

// lastRounds bounds what handlers can still start when a loop ends.
const lastRounds = 100
