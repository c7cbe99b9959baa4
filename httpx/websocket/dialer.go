package websocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// DefaultHandshakeWithin is Dialer.Within when that is 0.
const DefaultHandshakeWithin = 10 * time.Second

// Dialer connects to WebSocket servers: its method Dial is a pipeline.DialFunc, so what speaks another protocol over
// connections speaks it over WebSocket. Set the fields before and do not change them afterwards; all of it is safe for
// concurrent use. RFC 6455, 4.1.
type Dialer struct {
	// Plain makes the connections for ws, TLS those for wss, with the handshake of TLS done by the time that handlers
	// see HandleActive. They get "host:port". The one that is needed is required.
	Plain, TLS pipeline.DialFunc
	// Target is the path and query for addresses without; "" = "/".
	Target string
	// Header has further fields for the request, such as Origin, Cookie and Authorization; nil = none.
	Header *httpx.Header
	// Protocols are the subprotocols that are asked for, most wanted first; the server must choose one. None: it must not.
	Protocols []string
	// Deflate is what this end wants of permessage-deflate; nil = nothing.
	Deflate *Deflate
	// Messages: the handlers see *Message. false: a Stream stands in front of them, and they see bytes.
	Messages bool
	// Text makes text messages of what a Stream sends. false: binary.
	Text bool
	// Within is how long the handshake may take, from the connection on. 0 = 10 s.
	Within time.Duration
	// Config has limits and times; its Client and Deflate do not count.
	Config Config
}

// Dial connects to address, a URL of the scheme ws or wss or "host:port" for ws with d.Target, and performs the handshake.
// Then init fills the pipeline behind the WebSocket handlers, AgreementOf tells what was agreed on, the handlers hear of
// HandleActive, and Dial returns the channel. parent ends the attempt, not the channel.
//
// It has the errors of the DialFunc; a *HandshakeError when the server does not agree; and that of init. On the event loop
// of the connection it can't wait: there it returns a channel whose handshake is under way, and when that fails the
// channel gets the error. Safe for concurrent use.
func (d *Dialer) Dial(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	to, err := d.parse(address)
	if err != nil {
		return nil, err
	}
	h := &clientHandshake{
		offer:  Offer{Target: to.target, Host: to.host, Header: d.Header, Protocols: d.Protocols, Deflate: d.Deflate},
		dialer: d, init: init, result: make(chan error, 1),
	}
	ch, err := to.dial(parent, to.address, h.install)
	if err != nil {
		return nil, err
	}
	select {
	case err = <-h.result:
		return h.finish(ch, err)
	default:
	}
	if ch.Loop().OnLoop() {
		h.alone = true
		return ch, nil
	}
	select {
	case err = <-h.result:
		return h.finish(ch, err)
	case <-parent.Done():
		ch.CloseWith(pipeline.CloseNow, nil)
		return nil, context.Cause(parent)
	}
}

// finish is what Dial returns when the handshake has ended.
func (h *clientHandshake) finish(ch *pipeline.Channel, err error) (*pipeline.Channel, error) {
	if err != nil {
		ch.CloseWith(pipeline.CloseNow, nil)
		return nil, err
	}
	return ch, nil
}

// destination is an address to dial, taken apart.
type destination struct {
	dial    pipeline.DialFunc
	address string // host:port
	host    string // of the Host field
	target  string
}

// ErrAddress is matched by the error of Dial for an address that it can't use.
var ErrAddress = errors.New("websocket: bad address")

func badAddress(address, why string) error {
	return fmt.Errorf("%w %q: %s", ErrAddress, address[:min(len(address), 64)], why)
}

// parse takes an address apart. RFC 6455, 3.
func (d *Dialer) parse(address string) (destination, error) {
	if !strings.Contains(address, "://") {
		return d.destination(address, d.Plain, address, d.Target)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return destination{}, badAddress(address, "no URL")
	case u.User != nil, u.Fragment != "", u.Hostname() == "":
		return destination{}, badAddress(address, "a user, a fragment, or no host")
	}
	target := u.RequestURI()
	if target == "/" && !strings.HasSuffix(address, "/") {
		target = d.Target
	}
	dial, port := d.Plain, "80"
	switch u.Scheme {
	case "ws":
	case "wss":
		dial, port = d.TLS, "443"
	default:
		return destination{}, badAddress(address, "scheme is not ws or wss")
	}
	host := u.Host
	if p := u.Port(); p != "" && p != port {
		port = p
	} else {
		host = strings.TrimSuffix(host, ":"+p)
	}
	to, err := d.destination(address, dial, net.JoinHostPort(u.Hostname(), port), target)
	to.host = host
	return to, err
}

func (d *Dialer) destination(address string, dial pipeline.DialFunc, hostPort, target string) (destination, error) {
	if dial == nil {
		return destination{}, badAddress(address, "no DialFunc for it")
	}
	return destination{dial: dial, address: hostPort, host: hostPort, target: target}, nil
}
