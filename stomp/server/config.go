package server

import (
	"reflect"

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

// Install adds the codec and a session right behind ctx. Call it on the event loop only.
func Install(ctx *pipeline.Context, cfg Config) error {
	state := &stomp.State{}
	return ctx.AddAfter(
		codec.NewDecoder[any](&decoder{stomp.Decoder{State: state, Limits: cfg.Limits, Strict: cfg.Strict}}),
		codec.NewEncoder[any](&encoder{stomp.Encoder{State: state}}),
		newSession(cfg, state),
	)
}

var frameType = []reflect.Type{reflect.TypeFor[*stomp.Frame]()}

// decoder and encoder tell Pipeline.Check and String which messages travel.
type decoder struct{ stomp.Decoder }

// Emits lists the frames that are decoded.
func (*decoder) Emits() []reflect.Type { return frameType }

// String names the decoder in Pipeline.String.
func (*decoder) String() string { return "stomp.Decoder" }

type encoder struct{ stomp.Encoder }

// Takes lists the frames that are encoded.
func (*encoder) Takes() []reflect.Type { return frameType }

// String names the encoder in Pipeline.String.
func (*encoder) String() string { return "stomp.Encoder" }
