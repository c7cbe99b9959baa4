package transport

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// stubborn is a handler that lets no close pass.
type stubborn struct{}

func (stubborn) HandleClose(_ *pipeline.Context, _ pipeline.CloseMode, p *pipeline.Promise) error {
	if p != nil {
		p.Succeed()
	}
	return nil
}

func TestConnLoopsSpreadConnectionsOverTheLoops(t *testing.T) {
	e := newConnLoops(3, loopSettings{name: "spread", logger: quiet})
	defer e.close()
	require.Len(t, e.loops(), 3)
	count := make(map[*pipeline.Loop]int)
	opened := make(chan *pipeline.Channel, 1)
	for range 9 {
		require.True(t, e.open(newScriptConn(), nil, nil, func(ch *pipeline.Channel) { opened <- ch }))
		count[receive(t, opened).Loop()]++
	}
	for _, l := range e.loops() {
		require.Equal(t, 3, count[l], l.Name())
	}
}

func TestConnLoopsTellOfEveryCloseOnce(t *testing.T) {
	var open atomic.Int32
	group := &pipeline.Group{}
	e := newConnLoops(2, loopSettings{
		name: "count", logger: quiet, group: group,
		onClosed: func(net.Conn) { open.Add(-1) },
	})
	opened := make(chan *pipeline.Channel, 1)
	tell := func(ch *pipeline.Channel) { opened <- ch }
	for range 10 {
		open.Add(1)
		require.True(t, e.open(newScriptConn(), nil, nil, tell))
		receive(t, opened).CloseWith(pipeline.CloseNow, nil)
	}
	eventually(t, "all are closed", func() bool { return open.Load() == 0 && group.Len() == 0 })
	for range 10 {
		open.Add(1)
		require.True(t, e.open(newScriptConn(), nil, nil, tell))
		receive(t, opened)
	}
	require.Equal(t, 10, group.Len())
	e.close()
	require.Zero(t, open.Load())
	require.Zero(t, group.Len())
	open.Add(1)
	require.False(t, e.open(newScriptConn(), nil, nil, tell), "after close")
	require.Zero(t, open.Load())
}

func TestConnLoopsEndAlthoughAHandlerHoldsTheClose(t *testing.T) {
	e := newConnLoops(1, loopSettings{name: "held", logger: quiet})
	opened := make(chan *pipeline.Channel, 1)
	c := newScriptConn()
	require.True(t, e.open(c, nil, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(stubborn{}) },
		func(ch *pipeline.Channel) { opened <- ch }))
	ch := receive(t, opened)
	e.close()
	require.True(t, ch.Closed())
	require.EqualValues(t, 1, c.closes.Load())
	require.ErrorIs(t, ch.Cause(), pipeline.ErrLoopClosed)
}

func TestConnLoopsGiveArrivalsAnAnswerWhenTheyEnd(t *testing.T) {
	for range 50 {
		var taken, told, closed atomic.Int32
		e := newConnLoops(1, loopSettings{
			name: "arrivals", logger: quiet, onClosed: func(net.Conn) { closed.Add(1) },
		})
		arrived := make(chan struct{})
		go func() {
			defer close(arrived)
			for range 20 {
				if e.open(newScriptConn(), nil, nil, func(*pipeline.Channel) { told.Add(1) }) {
					taken.Add(1)
				}
			}
		}()
		e.close()
		receive(t, arrived)
		require.Equal(t, taken.Load(), told.Load())
		require.EqualValues(t, 20, closed.Load())
	}
}

func TestConnLoopsCanBeClosedOnOneOfThem(t *testing.T) {
	e := newConnLoops(2, loopSettings{name: "self", logger: quiet})
	closed := make(chan struct{})
	require.NoError(t, e.loops()[0].Post(func() {
		e.close()
		close(closed)
	}))
	receive(t, closed)
	e.close() // waits
	require.ErrorIs(t, e.loops()[0].Post(func() {}), pipeline.ErrLoopClosed)
}
