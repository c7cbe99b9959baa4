package transport

import (
	"io"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

func buffered(s string) *buffer.Buffer { return buffer.FromString(s) }

// offer calls Writev with the rest of what is queued.
func offer(t *testing.T, c *netConn, rest *string) int {
	t.Helper()
	p := []byte(*rest)
	n, err := c.Writev([][]byte{p[:len(p)/2], p[len(p)/2:]})
	clear(p) // no byte may be looked at after the call
	if n == 0 {
		require.ErrorIs(t, err, pipeline.ErrWouldBlock)
	} else {
		require.NoError(t, err)
	}
	*rest = (*rest)[n:]
	return n
}

// alone makes a netConn that no loop looks at.
func alone(t *testing.T, conn *scriptConn) *netConn {
	t.Helper()
	e := &connLoops{}
	c := newNetConn(conn, newConnLoop(e, "alone"), nil)
	t.Cleanup(func() {
		require.NoError(t, c.Close(false))
		e.group.Wait()
	})
	return c
}

// wroteSoFar is a condition on the bytes that the connection has taken.
func wroteSoFar(c *netConn, n int) func() bool {
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.out.done == uint64(n)
	}
}

func TestNetConnWritevReportsWhatTheConnectionHasTaken(t *testing.T) {
	conn := newScriptConn()
	c := alone(t, conn)
	all := string(fill(3*chunkSize + 100))
	rest := all
	require.Zero(t, offer(t, c, &rest), "nothing is taken yet")
	require.Zero(t, offer(t, c, &rest), "and nothing is copied twice")
	var got strings.Builder
	for got.Len() < len(all) {
		piece := receive(t, conn.written)
		require.LessOrEqual(t, len(piece), chunkSize)
		got.WriteString(piece)
		conn.writes <- answer{n: len(piece)}
		eventually(t, "it is counted", wroteSoFar(c, got.Len()))
		require.Equal(t, len(piece), offer(t, c, &rest))
	}
	require.Equal(t, all, got.String())
	require.Empty(t, rest)
}

func TestNetConnWritevCopiesALimitedNumberOfBytes(t *testing.T) {
	conn := newScriptConn()
	c := alone(t, conn)
	rest := string(fill(2 * mostStaged))
	for range 5 {
		require.Zero(t, offer(t, c, &rest))
		require.LessOrEqual(t, int(c.out.staged), mostStaged)
	}
	require.Equal(t, mostStaged, int(c.out.staged))
	conn.writes <- answer{n: len(receive(t, conn.written))}
	eventually(t, "a piece is taken", wroteSoFar(c, chunkSize))
	require.Equal(t, chunkSize, offer(t, c, &rest))
	require.Equal(t, mostStaged+chunkSize, int(c.out.staged), "the room is used again")
}

func TestNetConnWritevReportsProgressBeforeTheFailure(t *testing.T) {
	conn := newScriptConn()
	c := alone(t, conn)
	rest := "0123456789"
	require.Zero(t, offer(t, c, &rest))
	receive(t, conn.written)
	conn.writes <- answer{n: 4} // short, without an error
	eventually(t, "it is counted", wroteSoFar(c, 4))
	require.Equal(t, 4, offer(t, c, &rest))
	_, err := c.Writev([][]byte{[]byte(rest)})
	require.ErrorIs(t, err, io.ErrShortWrite)
}

func TestNetConnPromiseWaitsForTheConnection(t *testing.T) {
	conn := newScriptConn()
	ch := over(t, conn, pipeline.Options{})
	answers := make(chan error, 1)
	p := ch.NewPromise()
	p.OnDone(func(err error) { answers <- err })
	require.NoError(t, ch.Send(buffered("hello"), p))
	require.Equal(t, "hello", receive(t, conn.written))
	onLoop(t, ch, func() { require.Equal(t, 5, ch.Pending()) })
	require.Empty(t, answers)
	conn.writes <- answer{n: 5}
	require.NoError(t, receive(t, answers))
}

func TestNetConnCloseFreesAWriterThatIsStuck(t *testing.T) {
	conn := newScriptConn()
	ch := over(t, conn, pipeline.Options{})
	require.NoError(t, ch.Send(buffered("hello"), nil))
	receive(t, conn.written)
	ch.CloseWith(pipeline.CloseNow, nil)
	require.NoError(t, causeOf(t, ch))
	receive(t, conn.closed)
	eventually(t, "all memory is back", func() bool { return ch.Loop().Pool().Live() == 0 })
}
