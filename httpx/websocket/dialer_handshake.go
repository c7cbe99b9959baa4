package websocket

import (
	"errors"
	"io"
	"net"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// clientHandshake is the handler of a client's connection until the server has answered. Handlers that init adds hear of
// HandleActive when the connection is theirs.
type clientHandshake struct {
	pipeline.Unshared
	dialer *Dialer
	offer  Offer
	init   func(*pipeline.Channel) error
	result chan error // gets one
	alone  bool       // nobody waits for it

	timer *pipeline.Timer
	over  bool
}

var (
	_ pipeline.ActiveHandler     = (*clientHandshake)(nil)
	_ pipeline.ReadHandler       = (*clientHandshake)(nil)
	_ pipeline.ErrorHandler      = (*clientHandshake)(nil)
	_ pipeline.ReadClosedHandler = (*clientHandshake)(nil)
	_ pipeline.InactiveHandler   = (*clientHandshake)(nil)
	_ pipeline.RemovedHandler    = (*clientHandshake)(nil)
)

// The names of the handlers that leave when the handshake is done.
const (
	nameRequests  = "websocket handshake: requests"
	nameResponses = "websocket handshake: responses"
)

// install fills the pipeline of a new connection.
func (h *clientHandshake) install(ch *pipeline.Channel) error {
	state := new(httpx.State)
	return ch.Pipeline().AddLast(
		pipeline.Named(nameResponses, codec.NewDecoder(httpx.NewResponseDecoder(httpx.DecoderConfig{}, state))),
		pipeline.Named(nameRequests, codec.NewEncoder(httpx.NewRequestEncoder(state))),
		h)
}

// HandleActive sends the request.
func (h *clientHandshake) HandleActive(ctx *pipeline.Context) error {
	within := orDefault(h.dialer.Within, DefaultHandshakeWithin)
	h.timer = ctx.After(within, func() {
		h.fail(ctx, &HandshakeError{Reason: "no answer", Err: &handlers.TimeoutError{What: "no answer", After: within}})
	})
	r, err := h.offer.Request()
	if err == nil {
		err = ctx.Write(r)
	}
	if err != nil {
		h.fail(ctx, err)
	}
	return nil
}

// HandleRead looks at the answer.
func (h *clientHandshake) HandleRead(ctx *pipeline.Context, msg any) error {
	r, ok := msg.(*httpx.Response)
	if !ok || h.over || r.Interim() {
		ctx.Release(msg)
		return nil
	}
	agreed, err := h.offer.Verify(r)
	r.Release()
	if err != nil {
		h.fail(ctx, err)
		return nil
	}
	h.open(ctx, agreed)
	return nil
}

// open puts the WebSocket handlers and those of init in the place of HTTP.
func (h *clientHandshake) open(ctx *pipeline.Context, agreed Agreement) {
	d := h.dialer
	agreements.Set(ctx.Channel(), agreed)
	c := d.Config
	c.Client, c.Deflate = true, agreed.Deflate
	list := c.Handlers()
	if !d.Messages {
		list = c.Streaming(&Stream{Text: d.Text})
	}
	err := ctx.AddAfter(list...)
	if err == nil && h.init != nil {
		err = h.init(ctx.Channel())
	}
	if err != nil {
		h.fail(ctx, err)
		return
	}
	h.end(nil)
	p := ctx.Pipeline()
	ctx.FireActive()
	ctx.Remove()
	// The decoder last: what it still holds finds the new handlers.
	if err = errors.Join(p.Remove(nameRequests), p.Remove(nameResponses)); err != nil {
		ctx.FireError(err)
	}
}

// end says how the handshake ended, once, and reports whether it had not.
func (h *clientHandshake) end(err error) bool {
	if h.over {
		return false
	}
	h.over = true
	h.timer.Stop()
	h.result <- err
	return true
}

// fail ends the handshake and closes the connection.
func (h *clientHandshake) fail(ctx *pipeline.Context, err error) {
	if !h.end(err) {
		return
	}
	if h.alone {
		ctx.FireError(err)
	}
	if ctx.Channel().IsOpen() {
		ctx.CloseWith(pipeline.CloseNow, nil)
	}
}

// HandleError ends the handshake.
func (h *clientHandshake) HandleError(ctx *pipeline.Context, err error) error {
	if errors.Is(err, net.ErrClosed) && h.over {
		return err
	}
	h.fail(ctx, &HandshakeError{Reason: "no good answer", Err: err})
	return nil
}

// HandleReadClosed ends the handshake.
func (h *clientHandshake) HandleReadClosed(ctx *pipeline.Context) error {
	h.fail(ctx, &HandshakeError{Reason: "no answer", Err: io.ErrUnexpectedEOF})
	return nil
}

// HandleInactive ends the handshake.
func (h *clientHandshake) HandleInactive(ctx *pipeline.Context) error {
	err := ctx.Channel().Cause()
	if err == nil {
		err = pipeline.ErrClosed
	}
	h.end(&HandshakeError{Reason: "no answer", Err: err})
	return nil
}

// HandleRemoved ends a handshake that somebody has taken out.
func (h *clientHandshake) HandleRemoved(*pipeline.Context) error {
	h.end(&HandshakeError{Reason: "no answer", Err: pipeline.ErrClosed})
	return nil
}
