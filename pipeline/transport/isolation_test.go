package transport

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// bomb fails in one callback, in its own way.
type bomb struct {
	event string
	fail  func()
	pipeline.Unshared
}

func (b *bomb) at(event string) error {
	if b.event == event {
		b.fail()
	}
	return nil
}

func (b *bomb) HandleAdded(*pipeline.Context) error  { return b.at("added") }
func (b *bomb) HandleActive(*pipeline.Context) error { return b.at("active") }

func (b *bomb) HandleRead(ctx *pipeline.Context, msg any) error {
	defer ctx.Release(msg) // also when the callback does not return
	if b.event == "error" {
		return errors.New("to be handled")
	}
	switch b.event {
	case "timer":
		ctx.After(0, b.fail)
	case "task":
		return ctx.Channel().Post(b.fail)
	case "promise":
		p := ctx.NewPromise()
		p.OnDone(func(error) { b.fail() })
		ctx.WriteWith(buffer.FromString("x"), p)
	case "event":
		ctx.Pipeline().FireEvent(struct{}{})
	case "close", "inactive", "removed":
		ctx.Pipeline().Close(pipeline.CloseNow, nil)
	case "write", "flush":
		return ctx.Pipeline().Write(buffer.FromString("x"))
	}
	return b.at("read")
}

func (b *bomb) HandleReadComplete(*pipeline.Context) error { return b.at("read complete") }
func (b *bomb) HandleEvent(*pipeline.Context, any) error   { return b.at("event") }
func (b *bomb) HandleInactive(*pipeline.Context) error     { return b.at("inactive") }
func (b *bomb) HandleRemoved(*pipeline.Context) error      { return b.at("removed") }
func (b *bomb) HandleReadClosed(*pipeline.Context) error   { return b.at("read closed") }
func (b *bomb) HandleError(*pipeline.Context, error) error { return b.at("error") }
func (b *bomb) HandleFlush(ctx *pipeline.Context) error    { ctx.Flush(); return b.at("flush") }

func (b *bomb) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if b.event == "write" {
		ctx.Release(msg)
	}
	_ = b.at("write")
	return ctx.Forward(msg, p)
}

func (b *bomb) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	_ = b.at("close")
	return ctx.ForwardClose(how, p)
}

func TestFailingCallbackClosesOnlyItsConnection(t *testing.T) {
	ways := map[string]func(){
		"panics":             func() { panic(errors.New("bang")) },
		"dereferences nil":   func() { var p *net.TCPAddr; _ = p.Port },
		"ends the goroutine": runtime.Goexit,
	}
	for _, event := range []string{
		"init", "added", "active", "read", "read complete", "read closed", "write", "flush", "close", "event", "error",
		"inactive", "removed", "timer", "task", "promise",
	} {
		for way, fail := range ways {
			t.Run(event+" "+way, func(t *testing.T) { explode(t, event, fail) })
		}
	}
}

func explode(t *testing.T, event string, fail func()) {
	t.Helper()
	armed := false
	log := slog.New(slog.DiscardHandler)
	s := &Server{Loops: 1, Logger: log, Init: func(ch *pipeline.Channel) error {
		if !armed {
			return echoInit(ch)
		}
		if event == "init" {
			fail()
		}
		return ch.Pipeline().AddLast(&bomb{event: event, fail: fail})
	}}
	serve(t, s)
	var neighbours []net.Conn
	for range 3 {
		c := connectTo(t, s, 0)
		roundTrip(t, c, "before")
		neighbours = append(neighbours, c)
	}
	loop := s.Channels().Channels()[0].Loop()
	onLoop(t, s.Channels().Channels()[0], func() { armed = true })
	victim := connectTo(t, s, 0)
	_, _ = io.WriteString(victim, "boom") // it may be closed already
	for i, c := range neighbours {
		_, err := io.WriteString(c, "during")
		require.NoError(t, err, "neighbour %d", i)
	}
	if event == "read closed" {
		require.NoError(t, victim.(*net.TCPConn).CloseWrite())
	}
	_, err := io.ReadAll(victim)
	if err != nil {
		require.ErrorContains(t, err, "reset")
	}
	for _, c := range neighbours {
		back := make([]byte, len("during"))
		_, err := io.ReadFull(c, back)
		require.NoError(t, err)
		roundTrip(t, c, "after")
	}
	eventually(t, "the victim is gone", func() bool { return s.Stats().Open == 3 && s.Channels().Len() == 3 })
	require.Equal(t, int64(1), loop.Stats().Panics)
	onLoop(t, s.Channels().Channels()[0], func() { armed = false })
	roundTrip(t, connectTo(t, s, 0), "new")
	eventually(t, "all buffers are back", func() bool { return loop.Pool().Live() == 0 })
}

func TestGoexitStormLosesNothing(t *testing.T) {
	s := &Server{Loops: 1, Options: pipeline.Options{Logger: slog.New(slog.DiscardHandler)}, Init: with(
		pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
			if b.Bytes()[0] == '!' {
				ctx.Release(b)
				runtime.Goexit()
			}
			return ctx.Write(b)
		}),
	)}
	serve(t, s)
	stop := make(chan struct{})
	storm := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				storm <- n
				return
			default:
			}
			c, err := net.Dial("tcp", s.Addrs()[0].String())
			if err != nil {
				continue
			}
			_, _ = io.WriteString(c, "!")
			_, _ = io.ReadAll(c) // until it is closed
			_ = c.Close()
			n++
		}
	}()
	good := connectTo(t, s, 0)
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		roundTrip(t, good, "hello")
	}
	close(stop)
	n := receive(t, storm)
	require.Positive(t, n)
	eventually(t, "all are counted", func() bool { return s.Stats().Loops.Panics == int64(n) })
}
