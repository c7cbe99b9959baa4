package transport

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// scriptConn is a net.Conn that does what a test says, call by call.
type scriptConn struct {
	reads     chan answer // what Read returns
	written   chan string // what Write was given
	writes    chan answer // what Write returns then
	closed    chan struct{}
	late      chan struct{} // closed when a read deadline is set
	deadlines bool          // that works
	close     sync.Once
	setLate   sync.Once
	closes    atomic.Int32
	asked     atomic.Int32 // calls of Read so far
}

// isAsked waits for the n-th call of Read.
func (c *scriptConn) isAsked(t *testing.T, n int32) {
	t.Helper()
	eventually(t, "the connection is read from", func() bool { return c.asked.Load() == n })
}

// answer is the result of one call; text is what a read gives, n what a write took.
type answer struct {
	text string
	n    int
	err  error
}

func newScriptConn() *scriptConn {
	return &scriptConn{
		reads: make(chan answer), written: make(chan string, 100), writes: make(chan answer),
		closed: make(chan struct{}), late: make(chan struct{}),
	}
}

func (c *scriptConn) Read(p []byte) (int, error) {
	c.asked.Add(1)
	select {
	case a := <-c.reads:
		return copy(p, a.text), a.err
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *scriptConn) Write(p []byte) (int, error) {
	c.written <- string(p)
	select {
	case a := <-c.writes:
		return a.n, a.err
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *scriptConn) Close() error {
	c.closes.Add(1)
	c.close.Do(func() { close(c.closed) })
	return nil
}

func (c *scriptConn) SetReadDeadline(time.Time) error {
	if !c.deadlines {
		return errors.ErrUnsupported
	}
	c.setLate.Do(func() { close(c.late) })
	return nil
}

func (c *scriptConn) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (c *scriptConn) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }
func (c *scriptConn) LocalAddr() net.Addr              { return &net.UnixAddr{Name: "here"} }
func (c *scriptConn) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: "there"} }

// halfConn is a scriptConn with CloseWrite.
type halfConn struct {
	*scriptConn
	end func() error
}

func (c halfConn) CloseWrite() error { return c.end() }

// diary is a handler that keeps what it reads, and the errors.
type diary struct {
	mu   sync.Mutex
	text string
	errs []error
}

func (d *diary) HandleRead(_ *pipeline.Context, msg any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := msg.(*buffer.Buffer)
	d.text += string(b.Bytes())
	b.Release()
	return nil
}

func (d *diary) HandleError(_ *pipeline.Context, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.errs = append(d.errs, err)
	return err
}

func (d *diary) read() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text
}

func (d *diary) errors() []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]error(nil), d.errs...)
}

// over opens a channel over c that ends with the test.
func over(t *testing.T, c net.Conn, opts pipeline.Options, handlers ...pipeline.Handler) *pipeline.Channel {
	t.Helper()
	opts.Logger = quiet
	conns := &Conns{Options: opts, Loops: 1, Logger: quiet}
	t.Cleanup(func() { require.NoError(t, conns.Close()) })
	ch, err := conns.Open(t.Context(), c, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) })
	require.NoError(t, err)
	return ch
}

// causeOf waits for the end of ch and tells why.
func causeOf(t *testing.T, ch *pipeline.Channel) (err error) {
	t.Helper()
	eventually(t, "the channel has closed", ch.Closed)
	onLoop(t, ch, func() { err = ch.Cause() })
	return err
}

func TestNetConnHasTheAddressesOfItsConnection(t *testing.T) {
	c := newScriptConn()
	ch := over(t, c, pipeline.Options{})
	require.Equal(t, "here", ch.LocalAddr().String())
	require.Equal(t, "there", ch.RemoteAddr().String())
	require.Same(t, c, ch.Transport().(Wrapper).NetConn())
}

func TestNetConnWithoutCloseWriteRefusesToHalfClose(t *testing.T) {
	c := newScriptConn()
	d := &diary{}
	ch := over(t, c, pipeline.Options{}, d)
	answers := make(chan error, 1)
	p := ch.NewPromise()
	p.OnDone(func(err error) { answers <- err })
	ch.CloseWith(pipeline.CloseWrite, p)
	require.ErrorIs(t, receive(t, answers), errors.ErrUnsupported)
	c.reads <- answer{text: "still read"}
	eventually(t, "reading goes on", func() bool { return d.read() == "still read" })
	require.Empty(t, d.errors())
	require.NoError(t, ch.Close())
	require.NoError(t, causeOf(t, ch))
}

func TestNetConnReportsAFailedHalfClose(t *testing.T) {
	broken := errors.New("no end")
	for _, tt := range []struct {
		name string
		how  pipeline.CloseMode
		err  error
		want error
	}{
		{"of a channel that reads on", pipeline.CloseWrite, broken, broken},
		{"of a draining channel as the reset that it is", pipeline.CloseDrain, io.ErrClosedPipe, pipeline.ErrReset},
		{"of a draining channel not at all", pipeline.CloseDrain, broken, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &diary{}
			ch := over(t, halfConn{newScriptConn(), func() error { return tt.err }}, pipeline.Options{}, d)
			ch.CloseWith(tt.how, nil)
			require.ErrorIs(t, causeOf(t, ch), tt.want)
			if tt.want != nil {
				require.Len(t, d.errors(), 1)
			} else {
				require.Empty(t, d.errors())
			}
		})
	}
}

func TestNetConnClosesATLSConnectionBeforeItsHandshake(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	d := &diary{}
	ch := over(t, tls.Server(ours, &tls.Config{MinVersion: tls.VersionTLS12}), pipeline.Options{}, d)
	require.NoError(t, ch.Close())
	require.NoError(t, causeOf(t, ch))
	require.Empty(t, d.errors())
}

func TestNetConnClosesOnceHoweverItEnds(t *testing.T) {
	for _, how := range []pipeline.CloseMode{pipeline.CloseDrain, pipeline.CloseNow, pipeline.CloseReset} {
		t.Run(how.String(), func(t *testing.T) {
			c := newScriptConn()
			ch := over(t, c, pipeline.Options{})
			ch.CloseWith(how, nil)
			receive(t, c.closed)
			ch.CloseWith(how, nil)
			_ = causeOf(t, ch)
			require.EqualValues(t, 1, c.closes.Load())
		})
	}
}

func TestNetConnErrorsOfAGonePeerAreResets(t *testing.T) {
	for _, err := range []error{
		io.ErrClosedPipe,
		&net.OpError{Op: "write", Err: os.NewSyscallError("write", errPeerReset)},
	} {
		require.ErrorIs(t, connError(err), pipeline.ErrReset)
		require.ErrorIs(t, connError(err), net.ErrClosed)
		require.ErrorIs(t, connError(err), err)
	}
	for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, os.ErrDeadlineExceeded, syscall.EINVAL, fmt.Errorf("tls: %w", io.ErrNoProgress)} {
		require.Equal(t, err, connError(err))
	}
}
