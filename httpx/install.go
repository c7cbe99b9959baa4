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
	// Handlers makes the handlers behind the codec, for each connection anew: they see *Request and *Content, and
	// *FullResponse, *Response and *Content on the way back, in the order of the requests. They watch and change
	// messages; without Handle they also answer each request, in order.
	Handlers func(ch *pipeline.Channel) []pipeline.Handler
	// Handle answers each request; it stands behind Handlers, and its answers may be given in any order.
	Handle HandlerFunc
	// MaxPending, MaxQueued and MaxDiscard are those of ExchangeHandler.
	MaxPending, MaxQueued int
	MaxDiscard            int64

	// Deadlines say how long a client may take, KeepAlive how long a connection is used.
	Deadlines Deadlines
	KeepAlive KeepAlive

	// Name is the Server field of answers that have none; "" = no such field. At most 64 octets without control
	// characters; with others Install and the function of Init return an *Error. RFC 9110, 10.2.4.
	Name string
	// NoDate leaves the Date field out, which all final answers get otherwise that have none. It is for servers without
	// a clock. RFC 9110, 6.6.1.
	NoDate bool
}

// Match is MatchPrefix as a verdict for protocol detection. It keeps nothing of prefix. Safe for concurrent use.
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
	if err := cfg.check(); err != nil {
		return err
	}
	return ctx.AddAfter(cfg.handlers(ctx.Channel())...)
}

// Init is Install for a port that speaks nothing but HTTP: the Init of a transport.Server.
func Init(cfg ServerConfig) func(ch *pipeline.Channel) error {
	return func(ch *pipeline.Channel) error {
		if err := cfg.check(); err != nil {
			return err
		}
		return ch.Pipeline().AddLast(cfg.handlers(ch)...)
	}
}

func (c *ServerConfig) check() error {
	if len(c.Name) > maxServerName || !validValue(c.Name) {
		return refuse(0, "bad server name")
	}
	return nil
}

func (c *ServerConfig) handlers(ch *pipeline.Channel) []pipeline.Handler {
	state := &State{most: max(c.KeepAlive.MaxRequests, 0)}
	requests := NewRequestDecoder(c.Decoder, state)
	decoder := codec.NewDecoder[any](requests)
	encoder := NewResponseEncoder(state)
	encoder.stamp.named(c.Name)
	all := []pipeline.Handler{
		decoder,
		codec.NewEncoder[any](encoder),
		&Server{
			state: state, decoder: decoder, requests: requests, encoder: encoder,
			watch: watch{limits: c.Deadlines.filled()}, maxAge: c.KeepAlive.jittered(), noDate: c.NoDate,
		},
	}
	if c.Handlers != nil {
		all = append(all, c.Handlers(ch)...)
	}
	if c.Handle != nil {
		h := Handle(c.Handle)
		h.MaxPending, h.MaxQueued, h.MaxDiscard = c.MaxPending, c.MaxQueued, c.MaxDiscard
		all = append(all, h)
	}
	return all
}

// Emits lists the messages for Pipeline.Check and Pipeline.String.
func (d *RequestDecoder) Emits() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*Request](), reflect.TypeFor[*Content]()}
}

// Takes lists the messages for Pipeline.Check.
func (e *ResponseEncoder) Takes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*FullResponse](), reflect.TypeFor[*Response](), reflect.TypeFor[*Content]()}
}
