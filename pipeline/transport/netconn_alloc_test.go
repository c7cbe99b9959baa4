//go:build !race && !bufdebug

package transport

import (
	"io"
	"net"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

func TestNetConnEchoesWithoutAllocating(t *testing.T) {
	ours, theirs := net.Pipe()
	over(t, ours, pipeline.Options{}, pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
		return ctx.Write(b)
	}))
	p := fill(500)
	echo := func() {
		_, _ = theirs.Write(p)
		_, _ = io.ReadFull(theirs, p)
	}
	echo()
	require.Zero(t, testing.AllocsPerRun(500, echo))
	require.Equal(t, fill(500), p)
}
