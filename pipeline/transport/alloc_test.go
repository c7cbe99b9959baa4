//go:build !race && !edge && !bufdebug

package transport

import (
	"io"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

func TestEchoDoesNotAllocate(t *testing.T) {
	for name, size := range map[string]int{"small": 64, "large": 32 << 10} {
		t.Run(name, func(t *testing.T) {
			s := &Server{Loops: 1, Init: echoInit}
			serve(t, s)
			c := connectTo(t, s, 0)
			out, back := fill(size), make([]byte, size)
			trip := func() {
				if _, err := c.Write(out); err != nil {
					t.Error(err)
				}
				if _, err := io.ReadFull(c, back); err != nil {
					t.Error(err)
				}
			}
			for range 100 { // buffers find their size
				trip()
			}
			require.LessOrEqual(t, testing.AllocsPerRun(500, trip), 0.0)
		})
	}
}

func TestManyPiecesInOneWriteDoNotAllocate(t *testing.T) {
	const pieces = 40
	s := &Server{Loops: 1, Init: with(pipeline.OnLend(func(ctx *pipeline.Context, _ *buffer.Buffer) error {
		for range pieces {
			b := ctx.Alloc(1000) // too large to be joined with its neighbours
			b.Commit(copy(b.Reserve(1000), "piece"))
			if err := ctx.Write(b); err != nil {
				return err
			}
		}
		return nil
	}))}
	serve(t, s)
	c := connectTo(t, s, 0)
	ask, back := []byte{1}, make([]byte, pieces*5)
	trip := func() {
		if _, err := c.Write(ask); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadFull(c, back); err != nil {
			t.Error(err)
		}
	}
	for range 100 {
		trip()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(500, trip), 0.0)
}
