package server

import (
	"errors"
	"net"
	"reflect"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// Session is the server's side of one STOMP connection, behind the codec. Config functions get it, and pipeline.Find
// finds it. STOMP 1.2, "Client Frames". Call its methods on the event loop only.
type Session struct {
	pipeline.Unshared
	cfg     *Config
	state   *stomp.State
	decoder *stomp.Decoder
	ctx     *pipeline.Context
	phase   phase
	holds   hold
	login   *Login // nil when it has been answered
	user    string
	host    string
	pulse   *pulse // nil when there are no heart-beats
	meter   *meter // nil when all octets of the channel are STOMP's
	answers answers
	pause   pause
	inbox   inbox
	writers writers
	subs    subscriptions
	txs     transactions
	temps   map[string]*broker.Temporary // by local name
	counts  counts
}

// phase is how far a session has come.
type phase uint8

const (
	phaseNew     phase = iota // waits for CONNECT
	phaseLogin                // waits for Authenticate
	phaseOpen                 // CONNECTED
	phaseLeaving              // nothing more is processed; what waits for Publish is still answered
	phaseGone                 // the last frame is written
)

var (
	_ pipeline.AddedHandler       = (*Session)(nil)
	_ pipeline.ReadHandler        = (*Session)(nil)
	_ pipeline.WritabilityHandler = (*Session)(nil)
	_ pipeline.EventHandler       = (*Session)(nil)
	_ pipeline.CloseHandler       = (*Session)(nil)
	_ pipeline.ErrorHandler       = (*Session)(nil)
	_ pipeline.RemovedHandler     = (*Session)(nil)
)

// HandleAdded starts the deadline for CONNECT, unless an earlier one runs.
func (s *Session) HandleAdded(ctx *pipeline.Context) error {
	s.ctx = ctx
	handlers.ExpectReady(ctx.Channel(), s.cfg.LoginWithin)
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
	if s.phase >= phaseLeaving {
		return nil // STOMP 1.2, "ERROR" and "DISCONNECT": nothing is processed after them
	}
	s.counts.frames++
	handshake := f.Command == stomp.CommandConnect || f.Command == stomp.CommandStomp
	switch {
	case handshake && s.phase == phaseNew:
		s.connect(f)
	case handshake:
		s.refuse(f, "already connected")
	case s.phase != phaseOpen:
		s.refuse(f, "not connected: the first frame must be CONNECT or STOMP")
	default:
		s.command(f)
	}
	return nil
}

// command does what f asks for. Every case answers f itself or returns what was wrong.
func (s *Session) command(f *stomp.Frame) {
	problem := ""
	switch f.Command {
	case stomp.CommandSend:
		problem = s.send(f)
	case stomp.CommandAck:
		problem = s.acknowledge(f, settleAccept)
	case stomp.CommandNack:
		problem = s.nack(f)
	case stomp.CommandSubscribe:
		problem = s.subscribe(f)
	case stomp.CommandUnsubscribe:
		problem = s.unsubscribe(f)
	case stomp.CommandBegin:
		problem = s.begin(f)
	case stomp.CommandCommit:
		problem = s.commit(f)
	case stomp.CommandAbort:
		problem = s.abort(f)
	case stomp.CommandDisconnect:
		s.disconnect(f)
	default:
		problem = string(f.Command) + " is not for servers"
	}
	if problem != "" {
		s.refuse(f, problem)
	}
}

// HandleWritability goes on with deliveries that the socket had stopped.
func (s *Session) HandleWritability(ctx *pipeline.Context) error {
	if ctx.Channel().Writable() {
		s.deliver()
	}
	ctx.FireWritability()
	return nil
}

// HandleError answers frames that can't be decoded and deadlines that have passed.
func (s *Session) HandleError(ctx *pipeline.Context, err error) error {
	var bad *stomp.Error
	var late *handlers.TimeoutError
	if !ctx.Channel().IsOpen() || errors.Is(err, net.ErrClosed) {
		return err
	}
	switch {
	case errors.As(err, &bad) && s.phase >= phaseLeaving:
		return nil // nothing is processed any more, so it does not matter what it was
	case errors.As(err, &bad):
		s.fail(bad.Receipt, bad.Receipt != "", bad.Error())
		return nil
	case errors.As(err, &late) && s.phase < phaseOpen:
		problem := "no CONNECT in time"
		if s.phase == phaseLogin {
			problem = "login was not decided in time"
		}
		s.fail("", false, problem)
		return nil
	}
	return err
}

// HandleRemoved ends everything: transactions are aborted, and what is unsettled goes back.
func (s *Session) HandleRemoved(*pipeline.Context) error {
	s.phase = phaseGone
	s.letGo(holdAll)
	s.pulse.stop()
	s.answers.drop()
	s.pause.cancel()
	s.txs.abortAll()
	for sub := range s.subs.all() {
		sub.close()
	}
	s.subs = subscriptions{}
	for _, t := range s.temps {
		t.Close()
	}
	s.temps = nil
	return nil
}

// Flow says that the session takes and sends frames.
func (s *Session) Flow() pipeline.Flow {
	frame := reflect.TypeFor[*stomp.Frame]()
	return pipeline.Flow{
		Reads: []reflect.Type{frame},
		Sends: []reflect.Type{frame, reflect.TypeFor[*stomp.Delivery](), reflect.TypeFor[*stomp.EOL]()},
	}
}

// String names the session in Pipeline.String.
func (s *Session) String() string { return "stomp/server.Session" }
