package websocket

import (
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
)

// Config sets up one end of a connection behind the handshake. The zero value is a server without compression and with all
// limits at their defaults. The fields mean what they mean in Decoder, Encoder and Session.
type Config struct {
	Client          bool     // this end is the client
	Limits          Limits   // of what the peer sends
	Deflate         *Deflate // permessage-deflate as it was negotiated; nil: it was not
	AllowNonMinimal bool     // lengths in more octets than they need
	Pieces          bool     // messages come as *Piece, as their octets arrive, and not whole
	MaxFrame        int      // payload octets of a frame that is sent; 0 = 1 MiB
	TrustText       bool     // outbound text is not checked

	CloseWithin time.Duration // for the peer to answer our Close frame; 0 = 5 s
	Idle        time.Duration // silence of the peer until it is given up; 0 = 60 s
	PingAfter   time.Duration // silence until it is asked; 0 = half of Idle; negative: never
	MaxControl  int           // Pings and Pongs of the peer in 10 s; 0 = 1,000
}

// Handlers are a decoder, an encoder and a Session with the settings of c, for one connection, to be added in this order.
// Behind them there are *Message, or with Pieces *Piece.
func (c Config) Handlers() []pipeline.Handler { return c.handlers(nil) }

// Streaming are Handlers and s behind them, with a decoder that streams.
func (c Config) Streaming(s *Stream) []pipeline.Handler { return c.handlers(s) }

func (c Config) handlers(s *Stream) []pipeline.Handler {
	d := &Decoder{
		Client: c.Client, Limits: c.Limits, Stream: s != nil || c.Pieces, AllowNonMinimal: c.AllowNonMinimal, Deflate: c.Deflate,
	}
	e := &Encoder{Client: c.Client, MaxFrame: c.MaxFrame, TrustText: c.TrustText, Deflate: c.Deflate}
	session := &Session{
		Client: c.Client, CloseWithin: c.CloseWithin, Idle: c.Idle, PingAfter: c.PingAfter, MaxControl: c.MaxControl, Encoder: e,
	}
	list := []pipeline.Handler{codec.NewDecoder(d), codec.NewEncoder(e), session}
	if s != nil {
		list = append(list, s)
	}
	return list
}

// Install adds Handlers right behind ctx. It is for those who have done the handshake themselves. It has the errors of
// Context.AddAfter, and then nothing was added. Call it on the event loop only.
func Install(ctx *pipeline.Context, c Config) error { return ctx.AddAfter(c.Handlers()...) }
