package transport

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestNetConnReadsAheadOneBufferWhilePaused(t *testing.T) {
	c := newScriptConn()
	d := &diary{}
	ch := over(t, c, pipeline.Options{}, d)
	ctx := func() *pipeline.Context { return ch.Pipeline().ContextOf(d) }
	c.reads <- answer{text: "a"}
	eventually(t, "the first is read", func() bool { return d.read() == "a" })
	c.isAsked(t, 2)
	onLoop(t, ch, func() { ctx().SetAutoRead(false) })
	c.reads <- answer{text: "b"} // the reader is in this call already
	onLoop(t, ch, func() {})
	select {
	case c.reads <- answer{text: "c"}:
		require.Fail(t, "it reads on while nobody wants it to")
	default:
	}
	require.Equal(t, "a", d.read())
	onLoop(t, ch, func() { ctx().SetAutoRead(true) })
	c.reads <- answer{text: "c"}
	eventually(t, "everything is read", func() bool { return d.read() == "abc" })
}

func TestNetConnDeliversBytesThatComeWithTheEnd(t *testing.T) {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
		t.Run(end.Error(), func(t *testing.T) {
			c := newScriptConn()
			d := &diary{}
			ch := over(t, c, pipeline.Options{}, d)
			c.reads <- answer{text: "last words", err: end}
			cause := causeOf(t, ch)
			require.Equal(t, "last words", d.read())
			if errors.Is(end, io.EOF) {
				require.NoError(t, cause)
			} else {
				require.ErrorIs(t, cause, end)
			}
		})
	}
}

func TestNetConnGivesUpOnReadsOfNothing(t *testing.T) {
	c := newScriptConn()
	ch := over(t, c, pipeline.Options{})
	for range emptyReads {
		c.reads <- answer{}
	}
	require.ErrorIs(t, causeOf(t, ch), io.ErrNoProgress)
}

func TestNetConnReportsAFailureSeenWhilePaused(t *testing.T) {
	broken := errors.New("cable cut")
	c := newScriptConn()
	d := &diary{}
	ch := over(t, c, pipeline.Options{}, d)
	c.reads <- answer{text: "a"}
	eventually(t, "the first is read", func() bool { return d.read() == "a" })
	c.isAsked(t, 2)
	onLoop(t, ch, func() { ch.Pipeline().ContextOf(d).SetAutoRead(false) })
	c.reads <- answer{err: broken}
	require.ErrorIs(t, causeOf(t, ch), broken)
	require.Len(t, d.errors(), 1)
}

func TestNetConnReadBufferFollowsTheTraffic(t *testing.T) {
	r := &readSide{guess: firstStage}
	for _, step := range []struct{ read, want int }{
		{firstStage, 4 * firstStage},
		{4 * firstStage, mostStage},
		{mostStage, mostStage},
		{mostStage / 2, mostStage},
		{10, mostStage / 2},
		{10, mostStage / 4},
	} {
		r.adapt(step.read)
		require.Equal(t, step.want, r.guess, "after %d bytes", step.read)
	}
	for range 20 {
		r.adapt(0)
	}
	require.Equal(t, leastStage, r.guess)
}

func TestNetConnCollectsWhatCameBeforeAFailedWrite(t *testing.T) {
	broken := errors.New("pipe broken")
	for _, end := range []error{os.ErrDeadlineExceeded, io.EOF, io.ErrUnexpectedEOF} {
		t.Run(end.Error(), func(t *testing.T) {
			c := newScriptConn()
			c.deadlines = true
			d := &diary{}
			ch := over(t, c, pipeline.Options{WriteHigh: 10}, d)
			require.NoError(t, ch.Send(buffered("a long upload"), nil)) // reading pauses
			require.Equal(t, "a long upload", receive(t, c.written))
			c.writes <- answer{err: broken}
			receive(t, c.late)
			onLoop(t, ch, func() { require.True(t, ch.IsOpen(), "the failure waits") })
			c.reads <- answer{text: "too "}
			c.reads <- answer{text: "much", err: end}
			require.ErrorIs(t, causeOf(t, ch), broken)
			require.Equal(t, "too much", d.read())
			require.Len(t, d.errors(), 1)
		})
	}
}

func TestNetConnWithoutDeadlinesReportsAFailedWriteAtOnce(t *testing.T) {
	broken := errors.New("pipe broken")
	c := newScriptConn()
	d := &diary{}
	ch := over(t, c, pipeline.Options{}, d)
	require.NoError(t, ch.Send(buffered("upload"), nil))
	require.Equal(t, "upload", receive(t, c.written))
	c.writes <- answer{n: 3, err: broken}
	require.ErrorIs(t, causeOf(t, ch), broken)
	require.Len(t, d.errors(), 1)
}
