package pipeline_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// What a hop costs is compared with the least that a chain of handlers which may fail can cost: a function that
// fires, an interface call, and a look at the error, over a plain linked list. Both run in turns, in one process.

const (
	inboundHops  = 6
	dispatchRuns = 11      // rounds; odd, so that there is a middle one
	dispatchMsgs = 200_000 // messages of one turn
)

// hop passes messages on; the last one counts them.
type hop struct {
	last bool
	n    int
}

func (h *hop) HandleRead(ctx *pipeline.Context, msg any) error {
	if h.last {
		h.n++
		return nil
	}
	ctx.FireRead(msg)
	return nil
}

// outboundOnly has no inbound method at all.
type outboundOnly struct{}

func (*outboundOnly) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	return ctx.Forward(msg, p)
}

// dispatchChain is six inbound handlers in turns with six outbound-only ones.
func dispatchChain() ([]pipeline.Handler, *hop) {
	var handlers []pipeline.Handler
	last := &hop{last: true}
	for range inboundHops - 1 {
		handlers = append(handlers, &hop{}, &outboundOnly{})
	}
	return append(handlers, last, &outboundOnly{}), last
}

// floorNode is a link of the plain list.
type floorNode struct {
	next *floorNode
	h    floorHandler
	errs []error
}

type floorHandler interface {
	HandleRead(n *floorNode, msg any) error
}

func (n *floorNode) fire(msg any) {
	next := n.next
	if err := next.h.HandleRead(next, msg); err != nil {
		next.fail(err)
	}
}

//go:noinline
func (n *floorNode) fail(err error) { n.errs = append(n.errs, err) }

type floorHop struct {
	last bool
	n    int
}

func (h *floorHop) HandleRead(n *floorNode, msg any) error {
	if h.last {
		h.n++
		return nil
	}
	n.fire(msg)
	return nil
}

func floorChain() (*floorNode, *floorHop) {
	last := &floorHop{last: true}
	list := &floorNode{h: last}
	for range inboundHops - 1 {
		list = &floorNode{next: list, h: &floorHop{}}
	}
	return &floorNode{next: list}, last
}

func TestTheFloorOfTheBenchmarkHandlesErrors(t *testing.T) {
	list := &floorNode{h: badFloor{}}
	(&floorNode{next: list}).fire(&message{})
	require.Len(t, list.errs, 1)
}

type badFloor struct{}

func (badFloor) HandleRead(*floorNode, any) error { return errors.New("bad") }

// BenchmarkDispatchAgainstFloor reports ours/floor, the ratio of times for the whole chain: the median, least and
// largest of the rounds.
func BenchmarkDispatchAgainstFloor(b *testing.B) {
	handlers, ours := dispatchChain()
	ch, err := embedded.New(embedded.Config{}, handlers...)
	require.NoError(b, err)
	list, floor := floorChain()
	m := &message{}
	runOurs := func() time.Duration {
		begin := time.Now()
		ch.Channel().Inject(func(p *pipeline.Pipeline) {
			for range dispatchMsgs {
				p.FireRead(m)
			}
		})
		return time.Since(begin)
	}
	runFloor := func() time.Duration {
		begin := time.Now()
		for range dispatchMsgs {
			list.fire(m)
		}
		return time.Since(begin)
	}
	var ratios []float64
	var ourTime, floorTime time.Duration
	b.ResetTimer()
	for b.Loop() {
		for round := range dispatchRuns {
			var o, f time.Duration
			if round%2 == 0 {
				o, f = runOurs(), runFloor()
			} else {
				f, o = runFloor(), runOurs()
			}
			ratios = append(ratios, float64(o)/float64(f))
			ourTime, floorTime = ourTime+o, floorTime+f
		}
	}
	messages := len(ratios) * dispatchMsgs
	require.Equal(b, messages, ours.n)
	require.Equal(b, messages, floor.n)
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ratios[len(ratios)/2], "ratio-median")
	b.ReportMetric(ratios[0], "ratio-min")
	b.ReportMetric(ratios[len(ratios)-1], "ratio-max")
	b.ReportMetric(float64(ourTime.Nanoseconds())/float64(messages), "ns/chain")
	b.ReportMetric(float64(floorTime.Nanoseconds())/float64(messages), "ns/floor")
	b.ReportMetric(float64(len(ratios)), "rounds")
	_, err = ch.Finish()
	require.NoError(b, err)
}
