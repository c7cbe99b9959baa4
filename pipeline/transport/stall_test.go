package transport

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// blocker blocks its loop until it is let go.
type blocker struct{ release chan struct{} }

func (b *blocker) HandleRead(ctx *pipeline.Context, msg any) error {
	b.wait()
	ctx.FireRead(msg)
	return nil
}

func (b *blocker) wait() { <-b.release }

func TestStallIsReportedWithItsHandlerAndOtherLoopsGoOn(t *testing.T) {
	b := &blocker{release: make(chan struct{})}
	stalls := make(chan Stall, 8)
	s := &Server{
		Loops: 2, StallAfter: 50 * time.Millisecond, OnStall: func(s Stall) { stalls <- s },
		Init: func(ch *pipeline.Channel) error {
			if ch.Loop().Name() == "server/0" {
				if err := ch.Pipeline().AddLast(b); err != nil {
					return err
				}
			}
			return echoInit(ch)
		},
	}
	serve(t, s)
	blocked, free := connectTo(t, s, 0), connectTo(t, s, 0)
	eventually(t, "both are there", func() bool { return s.Channels().Len() == 2 })
	start := time.Now()
	_, err := blocked.Write([]byte("x"))
	require.NoError(t, err)
	stall := receive(t, stalls)
	require.Less(t, time.Since(start), time.Second)
	require.Equal(t, "server/0", stall.Loop)
	require.GreaterOrEqual(t, stall.Blocked, 50*time.Millisecond)
	require.Equal(t, "transport.(*blocker).HandleRead", stall.Handler)
	require.Contains(t, stall.Stack, "(*blocker).wait")
	require.NotContains(t, stall.Stack, "\n\ngoroutine")
	roundTrip(t, free, "unaffected")
	close(b.release)
	_, err = blocked.Read(make([]byte, 1))
	require.NoError(t, err)
	require.Empty(t, stalls, "it is reported once")
	require.Equal(t, int64(1), s.Stats().Stalls)
}

func TestStallIsLoggedByDefault(t *testing.T) {
	b := &blocker{release: make(chan struct{})}
	var out lockedBuffer
	s := &Server{StallAfter: 10 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&out, nil)), Init: with(b)}
	serve(t, s)
	_, err := connectTo(t, s, 0).Write([]byte("x"))
	require.NoError(t, err)
	eventually(t, "it is logged", func() bool { return s.Stats().Stalls == 1 && out.contains("event loop blocked") })
	close(b.release)
}

func TestCalledByPipelineFindsTheFunction(t *testing.T) {
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	loop.Bind()
	ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: nowhere{}})
	var stack string
	look := func() { stack = stackOf(loop.Goroutine()) }
	ch.Open(with(pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error {
		look()
		return nil
	})))
	ch.Pipeline().FireRead(buffer.FromString("x"))
	require.Equal(t, "transport.TestCalledByPipelineFindsTheFunction.func2", calledByPipeline(stack))
	require.NoError(t, loop.Post(look))
	loop.RunPending()
	require.Equal(t, "transport.TestCalledByPipelineFindsTheFunction.func1", calledByPipeline(stack))
	require.Empty(t, calledByPipeline("goroutine 1 [running]:\nmain.main()\n\t/x.go:1 +0x1"))
	require.Empty(t, stackOf(-1))
	loop.Close()
}

// lockedBuffer is a bytes.Buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) contains(s string) bool { return l.count(s) > 0 }

func (l *lockedBuffer) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.b.Bytes(), []byte(s))
}

// nowhere is a socket that nothing comes from.
type nowhere struct{}

func (nowhere) Read([]byte) (int, error)     { return 0, pipeline.ErrWouldBlock }
func (nowhere) Writev([][]byte) (int, error) { return 0, pipeline.ErrWouldBlock }
func (nowhere) SetInterest(_, _ bool) error  { return nil }
func (nowhere) CloseWrite() error            { return nil }
func (nowhere) Close(bool) error             { return nil }
