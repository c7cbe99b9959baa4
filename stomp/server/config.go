package server

import (
	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// Config says how sessions behave. The zero value works, with topics that no other session shares.
type Config struct {
	// Topics is where SEND publishes and SUBSCRIBE listens. nil = a set of its own for each session.
	Topics *Topics
	// Name stands in the server header of CONNECTED. "" = "penstock".
	Name string
	// Limits bound what one frame may hold.
	Limits stomp.Limits
	// Strict is stomp.Decoder.Strict.
	Strict bool
	// MaxSubscriptions is the number of subscriptions of one session. 0 = 256.
	MaxSubscriptions int
	// WrapFrame is stomp.Encoder.WrapFrame: it makes another message of each encoded frame, such as a WebSocket message.
	// Line ends that are heart-beats do not pass through it. nil = octets.
	WrapFrame func(m *stomp.Frame, encoded any) (any, error)
}

// Defaults of Config.
const (
	DefaultName             = "penstock"
	DefaultMaxSubscriptions = 256
)

// Match judges the first bytes of a connection for protocol detection. It keeps nothing of prefix. Safe
// for concurrent use.
func Match(prefix []byte) codec.Verdict {
	switch yes, more := stomp.MatchPrefix(prefix); {
	case yes:
		return codec.Yes
	case more:
		return codec.More
	}
	return codec.No
}

// Install adds the codec and a session right behind ctx. It has the errors of Context.AddAfter, and then nothing was
// added. The session switches the channel's auto-read. Call it on the event loop only.
func Install(ctx *pipeline.Context, cfg Config) error {
	state := &stomp.State{}
	var encoder pipeline.Handler = codec.NewEncoder[any](&stomp.Encoder{State: state})
	if cfg.WrapFrame != nil {
		encoder = codec.NewMessageEncoder[any](&stomp.Encoder{State: state, WrapFrame: cfg.WrapFrame})
	}
	return ctx.AddAfter(
		codec.NewDecoder[any](&stomp.Decoder{State: state, Limits: cfg.Limits, Strict: cfg.Strict}),
		encoder,
		newSession(cfg, state),
	)
}
