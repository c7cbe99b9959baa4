package server

import (
	"errors"
	"net"
	"reflect"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// Session is the server's side of one STOMP connection, behind the codec. It answers CONNECT or STOMP,
// then SEND, SUBSCRIBE (ack mode auto), UNSUBSCRIBE and DISCONNECT, with receipts. What it does not know
// or may not do is answered by ERROR, and the connection closes. STOMP 1.2, "Client Frames".
type Session struct {
	pipeline.Unshared
	cfg       Config
	state     *stomp.State
	connected bool
	subs      map[string]*subscription // by key, see subscribe
	resume    *pipeline.Timer          // ends a pause of reading
}

func newSession(cfg Config, state *stomp.State) *Session {
	if cfg.Topics == nil {
		cfg.Topics = &Topics{}
	}
	if cfg.Name == "" {
		cfg.Name = DefaultName
	}
	if cfg.MaxSubscriptions <= 0 {
		cfg.MaxSubscriptions = DefaultMaxSubscriptions
	}
	return &Session{cfg: cfg, state: state}
}

var (
	_ pipeline.AddedHandler   = (*Session)(nil)
	_ pipeline.ReadHandler    = (*Session)(nil)
	_ pipeline.ErrorHandler   = (*Session)(nil)
	_ pipeline.RemovedHandler = (*Session)(nil)
)

// HandleAdded starts the deadline for CONNECT, unless an earlier one runs.
func (s *Session) HandleAdded(ctx *pipeline.Context) error {
	handlers.ExpectReady(ctx.Channel(), 0)
	return nil
}

// HandleRead takes frames and passes everything else.
func (s *Session) HandleRead(ctx *pipeline.Context, msg any) error {
	f, ok := msg.(*stomp.Frame)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	defer f.Release()
	handshake := f.Command == stomp.CommandConnect || f.Command == stomp.CommandStomp
	switch {
	case handshake && !s.connected:
		return s.connect(ctx, f)
	case handshake:
		return s.refuse(ctx, f, "already connected")
	case !s.connected:
		return s.refuse(ctx, f, "not connected: the first frame must be CONNECT or STOMP")
	}
	return s.command(ctx, f)
}

func (s *Session) command(ctx *pipeline.Context, f *stomp.Frame) error {
	problem := ""
	switch f.Command {
	case stomp.CommandSend:
		problem = s.send(ctx, f)
	case stomp.CommandSubscribe:
		problem = s.subscribe(ctx, f)
	case stomp.CommandUnsubscribe:
		problem = s.unsubscribe(f)
	case stomp.CommandDisconnect:
		if err := s.receipt(ctx, f); err != nil {
			return err
		}
		ctx.Close()
		return nil
	default:
		problem = string(f.Command) + " is not supported"
	}
	if problem != "" {
		return s.refuse(ctx, f, problem)
	}
	return s.receipt(ctx, f)
}

// connect agrees on a version. STOMP 1.2, "Connecting" and "Protocol Negotiation".
func (s *Session) connect(ctx *pipeline.Context, f *stomp.Frame) error {
	version := stomp.Version10
	if accept, ok := f.Headers.Lookup("accept-version"); ok {
		version = stomp.HighestVersion(accept)
	}
	if version == stomp.VersionUnknown {
		return s.refuse(ctx, f, "supported versions are 1.0, 1.1, 1.2", "version", "1.0,1.1,1.2")
	}
	if _, err := stomp.ParseHeartBeat(f.Headers.Get("heart-beat")); err != nil && f.Headers.Get("heart-beat") != "" {
		return s.refuse(ctx, f, "heart-beat is not two numbers")
	}
	s.connected = true
	handlers.Ready(ctx.Channel())
	answer := stomp.NewFrame(stomp.CommandConnected,
		"version", version.String(), "server", s.cfg.Name, "session", ctx.Channel().ID(), "heart-beat", "0,0")
	return ctx.Write(answer)
}

// receipt answers a frame that asked for it, after it was processed. STOMP 1.2, "RECEIPT".
func (s *Session) receipt(ctx *pipeline.Context, f *stomp.Frame) error {
	id, asked := f.Headers.Lookup("receipt")
	if !asked {
		return nil
	}
	return ctx.Write(stomp.NewFrame(stomp.CommandReceipt, "receipt-id", id))
}

// refuse answers by ERROR and closes. STOMP 1.2, "ERROR".
func (s *Session) refuse(ctx *pipeline.Context, f *stomp.Frame, problem string, headers ...string) error {
	e := stomp.NewFrame(stomp.CommandError, append([]string{"message", problem}, headers...)...)
	if f != nil {
		if id, asked := f.Headers.Lookup("receipt"); asked {
			e.Headers.Add("receipt-id", id)
		}
	}
	e.Headers.Add("content-type", "text/plain")
	e.Body.AppendString(problem + "\n")
	err := ctx.Write(e)
	ctx.Close()
	return err
}

// refuseBad answers a frame that can't be decoded.
func (s *Session) refuseBad(ctx *pipeline.Context, bad *stomp.Error) error {
	if bad.Receipt == "" {
		return s.refuse(ctx, nil, bad.Error())
	}
	return s.refuse(ctx, nil, bad.Error(), "receipt-id", bad.Receipt)
}

// HandleError answers frames that can't be decoded and deadlines that have passed.
func (s *Session) HandleError(ctx *pipeline.Context, err error) error {
	var bad *stomp.Error
	var late *handlers.TimeoutError
	if !ctx.Channel().IsOpen() || errors.Is(err, net.ErrClosed) {
		return err
	}
	switch {
	case errors.As(err, &bad):
		return s.refuseBad(ctx, bad)
	case errors.As(err, &late):
		return s.refuse(ctx, nil, "no CONNECT in time")
	}
	return err
}

// HandleRemoved ends all subscriptions.
func (s *Session) HandleRemoved(*pipeline.Context) error {
	for _, sub := range s.subs {
		s.cfg.Topics.remove(sub)
	}
	s.subs = nil
	s.resume.Stop()
	return nil
}

// Flow says that the session takes and sends frames.
func (s *Session) Flow() pipeline.Flow {
	frame := []reflect.Type{reflect.TypeFor[*stomp.Frame]()}
	return pipeline.Flow{Reads: frame, Sends: frame}
}

// String names the session in Pipeline.String.
func (s *Session) String() string { return "stomp/server.Session" }
