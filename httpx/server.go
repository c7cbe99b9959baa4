package httpx

import (
	"errors"
	"net"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
)

// Server stands behind the codec of a server's connection and does what every server must: it says when the connection
// is ready, holds the client to the Deadlines, answers requests that can't be read, and closes behind the last answer,
// as KeepAlive, the client, or the end of the server decides. Handlers behind it see good requests only; one that expects
// something else than 100 (Continue) is diverted to an answer of 417. Its methods are for the event loop only.
type Server struct {
	pipeline.Unshared
	ctx      *pipeline.Context
	state    *State
	decoder  *codec.DecoderHandler[any]
	requests *RequestDecoder // that the decoder runs
	encoder  *ResponseEncoder
	clock    *clock
	watch    watch
	age      *pipeline.Timer // nil: no MaxAge
	maxAge   time.Duration
	closes   []*pipeline.Promise // of closes that wait for answers
	bad      int                 // status of a request that can't be read, to be answered after those before it
	noDate   bool
	ready    bool // a request has come
	draining bool // the server is ending
	left     bool // the client has sent its last octet
}

var (
	_ pipeline.AddedHandler        = (*Server)(nil)
	_ pipeline.ReadHandler         = (*Server)(nil)
	_ pipeline.ReadCompleteHandler = (*Server)(nil)
	_ pipeline.ReadRequestHandler  = (*Server)(nil)
	_ pipeline.ReadClosedHandler   = (*Server)(nil)
	_ pipeline.WritabilityHandler  = (*Server)(nil)
	_ pipeline.WriteHandler        = (*Server)(nil)
	_ pipeline.EventHandler        = (*Server)(nil)
	_ pipeline.CloseHandler        = (*Server)(nil)
	_ pipeline.ErrorHandler        = (*Server)(nil)
	_ pipeline.RemovedHandler      = (*Server)(nil)
)

// HandleAdded starts the deadline for the first request, unless an earlier one runs.
func (s *Server) HandleAdded(ctx *pipeline.Context) error {
	s.ctx, s.clock = ctx, useClock(ctx.Loop())
	handlers.ExpectReady(ctx.Channel(), s.watch.limits.Ready)
	if !s.noDate {
		s.encoder.stamp.clock = s.clock
	}
	if s.maxAge > 0 {
		s.age = ctx.After(s.maxAge, s.retire)
	}
	return nil
}

// HandleRemoved stops the timers and lets closes through that have waited.
func (s *Server) HandleRemoved(ctx *pipeline.Context) error {
	s.watch.timer.Stop()
	s.age.Stop()
	s.encoder.stamp.clock = nil
	s.clock.leave()
	s.letCloses(ctx)
	return nil
}

// HandleRead notices requests and their content and passes everything on.
func (s *Server) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Request:
		if !s.ready {
			s.ready = true
			handlers.Ready(ctx.Channel())
			s.arm(s.watch.limits.Idle)
		}
		if m.expectsOther() {
			m.Divert(refuseExpectation)
		}
		if m.Length != 0 {
			s.watch.body.begin(m, s.clock.exact())
		}
	case *Content:
		s.watch.body.octets += int64(m.Len())
	}
	ctx.FireRead(msg)
	return nil
}

// HandleReadComplete passes on and measures what is missing.
func (s *Server) HandleReadComplete(ctx *pipeline.Context) error {
	ctx.FireReadComplete()
	s.look()
	return nil
}

// HandleReadRequest passes on; the connection may have been paused until now.
func (s *Server) HandleReadRequest(ctx *pipeline.Context) error {
	s.resumed()
	ctx.Read()
	s.look()
	return nil
}

// HandleWritability passes on; the connection may have been paused until now.
func (s *Server) HandleWritability(ctx *pipeline.Context) error {
	s.resumed()
	ctx.FireWritability()
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
		s.end(ctx)
	case s.bad != 0 && s.state.partial:
		s.refuseSoon(ctx)
	case s.bad != 0:
		s.refused(s.refuse(ctx)) // msg itself is on its way
	case s.state.n == 0 && !s.state.sent.open:
		s.idle(ctx)
	}
	return nil
}

// idle notes that every request so far has its answer.
func (s *Server) idle(ctx *pipeline.Context) {
	s.watch.idle = s.clock.coarse()
	if s.state.winding && !s.busy() {
		s.end(ctx)
	}
}

// body looks at a piece of a body: skip means that it is behind an answer that was complete by itself, which may have
// closed the connection.
func (s *Server) body(msg any) (skip bool, err error) {
	sent := &s.state.sent
	switch m := msg.(type) {
	case *FullResponse:
	case *Response:
		if m.Status == statusContinue {
			s.watch.body.goOn(s.clock.exact())
		}
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
		return s.refuseWith(bad.Status)
	case errors.As(err, &late):
		s.late()
		return nil
	case bad != nil:
		// The client left in the middle of a request: nobody can be answered, and no operator can do anything.
		ctx.Channel().Logger().Debug("httpx: request not complete", "channel", ctx.Channel().ID(), "error", err)
		s.end(ctx)
		return nil
	}
	return err
}

// refuseWith answers the request that can't be read, when it is its turn.
func (s *Server) refuseWith(status int) error {
	s.bad = status
	return s.refuse(s.ctx)
}

// refuse answers the request that can't be read, or not to its end, when it is its turn.
func (s *Server) refuse(ctx *pipeline.Context) error {
	st := s.state
	switch {
	case st.ahead() > 0 || st.sent.open:
		s.arm(s.watch.limits.Idle)
		return nil
	case st.partial && st.n == 0:
		// It had its answer before its end.
		s.bad = 0
		s.end(ctx)
		return nil
	}
	ctx.FireEvent(RefusedEvent{Status: s.bad, Passed: st.partial && st.n > 0})
	answer, err := newRefusal(s.bad)
	s.bad = 0
	if err == nil {
		err = ctx.Write(answer)
	}
	s.end(ctx)
	return err
}

// RefusedEvent is fired as a user event, as a value, when the Server itself answers: a request that can't be read, or
// that has not come in time. The handlers behind it see no such answer.
type RefusedEvent struct {
	Status int
	Passed bool // the head of the request has gone on to the handlers, its body not or not whole
}

// refuseSoon is refuse for a request that has reached the handlers: an answer of theirs may come right behind msg.
func (s *Server) refuseSoon(ctx *pipeline.Context) {
	_ = ctx.Channel().Post(func() { // an error means that nobody is there any more
		if s.bad != 0 && !ctx.Removed() && ctx.Channel().IsOpen() {
			s.refused(s.refuse(ctx))
		}
	})
}

// refuseNewest answers the newest request itself, when it is its turn, and takes no further one. The body of the
// request need not have come.
func (s *Server) refuseNewest(ctx *pipeline.Context, status int) error {
	s.bad = status
	s.state.partial, s.state.stopped = true, true
	return s.refuse(ctx)
}
