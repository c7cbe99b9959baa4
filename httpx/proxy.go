package httpx

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
)

// Proxy is an HTTP proxy that servers are reached through, by CONNECT. RFC 9110, 9.3.6.
type Proxy struct {
	// Address is where the proxy is, as the DialFunc below takes it.
	Address string
	// User and Password go to the proxy by Basic authentication, readable for whoever sees the connection. User "" =
	// none. RFC 7617.
	User, Password string
	// Header has further fields for the proxy; nil = none. It must not change.
	Header *Header
	// Timeout is how long the proxy may take from the connection to its answer. 0 = 10 s.
	Timeout time.Duration
}

// ProxyError is what dialing ends with when the proxy does not open the way.
type ProxyError struct {
	Status int // of its answer
}

// Error has the status.
func (e *ProxyError) Error() string {
	return fmt.Sprintf("httpx: the proxy answered %d %s", e.Status, StatusText(e.Status))
}

// Dial makes a DialFunc that reaches the proxy through next, and through the proxy what it is asked for, which must be
// "host:port". The handlers that init adds are told of the connection, by HandleActive, when the way is open. It returns
// *ProxyError, *TimeoutError, ErrServerGone, or the errors of next.
func (p Proxy) Dial(next pipeline.DialFunc) pipeline.DialFunc {
	return func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		t := &tunnel{proxy: p, address: address, init: init, done: make(chan error, 1)}
		ch, err := next(parent, p.Address, t.install)
		if err != nil {
			return nil, err
		}
		if ch.Loop().OnLoop() {
			ch.CloseWith(pipeline.CloseNow, nil)
			return nil, pipeline.ErrOnLoop
		}
		select {
		case err = <-t.done:
		case <-parent.Done():
			err = context.Cause(parent)
		}
		if err != nil {
			ch.CloseWith(pipeline.CloseNow, nil)
			return nil, err
		}
		return ch, nil
	}
}

// tunnel asks the proxy for the way, and makes room for the handlers of the connection behind.
type tunnel struct {
	pipeline.Unshared
	proxy   Proxy
	address string
	init    func(*pipeline.Channel) error
	done    chan error // has room for one

	codec [2]pipeline.Handler
	timer *pipeline.Timer
	asked bool
	told  bool
}

var (
	_ pipeline.AddedHandler    = (*tunnel)(nil)
	_ pipeline.ActiveHandler   = (*tunnel)(nil)
	_ pipeline.ReadHandler     = (*tunnel)(nil)
	_ pipeline.ErrorHandler    = (*tunnel)(nil)
	_ pipeline.InactiveHandler = (*tunnel)(nil)
)

func (t *tunnel) install(ch *pipeline.Channel) error {
	state := &State{}
	t.codec = [2]pipeline.Handler{
		codec.NewDecoder[any](NewResponseDecoder(DecoderConfig{}, state)), codec.NewEncoder[any](NewRequestEncoder(state)),
	}
	return ch.Pipeline().AddLast(t.codec[0], t.codec[1], t)
}

// HandleAdded asks at once when the connection is there already, as it is behind other handshakes.
func (t *tunnel) HandleAdded(ctx *pipeline.Context) error {
	if ctx.Channel().Active() {
		t.ask(ctx)
	}
	return nil
}

// HandleActive asks the proxy. The handlers behind are told later.
func (t *tunnel) HandleActive(ctx *pipeline.Context) error {
	t.ask(ctx)
	return nil
}

func (t *tunnel) ask(ctx *pipeline.Context) {
	if t.asked {
		return
	}
	t.asked = true
	within := orDefault(t.proxy.Timeout, DefaultConnectTimeout)
	t.timer = ctx.After(within, func() { t.fail(ctx, &TimeoutError{What: "answer of the proxy", After: within}) })
	r, err := t.request()
	if err == nil {
		err = ctx.Write(r)
	}
	if err != nil {
		t.fail(ctx, err)
	}
}

// request is the CONNECT request.
func (t *tunnel) request() (*FullRequest, error) {
	r := NewFullRequest(MethodConnect, t.address)
	if t.proxy.Header != nil {
		r.Header.AddAll(t.proxy.Header)
	}
	user := t.proxy.User
	if user == "" {
		return r, nil
	}
	err := refuse(0, "user name with a colon")
	if !strings.Contains(user, ":") {
		pass := base64.StdEncoding.EncodeToString([]byte(user + ":" + t.proxy.Password))
		err = r.Header.Set("Proxy-Authorization", "Basic "+pass)
	}
	if err != nil {
		r.Release()
		return nil, err
	}
	return r, nil
}

// HandleRead takes the answer.
func (t *tunnel) HandleRead(ctx *pipeline.Context, msg any) error {
	r, ok := msg.(*Response)
	if !ok {
		ctx.Release(msg) // the body of a refusal
		return nil
	}
	status, interim, opened := r.Status, r.Interim(), r.Upgrade
	r.Release()
	switch {
	case interim || t.told:
	case opened:
		t.open(ctx)
	default:
		t.fail(ctx, &ProxyError{Status: status})
	}
	return nil
}

// open gives the connection to the handlers that want it. Octets behind the answer go to them.
func (t *tunnel) open(ctx *pipeline.Context) {
	t.timer.Stop()
	if t.init != nil {
		if err := t.init(ctx.Channel()); err != nil {
			t.fail(ctx, err)
			return
		}
	}
	p := ctx.Pipeline()
	p.ContextOf(t.codec[1]).Remove()
	ctx.FireActive()
	ctx.Remove()
	p.ContextOf(t.codec[0]).Remove()
	t.tell(nil)
}

// HandleError ends the attempt.
func (t *tunnel) HandleError(ctx *pipeline.Context, err error) error {
	t.fail(ctx, err)
	return nil
}

// HandleInactive ends the attempt, then passes on.
func (t *tunnel) HandleInactive(ctx *pipeline.Context) error {
	t.timer.Stop()
	t.tell(ErrServerGone)
	ctx.FireInactive()
	return nil
}

func (t *tunnel) fail(ctx *pipeline.Context, err error) {
	t.tell(err)
	ctx.CloseWith(pipeline.CloseNow, nil)
}

func (t *tunnel) tell(err error) {
	if !t.told {
		t.told = true
		t.done <- err
	}
}
