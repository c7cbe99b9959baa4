package server_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

// peers are clients of sessions that share a broker, by the names of their connections.
type peers struct {
	t      *testing.T
	broker broker.Broker
	cfg    server.Config
	conns  map[string]*pipelinetest.Channel
	in     map[string]*stomp.Decoder
	frames map[string][]*stomp.Frame // received and not yet taken
}

func newPeers(t *testing.T) *peers {
	t.Helper()
	p := &peers{
		t: t, conns: make(map[string]*pipelinetest.Channel), in: make(map[string]*stomp.Decoder),
		frames: make(map[string][]*stomp.Frame),
	}
	p.cfg.Broker = &p.broker
	t.Cleanup(p.broker.Close)
	return p
}

// installer stands for whoever installs the protocol.
type installer struct{ cfg server.Config }

func (i *installer) HandleAdded(ctx *pipeline.Context) error { return server.Install(ctx, i.cfg) }

// conn is the server's end of a connection, which is made by its first use.
func (p *peers) conn(name string) *pipelinetest.Channel {
	p.t.Helper()
	if p.conns[name] == nil {
		p.conns[name] = pipelinetest.New(p.t, &installer{p.cfg})
		p.in[name] = &stomp.Decoder{State: &stomp.State{}}
	}
	return p.conns[name]
}

// session is the server's session of a connection.
func (p *peers) session(name string) *server.Session {
	s, _ := pipeline.Find[*server.Session](p.conn(name).Pipeline())
	require.NotNil(p.t, s)
	return s
}

// send lets a client send, and everybody receive what comes of it.
func (p *peers) send(conn, text string) {
	p.t.Helper()
	if !p.conn(conn).Channel().Closed() { // as a peer that finds its connection closed
		p.conn(conn).FeedWhole(text)
	}
	p.pump()
}

// frame is send for a frame of these lines and that body.
func (p *peers) frame(conn, head, body string) {
	p.t.Helper()
	p.send(conn, strings.Join(strings.Fields(head), "\n")+"\n\n"+body+"\x00")
}

// pump runs all connections until nothing more comes.
func (p *peers) pump() {
	p.t.Helper()
	for more := true; more; {
		more = false
		for name, ch := range p.conns {
			ch.RunPending()
			wire := ch.Wire()
			more = more || wire != ""
			p.receive(name, wire)
		}
		for _, ch := range p.conns {
			more = more || ch.PendingTasks() > 0
		}
	}
}

// receive decodes what the server sent, as a client would.
func (p *peers) receive(conn, wire string) {
	p.t.Helper()
	in := buffer.FromString(wire)
	defer in.Release()
	for {
		m, ok, err := p.in[conn].Decode(in)
		require.NoError(p.t, err)
		if !ok {
			require.Zero(p.t, in.Len(), "an unfinished frame")
			return
		}
		f, isFrame := m.(*stomp.Frame)
		require.True(p.t, isFrame)
		p.frames[conn] = append(p.frames[conn], f)
		p.t.Cleanup(f.Release)
	}
}

// connect opens a session and takes its CONNECTED.
func (p *peers) connect(conn, version string) {
	p.t.Helper()
	p.send(conn, "CONNECT\naccept-version:"+version+"\nhost:h\n\n\x00")
	require.Equal(p.t, stomp.CommandConnected, p.take(conn).Command)
}

// take takes the oldest frame that a client has received.
func (p *peers) take(conn string) *stomp.Frame {
	p.t.Helper()
	require.NotEmpty(p.t, p.frames[conn], "%s received nothing", conn)
	f := p.frames[conn][0]
	p.frames[conn] = p.frames[conn][1:]
	return f
}

// got takes all that a client has received, as texts: command, the values of some headers, body.
func (p *peers) got(conn string) []string {
	var list []string
	for _, f := range p.frames[conn] {
		text := string(f.Command)
		for _, name := range []string{"receipt-id", "subscription", "message"} {
			if v, ok := f.Headers.Lookup(name); ok {
				text += " " + v
			}
		}
		if f.Headers.Get("redelivered") == "true" {
			text += " again"
		}
		if f.Command == stomp.CommandMessage {
			text += " " + f.Body.String()
		}
		list = append(list, text)
	}
	p.frames[conn] = nil
	return list
}

// refused takes what a client received, which ends in an ERROR with this text, and the connection is closed.
func (p *peers) refused(conn, problem string) *stomp.Frame {
	p.t.Helper()
	frames := p.frames[conn]
	require.NotEmpty(p.t, frames, "no ERROR")
	f := frames[len(frames)-1]
	p.frames[conn] = nil
	require.Equal(p.t, stomp.CommandError, f.Command)
	require.Contains(p.t, f.Headers.Get("message"), problem)
	require.Contains(p.t, f.Body.String(), problem)
	require.Equal(p.t, "text/plain", f.Headers.Get("content-type"))
	require.True(p.t, p.closed(conn))
	return f
}

func (p *peers) closed(conn string) bool { return p.conn(conn).Channel().Closed() }

// advance lets time pass for one connection.
func (p *peers) advance(conn string, d time.Duration) {
	p.t.Helper()
	p.conn(conn).AdvanceTime(d)
	p.pump()
}

// reset lets a client's connection break.
func (p *peers) reset(conn string) {
	p.t.Helper()
	p.conn(conn).PeerReset()
	p.pump()
	require.True(p.t, p.closed(conn))
	if err := p.conn(conn).CheckErr(); err != nil { // one of the kind that a break causes
		require.ErrorIs(p.t, err, syscall.ECONNRESET)
	}
}

// publish is a message of somebody who is no session.
func (p *peers) publish(destination string, bodies ...string) *broker.Pause {
	p.t.Helper()
	var pause *broker.Pause
	for _, body := range bodies {
		m := broker.NewMessage(destination)
		m.AppendString(body)
		var err error
		pause, err = p.broker.Publish(m)
		require.NoError(p.t, err)
	}
	return pause
}
