package httpx

import (
	"math/rand/v2"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// KeepAlive says how long a connection is used. There is no limit by default: each request is bounded by itself, and a
// connection that has been useful for long costs no more than a new one. Limits spread the clients over the servers
// behind one address when servers come and go.
//
// The answer to the last request has Connection: close, and what a client has sent behind that request is not served;
// it may send it again elsewhere. RFC 9112, 9.3 and 9.6.
type KeepAlive struct {
	// MaxRequests is how many requests of one connection are answered. 0 = any number.
	MaxRequests int
	// MaxAge is how old a connection gets, more or less a tenth of it by chance, so that those that began together do
	// not end together. When its time has come an idle connection is closed, and a busy one behind its answers.
	// 0 = any age.
	MaxAge time.Duration
}

// jittered returns MaxAge with its part of chance.
func (k *KeepAlive) jittered() time.Duration {
	if k.MaxAge <= 0 {
		return 0
	}
	part := int64(k.MaxAge / 10)
	return k.MaxAge + time.Duration(rand.Int64N(2*part+1)-part)
}

// over reports whether no further request is decoded. RFC 9112, 9.6: nothing behind a close is processed.
func (s *State) over() bool { return s.closing || s.stopped || s.last }

// takesLast counts a request and reports whether it is the last one.
func (s *State) takesLast() bool {
	s.served++
	return s.winding || s.served == s.most
}

// windDown makes the newest request the last one, or when none waits for its answer the next.
func (s *State) windDown() {
	s.winding = true
	if s.n > 0 {
		s.last = true
		s.ring[(s.head+s.n-1)&(len(s.ring)-1)] &^= exchangeKeepAlive
	}
}

// busy reports whether somebody waits for the rest of an answer, or has begun to ask.
func (s *Server) busy() bool {
	return s.state.n > 0 || s.state.sent.open || s.requests.inHead()
}

// windDown lets the connection end behind the answers that are owed. It closes nothing yet. A head that has begun
// behind the last request is dropped, one that has begun on an idle connection becomes the last request.
func (s *Server) windDown() {
	s.state.windDown()
	if s.state.last && s.requests.inHead() {
		s.requests.giveUp()
	}
}

// retire is windDown that closes an idle connection.
func (s *Server) retire() {
	s.windDown()
	if s.ctx.Channel().IsOpen() && !s.busy() {
		s.end(s.ctx)
	}
}

// end closes the connection, and lets those closes through that have waited for it.
func (s *Server) end(ctx *pipeline.Context) {
	ctx.Close()
	s.letCloses(ctx)
}

func (s *Server) letCloses(ctx *pipeline.Context) {
	closes := s.closes
	s.closes = nil
	for _, p := range closes {
		ctx.CloseWith(pipeline.CloseDrain, p)
	}
}

// HandleEvent begins to end the connection when its server stops: at once when it is idle, else behind the answers that
// are owed, the last of which says so.
func (s *Server) HandleEvent(ctx *pipeline.Context, event any) error {
	if _, stops := event.(pipeline.ShutdownEvent); !stops {
		ctx.FireEvent(event)
		return nil
	}
	s.draining = true
	s.windDown()
	ctx.FireEvent(event)
	s.retire()
	return nil
}

// HandleClose holds the close that follows a ShutdownEvent until the answers that are owed are on their way. Another
// close passes: one with a cause, one behind the client's end, and those that do not drain.
func (s *Server) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	ch := ctx.Channel()
	if how == pipeline.CloseDrain && s.draining && !s.left && ch.IsOpen() && ch.Cause() == nil && s.busy() {
		s.closes = append(s.closes, p)
		return nil
	}
	if err := ctx.ForwardClose(how, p); err != nil {
		return err
	}
	s.letCloses(ctx)
	return nil
}

// HandleReadClosed ends the connection behind the answers that are owed when the client has sent its last octet and
// Options.AllowHalfClose lets it wait for them.
func (s *Server) HandleReadClosed(ctx *pipeline.Context) error {
	s.left = true
	ctx.FireReadClosed()
	if ctx.Channel().Options().AllowHalfClose {
		s.retire()
	}
	return nil
}
