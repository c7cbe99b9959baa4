package handlers_test

import (
	"errors"
	"testing"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/stretchr/testify/require"
)

// writeAndFlush answers each message with one byte, flushed.
func writeAndFlush() pipeline.Handler {
	return pipeline.OnRead(func(ctx *pipeline.Context, _ *int) error {
		out := ctx.Alloc(1)
		out.AppendByte('x')
		err := ctx.Write(out)
		ctx.Flush()
		return err
	})
}

func consolidated(t *testing.T, more ...pipeline.Handler) *pipelinetest.Channel {
	t.Helper()
	cfg := pipelinetest.Config{Config: embedded.Config{Options: pipeline.Options{ManualFlush: true}}}
	return pipelinetest.NewConfig(t, cfg, append([]pipeline.Handler{pipeline.Named("fc", &handlers.FlushConsolidation{})}, more...)...)
}

func batch(n int) []any {
	msgs := make([]any, n)
	for i := range msgs {
		msgs[i] = new(int)
	}
	return msgs
}

func TestCore30FlushesOfOneBatchBecomeOne(t *testing.T) {
	t.Run("ten messages, one system call", func(t *testing.T) {
		ch := consolidated(t, writeAndFlush())
		ch.WriteInbound(batch(10)...)
		require.Equal(t, 1, ch.Socket.Writevs())
		require.Equal(t, 10, ch.Socket.Written())
	})
	t.Run("outside a batch at once", func(t *testing.T) {
		ch := consolidated(t)
		for i := range 3 {
			ch.WriteOutbound(buffer.FromString("y"))
			require.Equal(t, i+1, ch.Socket.Writevs())
		}
	})
	t.Run("the 256th goes through", func(t *testing.T) {
		ch := consolidated(t, writeAndFlush())
		ch.WriteInbound(batch(300)...)
		require.Equal(t, 2, ch.Socket.Writevs())
		require.Equal(t, 300, ch.Socket.Written())
	})
}

func TestFlushConsolidationFlushesBeforeWhatEndsTheBatch(t *testing.T) {
	failing := func(do func(ctx *pipeline.Context) error) pipeline.Handler {
		return pipeline.OnRead(func(ctx *pipeline.Context, _ *int) error {
			out := ctx.Alloc(1)
			out.AppendByte('x')
			if err := ctx.Write(out); err != nil {
				return err
			}
			ctx.Flush()
			return do(ctx)
		})
	}
	t.Run("an error", func(t *testing.T) {
		cause := errors.New("bad")
		fc := &handlers.FlushConsolidation{}
		cfg := pipelinetest.Config{Config: embedded.Config{Options: pipeline.Options{ManualFlush: true}}}
		ch := pipelinetest.NewConfig(t, cfg, failing(func(*pipeline.Context) error { return cause }), fc)
		ch.WriteInbound(new(int))
		ch.ExpectError(cause)
		require.Equal(t, 1, ch.Socket.Written())
	})
	t.Run("a close", func(t *testing.T) {
		ch := consolidated(t, failing(func(ctx *pipeline.Context) error {
			ctx.CloseWith(pipeline.CloseNow, nil)
			return nil
		}))
		ch.WriteInbound(new(int))
		require.Equal(t, 1, ch.Socket.Written())
	})
	t.Run("its removal", func(t *testing.T) {
		ch := consolidated(t, failing(func(ctx *pipeline.Context) error { return ctx.Pipeline().Remove("fc") }))
		ch.WriteInbound(new(int))
		require.Equal(t, 1, ch.Socket.Written())
	})
	t.Run("a full queue", func(t *testing.T) {
		ch := consolidated(t, pipeline.OnRead(func(ctx *pipeline.Context, _ *int) error {
			ctx.Flush() // pending, and then the write passes the high watermark
			out := ctx.Alloc(pipeline.DefaultWriteHigh + 1)
			out.Append(make([]byte, pipeline.DefaultWriteHigh+1))
			if err := ctx.Write(out); err != nil {
				return err
			}
			require.Equal(t, pipeline.DefaultWriteHigh+1, sent(ctx))
			return nil
		}))
		ch.WriteInbound(new(int))
	})
}

// sent is how many bytes the channel has written.
func sent(ctx *pipeline.Context) int { return int(ctx.Channel().BytesWritten()) }
