package handlers_test

import (
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// events records user events with the virtual time they came at, in seconds.
type events struct {
	start time.Time
	got   []any
	at    []int
}

func (e *events) HandleActive(ctx *pipeline.Context) error {
	e.start = ctx.Loop().Now()
	ctx.FireActive()
	return nil
}

func (e *events) HandleEvent(ctx *pipeline.Context, event any) error {
	e.got = append(e.got, event)
	e.at = append(e.at, int(ctx.Loop().Now().Sub(e.start)/time.Second))
	return nil
}

// completes counts read completes.
type completes struct{ n int }

func (c *completes) HandleReadComplete(ctx *pipeline.Context) error {
	c.n++
	ctx.FireReadComplete()
	return nil
}
