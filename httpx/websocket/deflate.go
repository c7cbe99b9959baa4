package websocket

import (
	"fmt"

	"github.com/penstock-go/penstock/codec"
)

// Deflate is permessage-deflate (RFC 7692). Where a connection is set up it says what this end wants, where one runs, what
// both ends agreed on. The zero value compresses each message by itself: no memory stays with an idle connection. With
// takeover a message may refer to what was sent before, which makes small messages smaller; the sender then holds about
// 1 MiB for a connection while it is in use, the receiver up to 32 KiB for as long as it lasts.
//
// A secret and what an attacker chooses should not be compressed together: the length of the result tells about the
// secret. RFC 7692, 8; RFC 7457, 2.6.
type Deflate struct {
	// ServerTakeover and ClientTakeover let messages of the server, and of the client, refer to earlier ones. false:
	// *_no_context_takeover, RFC 7692, 7.1.1.
	ServerTakeover, ClientTakeover bool
	// ServerWindowBits and ClientWindowBits bound how far messages of the server, and of the client, refer back: 2 to
	// the power of it, in octets; 8 to 15. 0 = 15. RFC 7692, 7.1.2.
	ServerWindowBits, ClientWindowBits int

	// Level is how hard this end tries, 1 to 9. 0 = 1, the fastest. It does not count with less than 15 window bits.
	Level int
	// MinBytes is the shortest message that this end compresses. 0 = 256. 1 = all. What does not become smaller is
	// sent as it is.
	MinBytes int
	// Cap limits what compressed messages of the peer may become, besides Limits.Message: MaxBytes and MaxRatio count
	// for each message; MaxWindow does not.
	Cap codec.Cap
}

const (
	// DefaultDeflateMin is Deflate.MinBytes when that is 0.
	DefaultDeflateMin = 256
	// freeOfRatio is how much may come out of a message beyond the ratio: a short text of one letter is no attack.
	freeOfRatio = 64 << 10

	leastWindowBits = 8
	mostWindowBits  = 15
)

// takeover reports whether messages of the client, or of the server, may refer to earlier ones.
func (d *Deflate) takeover(client bool) bool {
	if client {
		return d.ClientTakeover
	}
	return d.ServerTakeover
}

// windowBits is how far messages of the client, or of the server, may refer back.
func (d *Deflate) windowBits(client bool) int {
	if client {
		return orDefault(d.ClientWindowBits, mostWindowBits)
	}
	return orDefault(d.ServerWindowBits, mostWindowBits)
}

// check says which settings make no sense; d may be nil.
func (d *Deflate) check() error {
	if d == nil {
		return nil
	}
	for _, bits := range [...]int{d.windowBits(false), d.windowBits(true)} {
		if bits < leastWindowBits || bits > mostWindowBits {
			return fmt.Errorf("websocket: %d window bits: %w", bits, codec.ErrConfig)
		}
	}
	return nil
}

// minBytes is MinBytes or its default.
func (d *Deflate) minBytes() int { return orDefault(d.MinBytes, DefaultDeflateMin) }

// level is Level within its bounds.
func (d *Deflate) level() int { return min(orDefault(d.Level, 1), 9) }
