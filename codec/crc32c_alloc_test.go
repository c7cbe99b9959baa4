//go:build !race && !bufdebug

package codec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestCRC32CAllocatesNothing(t *testing.T) {
	back := pipeline.OnRead(func(ctx *pipeline.Context, msg any) error { return ctx.Write(msg) })
	drop := pipeline.OnWrite(func(ctx *pipeline.Context, msg any, _ *pipeline.Promise) error {
		ctx.Release(msg)
		return nil
	})
	ch := pipelinetest.New(t, drop, &CRC32C{}, back)
	payload := make([]byte, 5000)
	for name, n := range map[string]int{"small frame": 100, "large frame": len(payload) - crcBytes} {
		frame := buffer.FromBytes(payload[:n])
		wire := taken(t, (&CRC32C{}).end(ch.Pipeline().ContextOf(drop), frame))
		fire := func(p *pipeline.Pipeline) {
			b := ch.Loop().Pool().Get(len(wire))
			b.AppendString(wire)
			p.FireRead(b)
		}
		require.Zero(t, testing.AllocsPerRun(100, func() { ch.Channel().Inject(fire) }), name)
	}
}
