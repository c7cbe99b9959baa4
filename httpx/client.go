package httpx

import (
	"context"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// Client sends requests over connections that it keeps and uses again. Do is for ordinary goroutines; Start and Stream
// are for event loops, where nothing waits: the response comes in pieces, under backpressure, and so may the request.
//
// A request goes to the host of its target when that is in absolute-form, as in NewFullRequest(MethodGet,
// "http://example.com/path"), and to the one of its Host field otherwise. Nothing is added to it but what the framing
// needs: no User-Agent, no Accept-Encoding. A response is given as it came, with its content coding.
//
// Connections are never shared between requests that are under way. One is used again when its response has ended,
// nothing came behind it, and both sides keep it; one that gets octets or its end while nobody uses it is closed. A
// request is sent again by itself only when its method is idempotent, all of it is at hand, and a connection that had
// been used before closed without an octet of the response. RFC 9110, 9.2.2; RFC 9112, 9.3.1.
//
// Set the fields before the first request; Dial is required. Zero fields mean the defaults given here, no limit can be
// turned off. Its methods are safe for concurrent use unless they say otherwise. Dialing waits, so the client runs one
// goroutine for each dial under way, and none besides.
type Client struct {
	// Dial makes the connections. It must give up when its parent ends.
	Dial pipeline.DialFunc
	// DialTLS makes those for targets that begin with https. nil = they are refused with ErrScheme.
	DialTLS pipeline.DialFunc
	// Decoder says how strict responses are read, and limits their heads.
	Decoder DecoderConfig

	// MaxBody is how many octets of a body Do takes. 0 = 1 MiB; beyond: ErrBodyTooLarge.
	MaxBody int
	// MaxConnsPerHost is how many connections there may be to one host and port, those being dialed included. 0 = 64.
	MaxConnsPerHost int
	// MaxWaiting is how many requests to one host may wait for a connection. 0 = 1,024; beyond: ErrBusy.
	MaxWaiting int
	// MaxIdlePerHost and MaxIdle are how many unused connections are kept for one host and in all; beyond that the
	// longest unused one is closed. 0 = 8 and 256.
	MaxIdlePerHost, MaxIdle int
	// MaxRetries is how often a request is sent again after its connection was lost. 0 = 2, negative = never.
	MaxRetries int
	// MaxRedirects is how many redirections Do follows; beyond: ErrRedirects. 0 = it follows none and returns the
	// response as it is.
	MaxRedirects int

	// ConnectTimeout is how long a request may wait for a connection, and how long dialing may take. 0 = 10 s.
	ConnectTimeout time.Duration
	// HeadTimeout is how long the server may take from the end of the request to the end of the response's head, which
	// interim responses do not extend. 0 = 30 s.
	HeadTimeout time.Duration
	// BodyTimeout is how long no octet of a response's body may come. While we do not read, and while the request is
	// still being sent, nothing is expected. 0 = 30 s.
	BodyTimeout time.Duration
	// ContinueWait is how long a request with Expect: 100-continue waits for the server's word before its body is sent
	// all the same. 0 = 1 s. RFC 9110, 10.1.1.
	ContinueWait time.Duration
	// IdleTimeout is how long an unused connection is kept; a server's Keep-Alive field can shorten it. 0 = 60 s.
	IdleTimeout time.Duration
	// MaxAge is how long after its dialing a connection is used for further requests. 0 = 10 min.
	MaxAge time.Duration

	pool clientPool
}

// The defaults of Client.
const (
	DefaultMaxConnsPerHost = 64
	DefaultMaxWaiting      = 1024
	DefaultMaxIdlePerHost  = 8
	DefaultMaxIdle         = 256
	DefaultMaxRetries      = 2
	DefaultConnectTimeout  = 10 * time.Second
	DefaultHeadTimeout     = 30 * time.Second
	DefaultBodyTimeout     = 30 * time.Second
	DefaultContinueWait    = time.Second
	DefaultIdleTimeout     = 60 * time.Second
	DefaultMaxAge          = 10 * time.Minute
)

// Start sends req and has call's functions called with the response. It takes req, which must not change until call has
// ended. ctx is the place of the handler that asks: the functions run on its loop, but not inside Start. An error says
// that nothing was sent and that no function is called: an *Error, ErrScheme, ErrBusy, ErrClientClosed or ErrCallUsed.
//
// Nobody else ends the call when the channel of ctx closes: use Call.Cancel, for example from Exchange.OnGone. Call it
// on the event loop only.
func (c *Client) Start(ctx *pipeline.Context, req *FullRequest, call *Call) error {
	return c.start(ctx.Loop(), call, req, nil)
}

// Stream is Start with the head of a request whose body, unless req.Length is 0 and no field of req says otherwise,
// follows by Call.Write and End. It takes req. Call it on the event loop only.
func (c *Client) Stream(ctx *pipeline.Context, req *Request, call *Call) error {
	return c.start(ctx.Loop(), call, nil, req)
}

// start begins a call with one of two forms of a request.
func (c *Client) start(loop *pipeline.Loop, call *Call, full *FullRequest, head *Request) error {
	if !call.claim() {
		release(full, head)
		return ErrCallUsed
	}
	call.client, call.loop, call.full, call.request = c, loop, full, head
	call.busy = true // so that what goes wrong at once is told later
	waits, err := c.enter(call)
	call.busy = false
	if err != nil {
		call.refuse()
		return err
	}
	if waits {
		call.expectConnection()
	}
	if call.rerun {
		call.wake()
	}
	return nil
}

func release(full *FullRequest, head *Request) {
	if full != nil {
		full.Release()
	} else {
		head.Release()
	}
}

// Do sends req, waits, and returns the whole response, whose body may have MaxBody octets. It takes req, which must not
// change until Do returns. The caller must Release the result.
//
// parent bounds it all: when it ends first the connection is closed and its cause returned. The other errors are those
// of Client.Start and Call.OnEnd, ErrBodyTooLarge, and pipeline.ErrOnLoop on an event loop that a connection to the host
// runs on or that Dial knows; on other event loops it must not be called either.
func (c *Client) Do(parent context.Context, req *FullRequest) (*FullResponse, error) {
	if c.MaxRedirects > 0 {
		return c.follow(parent, req)
	}
	return c.do(parent, req)
}

// Close closes all connections, used or not, and ends all requests with ErrClientClosed. It does not wait, and returns
// nil. Later requests are refused.
func (c *Client) Close() error {
	conns, calls := c.pool.close()
	for _, conn := range conns {
		conn.channel.CloseWith(pipeline.CloseNow, nil)
	}
	for _, call := range calls {
		call.end(ErrClientClosed, nil)
	}
	return nil
}
