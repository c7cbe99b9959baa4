package websocket

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Stream is the last WebSocket handler of a connection that carries another protocol: for the handlers behind it the
// connection is a stream of bytes. What data messages carry goes on as *buffer.Buffer as it arrives; each outbound
// *buffer.Buffer or *buffer.Composite becomes one message; the peer's Close frame becomes HandleReadClosed, behind a
// CloseEvent. A *Message passes unchanged, so a handler that knows may choose the type of each. In front of it the
// Decoder should stream; whole messages are copied.
type Stream struct {
	pipeline.Unshared
	// Text makes text messages of outbound bytes, which must be whole UTF-8 then. false: binary.
	Text bool
	// Install adds the protocol's handlers right behind ctx (ctx.AddAfter), which is a place behind the Stream, when that
	// is added. An error closes the channel. nil = they are there already.
	Install func(ctx *pipeline.Context) error

	ended bool // HandleReadClosed was passed on
}

var (
	_ pipeline.AddedHandler      = (*Stream)(nil)
	_ pipeline.ReadHandler       = (*Stream)(nil)
	_ pipeline.WriteHandler      = (*Stream)(nil)
	_ pipeline.EventHandler      = (*Stream)(nil)
	_ pipeline.ReadClosedHandler = (*Stream)(nil)
)

// HandleAdded installs the protocol.
func (s *Stream) HandleAdded(ctx *pipeline.Context) error {
	s.ended = false
	if s.Install == nil {
		return nil
	}
	return ctx.AddAfter(&berth{install: s.Install})
}

// berth is the place behind a Stream where a protocol is installed. It leaves when that is done.
type berth struct {
	install func(ctx *pipeline.Context) error
}

// HandleAdded installs the protocol and leaves.
func (b *berth) HandleAdded(ctx *pipeline.Context) error {
	if err := b.install(ctx); err != nil {
		return err
	}
	ctx.Remove()
	return nil
}

// HandleRead passes on what data messages carry.
func (s *Stream) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Piece:
		if b := m.take(); b != nil {
			ctx.FireRead(b)
		}
	case *Message:
		b := ctx.Alloc(m.Len())
		for i := range m.Parts() {
			b.Append(m.Part(i))
		}
		m.Release()
		ctx.FireRead(b)
	default:
		ctx.FireRead(msg)
	}
	return nil
}

// HandleWrite makes messages of bytes.
func (s *Stream) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	t := TypeBinary
	if s.Text {
		t = TypeText
	}
	switch b := msg.(type) {
	case *buffer.Buffer:
		m := NewMessage(t)
		m.AppendBuffer(b)
		return ctx.Forward(m, p)
	case *buffer.Composite:
		m := NewMessage(t)
		m.AppendComposite(b)
		return ctx.Forward(m, p)
	}
	return ctx.Forward(msg, p)
}

// HandleEvent passes on, and behind a CloseEvent the end of the peer's side.
func (s *Stream) HandleEvent(ctx *pipeline.Context, event any) error {
	_, closed := event.(CloseEvent)
	ctx.FireEvent(event)
	if closed {
		return s.HandleReadClosed(ctx)
	}
	return nil
}

// HandleReadClosed passes on once.
func (s *Stream) HandleReadClosed(ctx *pipeline.Context) error {
	if !s.ended {
		s.ended = true
		ctx.FireReadClosed()
	}
	return nil
}

// Flow says that messages become bytes and bytes messages.
func (s *Stream) Flow() pipeline.Flow {
	flat, rope, message := reflect.TypeFor[*buffer.Buffer](), reflect.TypeFor[*buffer.Composite](), reflect.TypeFor[*Message]()
	return pipeline.Flow{
		Reads:  []reflect.Type{reflect.TypeFor[*Piece](), message},
		Emits:  []reflect.Type{flat},
		Writes: []reflect.Type{flat, rope, message},
		Sends:  []reflect.Type{message},
	}
}
