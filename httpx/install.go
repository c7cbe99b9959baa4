package httpx

import (
	"reflect"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
)

// ServerConfig says what Install puts into a pipeline.
type ServerConfig struct {
	// Decoder says how strict requests are read.
	Decoder DecoderConfig
	// Handlers makes the handlers behind the codec, for each connection anew. They get *Request and
	// *Content and answer each request in order, by *FullResponse or a streamed answer.
	Handlers func(ch *pipeline.Channel) []pipeline.Handler
}

// Match is MatchPrefix as a verdict for protocol detection. It keeps nothing of prefix. Safe
// for concurrent use.
func Match(prefix []byte) codec.Verdict {
	switch yes, more := MatchPrefix(prefix); {
	case yes:
		return codec.Yes
	case more:
		return codec.More
	}
	return codec.No
}

// Install adds the server's codec, the Server handler and those of cfg right behind ctx. It has the errors of
// Context.AddAfter, and then nothing was added. Call it on the event loop only.
func Install(ctx *pipeline.Context, cfg ServerConfig) error {
	state := &State{}
	added := []pipeline.Handler{
		codec.NewDecoder[any](NewRequestDecoder(cfg.Decoder, state)),
		codec.NewEncoder[any](NewResponseEncoder(state)),
		&Server{state: state},
	}
	if cfg.Handlers != nil {
		added = append(added, cfg.Handlers(ctx.Channel())...)
	}
	return ctx.AddAfter(added...)
}

// Emits lists the messages for Pipeline.Check and Pipeline.String.
func (d *RequestDecoder) Emits() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*Request](), reflect.TypeFor[*Content]()}
}

// Takes lists the messages for Pipeline.Check.
func (e *ResponseEncoder) Takes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*FullResponse](), reflect.TypeFor[*Response](), reflect.TypeFor[*Content]()}
}
