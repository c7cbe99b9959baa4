package server

import "github.com/penstock-go/penstock/pipeline"

// meter counts what STOMP itself reads and writes on connections where another protocol has octets of its own, such as the
// pings of WebSocket: those say nothing about the heart-beats of the layer above. It stands in front of the codec.
type meter struct {
	pipeline.Unshared
	read, written uint64 // messages with octets
}

var (
	_ pipeline.ReadHandler  = (*meter)(nil)
	_ pipeline.WriteHandler = (*meter)(nil)
)

// HandleRead counts and passes on.
func (m *meter) HandleRead(ctx *pipeline.Context, msg any) error {
	m.read++
	ctx.FireRead(msg)
	return nil
}

// HandleWrite counts and passes on.
func (m *meter) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	m.written++
	return ctx.Forward(msg, p)
}

// String names the meter in Pipeline.String.
func (m *meter) String() string { return "stomp/server.meter" }

// received is a counter that changes with each sign of life of the client.
func (s *Session) received() uint64 {
	if s.meter != nil {
		return s.meter.read
	}
	return s.ctx.Channel().BytesRead()
}

// sent is a counter that changes with each sign of life for the client.
func (s *Session) sent() uint64 {
	if s.meter != nil {
		return s.meter.written
	}
	return s.ctx.Channel().BytesWritten()
}
