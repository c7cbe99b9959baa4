package server

import (
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// Config says how sessions behave. The zero value works, with a broker that no other session shares. Its functions run on
// the session's event loop and must not block.
type Config struct {
	// Broker is where SEND publishes and SUBSCRIBE listens. nil = one of its own: for each session by Install, for all of
	// them by Init.
	Broker *broker.Broker
	// Authenticate judges a client. It, or anybody later and on any goroutine, calls l.Accept or l.Refuse once; until then
	// nothing more is read, and the login deadline runs. nil = everybody is accepted.
	// A client's certificate is in the TLS state of its connection, which transport.Wrapper leads to.
	Authenticate func(ctx *pipeline.Context, l *Login)
	// Authorize allows an operation by nil. The text of its error is sent to the client. destination is as the client gave
	// it and valid during the call; temporary ones are asked for by the names that begin with /temp-queue/ and /temp-topic/.
	// With OpSubscribe it may be a pattern (see broker.Broker.Attach) that matches also what is refused by name: allow by
	// prefix, or refuse patterns. nil = everything is allowed.
	Authorize func(s *Session, op Op, destination string) error
	// Publish takes m, which is allowed and complete, and calls done once, now or later and on any goroutine: the receipt
	// follows then, or ERROR. The messages of a transaction come in order at its COMMIT, and its acknowledgements take effect
	// when all are done; whether they stay together is up to Publish. One that publishes to a broker gives the broker.Pause
	// that it gets to Session.Pause. nil = Broker.Publish.
	Publish func(s *Session, m *broker.Message, done func(error))
	// Hosts accepts a virtual host by nil; "" stands for a client that gave none. The text of its error is sent to the client.
	// nil = every host.
	Hosts func(host string) error
	// Name stands in the server header of CONNECTED. "" = "penstock".
	Name string
	// Versions are those that may be negotiated, such as the one that a WebSocket subprotocol names. nil = all.
	Versions []stomp.Version
	// Limits bound what one frame may hold after login, LoginLimits before: CONNECT and its answer.
	// Zero fields of LoginLimits are 4 KiB a line, 32 headers, a head of 16 KiB, a body of 1 KiB.
	Limits, LoginLimits stomp.Limits
	// LoginWithin is the time from accept to CONNECTED unless an earlier handler has set another, as handlers.Detect does by
	// its Deadline. 0 = 10 s.
	LoginWithin time.Duration
	// Strict is stomp.Decoder.Strict; besides, clients from 1.1 on must name a host.
	Strict bool
	// HeartBeat is what the server can do and wants, before negotiation. Zero fields = 10 s, negative = never.
	HeartBeat stomp.HeartBeat
	// Tolerance is how many intervals may pass without an octet from the client; it is noticed half an interval later at
	// most. 0 = 1.5; less than 1 counts as 1.
	Tolerance float64

	// Prefetch is how many messages of a subscription may be unsettled when SUBSCRIBE has no prefetch-count; 0 = 256.
	Prefetch int
	// MaxPrefetch is the most that prefetch-count gets; 0 = 10,000.
	MaxPrefetch int
	// Policy, MaxBacklog and MaxBacklogBytes are for subscriptions of topics that fall behind, see broker.ConsumerConfig.
	// 0 = broker.PolicyDisconnect, and the broker's limits. A subscription that ends by that policy ends its session.
	Policy          broker.Policy
	MaxBacklog      int
	MaxBacklogBytes int64

	// MaxSubscriptions is the number of subscriptions of one session. 0 = 256.
	MaxSubscriptions int
	// MaxTemporaries is the number of temporary destinations of one session. 0 = 64.
	MaxTemporaries int
	// MaxTransactions is the number of open transactions of one session, MaxActions that of the SEND, ACK and NACK of each,
	// a cumulative one counting once for each message. 0 = 16 and 1,024.
	MaxTransactions, MaxActions int
	// MaxTransactionBytes bounds the messages in all open transactions of one session together. 0 = 8 MiB.
	MaxTransactionBytes int64
	// MaxUnanswered is how many frames may wait for Publish before reading pauses. 0 = 64.
	MaxUnanswered int
	// DrainWait is how long a close waits for Publish to answer. 0 = 10 s.
	DrainWait time.Duration

	// WrapFrame is stomp.Encoder.WrapFrame: it makes another message of each encoded frame, such as a WebSocket message.
	// Line ends that are heart-beats do not pass through it. With it only octets of STOMP are signs of life, not those that
	// the layer below has for itself. nil = the octets travel on as they are.
	WrapFrame func(m *stomp.Frame, encoded any) (any, error)
}

// Defaults of Config.
const (
	DefaultName                = "penstock"
	DefaultLoginLine           = 4 << 10
	DefaultLoginHeaders        = 32
	DefaultLoginHead           = 16 << 10
	DefaultLoginBody           = 1 << 10
	DefaultHeartBeat           = 10 * time.Second
	DefaultTolerance           = 1.5
	DefaultPrefetch            = 256
	DefaultMaxPrefetch         = 10_000
	DefaultMaxSubscriptions    = 256
	DefaultMaxTemporaries      = 64
	DefaultMaxTransactions     = 16
	DefaultMaxActions          = 1_024
	DefaultMaxTransactionBytes = 8 << 20
	DefaultMaxUnanswered       = 64
	DefaultDrainWait           = 10 * time.Second
)

// Op is what Config.Authorize is asked for.
type Op uint8

// The operations.
const (
	OpSend      Op = iota // SEND, also in a transaction
	OpSubscribe           // SUBSCRIBE
)

// String names the operation as its frame does.
func (o Op) String() string {
	if o == OpSubscribe {
		return string(stomp.CommandSubscribe)
	}
	return string(stomp.CommandSend)
}

// filled returns c with its defaults in place, but for Limits, which has its own.
func (c Config) filled() Config {
	if c.Broker == nil {
		c.Broker = &broker.Broker{}
	}
	if c.Name == "" {
		c.Name = DefaultName
	}
	l := &c.LoginLimits
	l.Line, l.Headers = or(l.Line, DefaultLoginLine), or(l.Headers, DefaultLoginHeaders)
	l.Head, l.Body = or(l.Head, DefaultLoginHead), or(l.Body, DefaultLoginBody)
	c.LoginWithin = or(c.LoginWithin, handlers.DefaultReadyWithin)
	c.HeartBeat = stomp.HeartBeat{Send: beat(c.HeartBeat.Send), Receive: beat(c.HeartBeat.Receive)}
	c.Tolerance = max(or(c.Tolerance, DefaultTolerance), 1)
	c.Prefetch, c.MaxPrefetch = or(c.Prefetch, DefaultPrefetch), or(c.MaxPrefetch, DefaultMaxPrefetch)
	c.MaxSubscriptions = or(c.MaxSubscriptions, DefaultMaxSubscriptions)
	c.MaxTemporaries = or(c.MaxTemporaries, DefaultMaxTemporaries)
	c.MaxTransactions, c.MaxActions = or(c.MaxTransactions, DefaultMaxTransactions), or(c.MaxActions, DefaultMaxActions)
	c.MaxTransactionBytes = or(c.MaxTransactionBytes, DefaultMaxTransactionBytes)
	c.MaxUnanswered = or(c.MaxUnanswered, DefaultMaxUnanswered)
	c.DrainWait = or(c.DrainWait, DefaultDrainWait)
	return c
}

// or returns v, or the default when it is not positive.
func or[T int | int64 | float64 | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// beat returns one interval of Config.HeartBeat, 0 when it is off.
func beat(d time.Duration) time.Duration {
	if d == 0 {
		return DefaultHeartBeat
	}
	return max(d, 0)
}

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
	return ctx.AddAfter(cfg.filled().handlers()...)
}

// Init is Install for a port that speaks nothing but STOMP: the Init of a transport.Server.
func Init(cfg Config) func(ch *pipeline.Channel) error {
	cfg = cfg.filled()
	return func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(cfg.handlers()...) }
}

// handlers are those of one session; c is filled.
func (c Config) handlers() []pipeline.Handler {
	state := &stomp.State{}
	decoder := &stomp.Decoder{State: state, Limits: c.LoginLimits, Strict: c.Strict}
	s := &Session{cfg: &c, state: state, decoder: decoder}
	if c.WrapFrame == nil {
		return []pipeline.Handler{codec.NewDecoder[any](decoder), codec.NewEncoder[any](&stomp.Encoder{State: state}), s}
	}
	s.meter = &meter{}
	encoder := &stomp.Encoder{State: state, WrapFrame: c.WrapFrame}
	return []pipeline.Handler{s.meter, codec.NewDecoder[any](decoder), codec.NewMessageEncoder[any](encoder), s}
}
