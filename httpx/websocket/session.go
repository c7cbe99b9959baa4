package websocket

import (
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// The defaults of Session.
const (
	DefaultCloseWithin = 5 * time.Second
	DefaultIdle        = 60 * time.Second
	DefaultMaxControl  = 1000
)

// Session stands behind the codec and keeps the connection: it answers pings, asks a silent peer whether it is there,
// performs the close handshake and answers what breaks the protocol with the Close frame that fits. What passes to the
// handlers behind it are data messages, and a CloseEvent at the end.
//
// Any CloseDrain, such as ctx.Close, sends a Close frame first and waits for the peer's; inbound messages are dropped
// meanwhile. CloseWrite sends it and goes on delivering what the peer sends. To close with another code write a *Close,
// which does the same. The others close without a handshake. The Close frame says CodeNormal, CodeGoingAway when the
// server stops, CodeInternal when an error closes the channel.
//
// The server then closes the TCP connection, the client waits for that. RFC 6455, 5.5 and 7.
type Session struct {
	pipeline.Unshared
	// Client: this end is the client.
	Client bool
	// CloseWithin is how long the peer may take to answer our Close frame once that is sent, and a server to close the
	// TCP connection. 0 = 5 s.
	CloseWithin time.Duration
	// Idle is how long the peer may be silent: no octet, though we read. Then the connection is given up. 0 = 60 s.
	Idle time.Duration
	// PingAfter is the silence after which a Ping asks whether the peer is there. 0 = half of Idle. Negative: no Ping is
	// sent, and who has nothing to say is given up.
	PingAfter time.Duration
	// MaxControl is how many Pings and Pongs the peer may send in 10 s. 0 = 1,000; beyond: 1008.
	MaxControl int
	// Encoder is the one in front. It is told of writes that were refused behind it, and when nothing was compressed for a
	// while (half of Idle, up to all of it) it is made to forget what messages could refer to. nil = nobody does.
	Encoder *Encoder

	ctx     *pipeline.Context
	closing closing
	life    life
	beats   beats
}

var (
	_ pipeline.AddedHandler        = (*Session)(nil)
	_ pipeline.ActiveHandler       = (*Session)(nil)
	_ pipeline.ReadHandler         = (*Session)(nil)
	_ pipeline.ReadCompleteHandler = (*Session)(nil)
	_ pipeline.ReadClosedHandler   = (*Session)(nil)
	_ pipeline.WriteHandler        = (*Session)(nil)
	_ pipeline.WritabilityHandler  = (*Session)(nil)
	_ pipeline.CloseHandler        = (*Session)(nil)
	_ pipeline.ErrorHandler        = (*Session)(nil)
	_ pipeline.EventHandler        = (*Session)(nil)
	_ pipeline.InactiveHandler     = (*Session)(nil)
	_ pipeline.RemovedHandler      = (*Session)(nil)
)

// HandleAdded starts watching the peer if the channel is active already.
func (s *Session) HandleAdded(ctx *pipeline.Context) error {
	s.ctx = ctx
	s.closing, s.life, s.beats = closing{}, life{}, beats{}
	if ctx.Channel().Active() {
		s.watch()
	}
	return nil
}

// HandleActive starts watching the peer.
func (s *Session) HandleActive(ctx *pipeline.Context) error {
	s.watch()
	ctx.FireActive()
	return nil
}

// HandleRead passes data on and deals with control frames.
func (s *Session) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Message:
		if s.closing.dropping {
			m.Release()
			return nil
		}
	case *Piece:
		if s.closing.dropping {
			m.Release()
			return nil
		}
	case *Ping:
		s.ping(m)
		return nil
	case *Pong:
		m.Release()
		s.count()
		return nil
	case *Close:
		s.peerCloses(m)
		return nil
	}
	ctx.FireRead(msg)
	return nil
}

// HandleReadComplete notes the sign of life and answers the last ping of a flood.
func (s *Session) HandleReadComplete(ctx *pipeline.Context) error {
	s.alive()
	s.beats.inBatch = 0
	s.pong()
	ctx.FireReadComplete()
	return nil
}

// HandleWritability answers a ping that had to wait.
func (s *Session) HandleWritability(ctx *pipeline.Context) error {
	s.pong()
	ctx.FireWritability()
	return nil
}

// HandleWrite passes messages on, until a Close frame is sent: then they fail with ErrCloseSent. Bytes are refused with
// ErrRawBytes. With takeover no message can be cancelled, and without it no Piece.
func (s *Session) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	switch m := msg.(type) {
	case *Message, *Prepared, *Piece, *Ping, *Pong:
		if s.closing.sent {
			ctx.Release(msg)
			return ErrCloseSent
		}
		return s.write(msg, p)
	case *Close:
		return s.writeClose(m, p)
	case *buffer.Buffer, *buffer.Composite, *pipeline.FileRegion:
		ctx.Release(msg)
		return ErrRawBytes
	}
	return ctx.Forward(msg, p)
}

// write passes a message on and tells the encoder when it was refused. What the peer can't do without goes under a promise
// of its own: cancelling it would break what follows.
func (s *Session) write(msg any, p *pipeline.Promise) error {
	e := s.Encoder
	if e == nil || !e.depends(msg) {
		return s.ctx.Forward(msg, p)
	}
	wrote := e.wrote
	if p == nil {
		err := s.ctx.Forward(msg, nil)
		if err != nil && e.wrote != wrote {
			e.Undo()
		}
		return err
	}
	shield := pipeline.Combine(p)
	part := shield.Part()
	if err := s.ctx.Forward(msg, part); err != nil {
		if e.wrote != wrote {
			e.Undo()
		}
		part.Fail(err)
	}
	shield.Done()
	return nil
}

// HandleEvent notes that the server stops, and passes on.
func (s *Session) HandleEvent(ctx *pipeline.Context, event any) error {
	if _, ok := event.(pipeline.ShutdownEvent); ok {
		s.closing.goingAway = true
	}
	ctx.FireEvent(event)
	return nil
}
