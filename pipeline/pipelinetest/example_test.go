package pipelinetest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// errSlow closes a connection whose peer does not say its name in time.
var errSlow = errors.New("no name within ten seconds")

// greeter reads a name that ends with a dot, and greets.
type greeter struct {
	pipeline.Unshared
	name  []byte
	timer *pipeline.Timer
}

// HandleActive starts the time for the name.
func (g *greeter) HandleActive(ctx *pipeline.Context) error {
	g.timer = ctx.After(10*time.Second, func() { ctx.FireError(errSlow) })
	return nil
}

// HandleRead collects the name.
func (g *greeter) HandleRead(ctx *pipeline.Context, msg any) error {
	b, ok := msg.(*buffer.Buffer)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	g.name = append(g.name, b.Bytes()...)
	ctx.Release(b)
	if n := len(g.name); n == 0 || g.name[n-1] != '.' {
		return nil
	}
	g.timer.Stop()
	return ctx.Write(buffer.FromString("hello " + string(g.name[:len(g.name)-1])))
}

// HandleRemoved stops the time.
func (g *greeter) HandleRemoved(*pipeline.Context) error {
	g.timer.Stop()
	return nil
}

func TestGreeterGreets(t *testing.T) {
	ch := pipelinetest.New(t, &greeter{})
	ch.Feed("world.")
	require.Equal(t, "hello world", ch.Wire())
}

func TestGreeterWaitsTenSeconds(t *testing.T) {
	ch := pipelinetest.New(t, &greeter{})
	ch.Feed("wor")
	ch.AdvanceTime(9 * time.Second)
	require.True(t, ch.Channel().IsOpen())
	ch.AdvanceTime(time.Second)
	require.ErrorIs(t, ch.ExpectError(errSlow), errSlow)
	require.True(t, ch.Channel().Closed())
}

func ExampleNew() {
	var t *testing.T // of the test function that this stands in
	ch := pipelinetest.New(t, &greeter{})
	ch.Feed("world.")
	require.Equal(t, "hello world", ch.Wire())
	ch.AdvanceTime(time.Minute)
}
