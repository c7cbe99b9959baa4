//go:build !race && !edge && !bufdebug

package transport

import (
	"encoding/binary"
	"io"
	"runtime"
	"testing"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// TestEchoThroughACodecAllocatesNothing counts what client, loop and watchdog together allocate in 100,000 echoes
// of frames over TCP.
func TestEchoThroughACodecAllocatesNothing(t *testing.T) {
	const echoes = 100_000
	s := &Server{Loops: 1, Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(codec.NewDecoder(&codec.LengthField{Strip: 4}), codec.NewEncoder(codec.LengthPrefix{}),
			pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
	}}
	serve(t, s)
	c := connectTo(t, s, 0)
	frame := append(binary.BigEndian.AppendUint32(nil, 60), make([]byte, 60)...)
	back := make([]byte, len(frame))
	run := func(n int) {
		for range n {
			if _, err := c.Write(frame); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(c, back); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run(echoes)
	runtime.ReadMemStats(&after)
	perEcho := float64(after.Mallocs-before.Mallocs) / echoes
	t.Logf("%.5f allocations per echo", perEcho)
	require.LessOrEqual(t, perEcho, 0.001)
}
