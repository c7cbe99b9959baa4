package client

import (
	"context"
	"sync"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// Client has one connection to a STOMP server, and gets another one when it is lost. Connect waits for the first one,
// Start does not; Subscribe, Send and Begin use whichever there is.
//
// Set the fields before the first call; Dial and Address are required. Zero fields mean the defaults given here, and no
// limit can be turned off. Its methods are safe for concurrent use. Those that take a parent wait, until that ends at
// the latest, and must not be called on an event loop: on the one that the connection runs on they return
// pipeline.ErrOnLoop. Those called Start… do not wait. The client starts no goroutine: attempts to connect
// again run on those of timers.
type Client struct {
	// Dial makes the connections: TCP, TLS, WebSocket. It must give up when its parent ends.
	Dial pipeline.DialFunc
	// Address is where to, as Dial takes it.
	Address string

	// Login and Passcode are sent unless both are "".
	Login, Passcode string
	// Host is the virtual host that is asked for. "" = the host in Address. RabbitMQ has one called "/".
	Host string
	// Headers are further headers of CONNECT, such as client-id.
	Headers stomp.Headers
	// Versions are the versions that are offered. nil = 1.0, 1.1 and 1.2.
	Versions []stomp.Version
	// HeartBeat is how often this side can give a sign of life, and how often it wants one. 0 = 10 s, negative = never.
	HeartBeat stomp.HeartBeat
	// Tolerance times the agreed interval is how long the server may be silent before the connection is given up. While
	// it is not read, because a handler has called Context.SetAutoRead(false), nothing is expected. 0 = 2.5, as ActiveMQ may
	// be silent for two intervals and a bit; at least 1.
	Tolerance float64
	// ConnectTimeout is how long dialing may take, and then how long the server may take to answer CONNECT. 0 = 10 s.
	ConnectTimeout time.Duration
	// CloseTimeout is how long Close waits for the server's receipt when its parent does not end before. 0 = 10 s.
	CloseTimeout time.Duration
	// Reconnect says when lost connections are replaced.
	Reconnect Reconnect
	// Resend sends frames that were to be confirmed, and were not when the connection was lost, again over the next one.
	// The server may get them twice. false: they end with ErrUnconfirmed. Frames of transactions are never sent again.
	Resend bool

	// Limits bound what one frame of the server may hold.
	Limits stomp.Limits
	// Strict is stomp.Decoder.Strict.
	Strict bool
	// MaxSubscriptions is how many subscriptions there may be. 0 = 256.
	MaxSubscriptions int
	// MaxTransactions is how many transactions may be open. 0 = 16.
	MaxTransactions int
	// MaxReceipts is how many receipts may be awaited. 0 = 4,096.
	MaxReceipts int
	// MaxUnsent is how many octets may wait to be sent before Send waits and StartSend returns ErrBusy. 0 = 1 MiB.
	MaxUnsent int
	// MaxOffline is how many frames wait for a connection while there is none. 0 = none: they are refused with
	// ErrNotConnected. MaxUnsent bounds them as well.
	MaxOffline int

	// WrapFrame is stomp.Encoder.WrapFrame: it makes one WebSocket message of each frame.
	WrapFrame func(f *stomp.Frame, encoded any) (any, error)
	// WrapEOL is stomp.Encoder.WrapEOL: the same for heart-beats.
	WrapEOL func(encoded any) (any, error)
	// OnStatus hears of each change of the connection, in order and one at a time, on the goroutine that it happens on: an
	// event loop in most cases, so it must not wait.
	OnStatus func(s Status)
	// OnMessage takes the messages of no subscription, such as the answers that RabbitMQ sends to its temporary queues, as
	// Subscription.Handle does. nil = they are dropped, and counted in Stats.
	OnMessage func(ctx *pipeline.Context, m *Message)

	mu      sync.Mutex
	phase   phase
	conn    *conn              // the one that is up, or is tried
	loop    *pipeline.Loop     // of the last one
	first   chan error         // Connect waits for it
	cause   error              // why there is no connection
	failed  int                // attempts in a row
	stop    func() bool        // keeps the next attempt from coming
	dials   context.Context    //nolint:containedctx // of all attempts
	hangUp  context.CancelFunc // ends them
	subs    []*Subscription    // in order of their making
	byID    map[string]*Subscription
	offline requests      // those that wait for a connection
	room    chan struct{} // closed when there is room in unsent again; nil = nobody waits
	ended   chan struct{} // closed when the phase is phaseClosed; nil = Close has not been called
	end     error         // what Close returns
	closers []func(err error)
	ids     uint64
	stats   Stats
	told    teller
}

// phase is how far a client has come.
type phase uint8

const (
	phaseIdle    phase = iota // Connect or Start is to be called
	phaseDialing              // until CONNECTED
	phaseUp
	phaseWaiting // for the next attempt
	phaseClosing // DISCONNECT is on its way, or an attempt is being given up
	phaseClosed
)

// ready reports whether frames can be sent. The client is locked.
func (c *Client) ready() bool { return c.phase == phaseUp && !c.conn.dying }

// The defaults of Client.
const (
	DefaultHeartBeat        = 10 * time.Second
	DefaultTolerance        = 2.5
	DefaultConnectTimeout   = 10 * time.Second
	DefaultCloseTimeout     = 10 * time.Second
	DefaultMaxSubscriptions = 256
	DefaultMaxTransactions  = 16
	DefaultMaxReceipts      = 4096
	DefaultMaxUnsent        = 1 << 20
)

// Stats counts what a client does and has.
type Stats struct {
	Connected       uint64 // how often a server has accepted the login
	UnknownReceipts uint64 // RECEIPT frames that nobody asked for
	UnknownMessages uint64 // MESSAGE frames of no subscription that nobody took
	Subscriptions   int    // those that are made again when the connection is lost
	Receipts        int    // receipts that are awaited
	Unsent          int    // octets that wait to be sent, about
}

// Stats returns the numbers of now. Safe for concurrent use.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Subscriptions = len(c.subs)
	if c.conn != nil {
		s.Receipts = len(c.conn.receipts)
	}
	return s
}

// Version returns the version that was agreed on, stomp.VersionUnknown while there is no connection. Safe for concurrent
// use.
func (c *Client) Version() stomp.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != phaseUp {
		return stomp.VersionUnknown
	}
	return c.conn.version
}
