package embedded

import (
	"net"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// Config sets a channel up. The zero value is a channel with default options.
type Config struct {
	// Options are the channel's settings: watermarks, ManualFlush, AllowHalfClose and so on.
	Options pipeline.Options
	// Start is the virtual time at the beginning. Zero = DefaultStart.
	Start time.Time
	// Name stands in logs and pool statistics. "" = "embedded".
	Name string
	// LocalAddr and RemoteAddr are what the channel says its addresses are. nil = none.
	LocalAddr, RemoteAddr net.Addr
}

// DefaultStart is the virtual time at which clocks start, midnight UTC of a Thursday.
func DefaultStart() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

func (c Config) withDefaults() Config {
	c.Options = c.Options.WithDefaults()
	if c.Start.IsZero() {
		c.Start = DefaultStart()
	}
	if c.Name == "" {
		c.Name = "embedded"
	}
	return c
}
