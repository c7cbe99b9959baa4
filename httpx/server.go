package httpx

import (
	"errors"
	"net"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
)

// Server stands behind the codec of a server's connection and does what every server must: it says when the
// connection is ready, answers requests that can't be read, and closes after the last answer. Handlers
// behind it see good requests only.
type Server struct {
	pipeline.Unshared
	state   *State
	decoder *codec.DecoderHandler[any]
	encoder *ResponseEncoder
	clock   *clock
	noDate  bool
	bad     int // status of a request that can't be read, to be answered after those before it
}

var (
	_ pipeline.AddedHandler   = (*Server)(nil)
	_ pipeline.ReadHandler    = (*Server)(nil)
	_ pipeline.WriteHandler   = (*Server)(nil)
	_ pipeline.ErrorHandler   = (*Server)(nil)
	_ pipeline.RemovedHandler = (*Server)(nil)
)

// HandleAdded starts the deadline for the first request, unless an earlier one runs.
func (s *Server) HandleAdded(ctx *pipeline.Context) error {
	handlers.ExpectReady(ctx.Channel(), 0)
	s.clock = useClock(ctx.Loop())
	if !s.noDate {
		s.encoder.stamp.clock = s.clock
	}
	return nil
}

// HandleRemoved leaves the clock to the other connections.
func (s *Server) HandleRemoved(*pipeline.Context) error {
	s.clock.leave()
	return nil
}

// HandleRead notices the first request and passes everything on.
func (s *Server) HandleRead(ctx *pipeline.Context, msg any) error {
	if _, ok := msg.(*Request); ok {
		handlers.Ready(ctx.Channel())
	}
	ctx.FireRead(msg)
	return nil
}

// HandleWrite passes answers on and closes behind the last one. RFC 9112, 9.6. A *pipeline.FileRegion may be written as
// a piece of a body with Content-Length, which it counts against; an EmptyLast follows the last piece.
func (s *Server) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if skip, err := s.body(msg); skip || err != nil {
		ctx.Release(msg)
		if err == nil && p != nil {
			p.Succeed()
		}
		return err
	}
	asked := s.state.asked
	if err := ctx.Forward(msg, p); err != nil {
		return err
	}
	switch {
	case !ctx.Channel().IsOpen():
	case asked && !s.state.asked && !s.state.switched:
		s.decoder.Wake() // another protocol was refused, so the requests behind are HTTP
	case s.state.Finished():
		ctx.Close()
	case s.bad != 0:
		if err := s.refuse(ctx); err != nil {
			ctx.FireError(err) // msg itself is on its way
		}
	}
	return nil
}

// body looks at a piece of a body: skip means that it is behind an answer that was complete by itself, which may have
// closed the connection.
func (s *Server) body(msg any) (skip bool, err error) {
	sent := &s.state.sent
	switch m := msg.(type) {
	case *FullResponse, *Response:
	case *Content:
		if skip = sent.dropping; skip {
			err = sent.drop(m.Last)
		}
	case *pipeline.FileRegion:
		if !s.state.switched {
			return sent.file(m)
		}
	}
	return skip, err
}

// HandleError answers a request that can't be read, or that did not come in time, and closes: what follows it
// on the connection can't be trusted. Requests before it are answered first. RFC 9112, 2.2, 9.3.2 and 11.
func (s *Server) HandleError(ctx *pipeline.Context, err error) error {
	var bad *Error
	var late *handlers.TimeoutError
	switch {
	case !ctx.Channel().IsOpen() || errors.Is(err, net.ErrClosed):
		return err
	case errors.As(err, &bad) && bad.Status != 0:
		s.bad = bad.Status
	case errors.As(err, &late):
		s.bad = 408
	case bad != nil:
		// The client left in the middle of a request: nobody can be answered, and no operator can do anything.
		ctx.Channel().Logger().Debug("httpx: request not complete", "channel", ctx.Channel().ID(), "error", err)
		ctx.Close()
		return nil
	default:
		return err
	}
	return s.refuse(ctx)
}

// refuse answers the request that can't be read, or not to its end, when it is its turn.
func (s *Server) refuse(ctx *pipeline.Context) error {
	st := s.state
	switch {
	case st.ahead() > 0 || st.sent.open:
		return nil
	case st.partial && st.Pending() == 0:
		// It had its answer before its end.
		s.bad = 0
		ctx.Close()
		return nil
	}
	answer, err := newRefusal(s.bad)
	s.bad = 0
	if err == nil {
		err = ctx.Write(answer)
	}
	ctx.Close()
	return err
}

// refuseNewest answers the newest request itself, when it is its turn, and takes no further one. The body of the
// request need not have come.
func (s *Server) refuseNewest(ctx *pipeline.Context, status int) error {
	s.bad = status
	s.state.partial, s.state.stopped = true, true
	return s.refuse(ctx)
}
