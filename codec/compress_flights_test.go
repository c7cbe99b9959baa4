package codec

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// passengers are flights whose promises note how they complete.
type passengers struct {
	flights
	ch    *pipelinetest.Channel
	ctx   *pipeline.Context
	notes []string
}

func newPassengers(t *testing.T) *passengers {
	t.Helper()
	h := pipelineErrors(func(error) {})
	ch := pipelinetest.New(t, pipeline.Named("here", h))
	return &passengers{ch: ch, ctx: ch.Pipeline().Get("here")}
}

// board adds promises with these names.
func (p *passengers) board(names ...string) {
	for _, name := range names {
		promise := p.ch.Promise()
		promise.OnDone(func(err error) { p.notes = append(p.notes, fmt.Sprintf("%s %v", name, err)) })
		p.flights.board(promise)
	}
}

func (p *passengers) take() []string {
	notes := p.notes
	p.notes = nil
	return notes
}

func TestFlightsCompleteTogetherInOrder(t *testing.T) {
	p := newPassengers(t)
	require.Nil(t, p.leave(p.ctx), "nobody wants to know")
	p.board("a", "b")
	first := p.leave(p.ctx)
	require.Nil(t, p.leave(p.ctx), "they have left")
	p.board("c")
	second := p.leave(p.ctx)
	p.board("d")
	require.Empty(t, p.take())
	first.Succeed()
	require.Equal(t, []string{"a <nil>", "b <nil>"}, p.take())
	second.Fail(errBad)
	require.Equal(t, []string{"c bad word"}, p.take())
	p.leave(p.ctx).Succeed()
	require.Equal(t, []string{"d <nil>"}, p.take())
	require.Empty(t, p.promises)
	require.Empty(t, p.sizes)
}

func TestFlightsWithoutPromisesNeedNone(t *testing.T) {
	p := newPassengers(t)
	p.flights.board(nil)
	require.Nil(t, p.leave(p.ctx))
}

func TestFlightsStrandThoseThatHaveNotLeft(t *testing.T) {
	p := newPassengers(t)
	p.board("a")
	out := p.leave(p.ctx)
	p.board("b", "c")
	p.strand(errBad)
	require.Equal(t, []string{"b bad word", "c bad word"}, p.take())
	p.strand(errBad)
	out.Succeed()
	require.Equal(t, []string{"a <nil>"}, p.take())
}

func TestFlightsThatAreTurnedBackDoNotCompleteOthers(t *testing.T) {
	p := newPassengers(t)
	p.board("a")
	out := p.leave(p.ctx)
	p.board("b")
	p.turnBack(p.leave(p.ctx), errBad)
	p.turnBack(nil, errBad)
	require.Empty(t, p.take())
	p.strand(errors.New("refused"))
	require.Equal(t, []string{"b refused"}, p.take())
	out.Succeed()
	require.Equal(t, []string{"a <nil>"}, p.take())
}

func TestFlightsMayBeBoardedByListeners(t *testing.T) {
	p := newPassengers(t)
	again := p.ch.Promise()
	again.OnDone(func(error) {
		p.notes = append(p.notes, "again")
		p.board("from a listener")
	})
	p.flights.board(again)
	p.board("b")
	out := p.leave(p.ctx)
	out.Succeed()
	require.Equal(t, []string{"again", "b <nil>"}, p.take())
	p.leave(p.ctx).Succeed()
	require.Equal(t, []string{"from a listener <nil>"}, p.take())
}

func TestFlightsThatNeverEmptyDoNotGrow(t *testing.T) {
	p := newPassengers(t)
	p.board("first")
	last := p.leave(p.ctx)
	for range 10_000 {
		p.board("next")
		next := p.leave(p.ctx)
		last.Succeed()
		last = next
	}
	last.Succeed()
	require.Len(t, p.take(), 10_001)
	require.Less(t, cap(p.promises), 16)
	require.Less(t, cap(p.sizes), 16)
}
