package transport_test

import (
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// behaviour is one thing that every transport does in the same way. check is a test of its own.
type behaviour struct {
	name  string
	needs ability
	check func(s *stage)
}

// ability is what not every kind of connection can do.
type ability uint8

const (
	// halfClose: each side can end its direction alone.
	halfClose ability = 1 << iota
	// reset: the peer can end the connection abnormally.
	reset
	// abort: so can we.
	abort
	// watchful: a reset is seen also while nothing is read.
	watchful
	// ownGoroutine: the loop is not the goroutine of the test.
	ownGoroutine
)

// mode is one kind of transport.
type mode struct {
	name string
	can  ability
	open func(t *testing.T) backstage
}

// backstage makes the connections of one mode, all on one event loop.
type backstage interface {
	// connect makes a channel with the given options and init, and its peer.
	connect(t *testing.T, opts *pipeline.Options, init func(*pipeline.Channel) error) peer
	// await lets things happen until done; it reports false when that takes too long.
	await(done func() bool) bool
	// advance lets time pass where time stands still.
	advance(d time.Duration)
	// bind says that the calling goroutine plays on.
	bind()
	// close ends everything, and waits.
	close()
}

// peer is the other end of a connection.
type peer interface {
	// send does not wait.
	send(p string)
	// recv waits for n bytes, and gives fewer when no more come.
	recv(n int) string
	// recvAll waits for the end. The error is nil when that was an orderly one.
	recvAll() (string, error)
	// closeWrite ends the peer's direction, after what was sent.
	closeWrite()
	// close ends both directions, after what was sent.
	close()
	// reset ends the connection abnormally.
	reset()
	// refuse sends p and makes the channel's writes fail, in such a way that p is still read.
	refuse(p string)
}

// modes are all transports that the suite runs on.
func modes() []mode {
	const socket = halfClose | reset | abort | ownGoroutine
	events := watchful
	if runtime.GOOS == "windows" {
		events = 0 // there are goroutines only
	}
	return []mode{
		{"net.Conn over TCP", socket, func(*testing.T) backstage { return newConnStage(tcpPair) }},
		{"net.Conn over TLS", socket, func(*testing.T) backstage { return newConnStage(tlsPair) }},
		{"net.Conn over net.Pipe", ownGoroutine, func(*testing.T) backstage { return newConnStage(pipePair) }},
		{"net.Conn without CloseWrite", reset | ownGoroutine, func(*testing.T) backstage { return newConnStage(plainPair) }},
		{"net.Conn dialled", socket, func(*testing.T) backstage { return newConnStage(nil) }},
		{"server", socket | events, func(*testing.T) backstage { return newServerStage("tcp://127.0.0.1:0", false) }},
		{"server over Unix sockets", halfClose | ownGoroutine, func(t *testing.T) backstage {
			t.Helper()
			return newServerStage(unixAddress(t), false)
		}},
		{"server on goroutines", socket, func(*testing.T) backstage { return newServerStage("tcp://127.0.0.1:0", true) }},
		{"client", socket | events, func(*testing.T) backstage { return &clientStage{} }},
		{"client on goroutines", socket, func(*testing.T) backstage { return &clientStage{goroutines: true} }},
		{"embedded", halfClose | reset | abort | watchful, func(*testing.T) backstage { return &embeddedStage{} }},
	}
}

func TestConformance(t *testing.T) {
	for _, m := range modes() {
		t.Run(m.name, func(t *testing.T) {
			for _, b := range behaviours() {
				if b.needs&^m.can != 0 {
					continue // this kind of connection has nothing of the kind
				}
				t.Run(b.name, func(t *testing.T) { perform(t, m, b) })
			}
		})
	}
}

func behaviours() []behaviour {
	var all []behaviour
	for _, some := range [][]behaviour{
		orderBehaviours, flowBehaviours, closeBehaviours, halfCloseBehaviours, faultBehaviours, timeBehaviours,
	} {
		all = append(all, some...)
	}
	return all
}

// perform runs one behaviour and checks what holds after every one.
func perform(t *testing.T, m mode, b behaviour) {
	t.Helper()
	s := &stage{t: t, back: m.open(t)}
	defer func() { // also when the behaviour has failed
		s.back.close()
		if !t.Failed() {
			s.checkEnd()
		}
	}()
	b.check(s)
}

// stage is where a behaviour is played.
type stage struct {
	t     *testing.T
	back  backstage
	wires []*wire
}

// wire is one connection: our channel and its peer.
type wire struct {
	peer
	s     *stage
	ch    *pipeline.Channel
	probe *probe
}

// connect makes a connection with a probe behind the other handlers.
func (s *stage) connect(opts pipeline.Options, p *probe, others ...pipeline.Handler) *wire {
	s.t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	made := make(chan *pipeline.Channel, 1)
	opts = opts.WithDefaults()
	w := &wire{s: s, probe: p}
	w.peer = s.back.connect(s.t, &opts, func(ch *pipeline.Channel) error {
		made <- ch
		if p.initFails != nil {
			return p.initFails
		}
		return ch.Pipeline().AddLast(append(others, p)...)
	})
	s.await("the channel is made", func() bool { return len(made) > 0 })
	w.ch = <-made
	s.wires = append(s.wires, w)
	return w
}

// run plays a part of a behaviour as a subtest.
func (s *stage) run(name string, part func()) {
	s.t.Helper()
	whole := s.t
	whole.Run(name, func(t *testing.T) {
		s.t = t
		s.back.bind()
		part()
	})
	s.t = whole
	s.back.bind()
}

// await lets things happen until done, or fails.
func (s *stage) await(what string, done func() bool) {
	s.t.Helper()
	require.True(s.t, s.back.await(done), "never: %s", what)
}

// await is stage.await with the probe's record in the failure.
func (w *wire) await(what string, done func() bool) {
	w.s.t.Helper()
	require.True(w.s.t, w.s.back.await(done), "never: %s\nevents %v\nerrors %v", what, w.probe.all(), w.probe.failures())
}

// closed waits for the channel's last event.
func (w *wire) closed() {
	w.s.t.Helper()
	w.await("the channel has closed", w.ch.Closed)
}

// do runs f on the loop and waits for it.
func (w *wire) do(f func()) {
	w.s.t.Helper()
	var done atomic.Bool
	require.NoError(w.s.t, w.ch.Loop().Post(func() {
		defer done.Store(true)
		f()
	}))
	w.await("the task has run", done.Load)
}

// rounds lets the loop look at its sockets a few times.
func (w *wire) rounds() {
	w.s.t.Helper()
	for range 20 {
		w.do(func() {})
	}
}

// write writes messages of the given sizes from the tail, on the loop.
func (w *wire) write(sizes ...int) {
	w.s.t.Helper()
	w.do(func() {
		for _, n := range sizes {
			if err := w.ch.Pipeline().Write(bytesOf(pattern(n))); err != nil {
				w.probe.fail(err)
			}
		}
	})
}

// cause is why the channel closed.
func (w *wire) cause() (err error) {
	w.s.t.Helper()
	w.do(func() { err = w.ch.Cause() })
	return err
}

// same compares many bytes, and does not print them.
func same(t *testing.T, want, got string) {
	t.Helper()
	if want != got {
		require.FailNow(t, "other bytes", "%d bytes, want %d", len(got), len(want))
	}
}

// checkEnd checks what holds at the end of every behaviour: each channel is gone, was active and inactive
// at most once and not inside a callback, and all pooled memory is back.
func (s *stage) checkEnd() {
	s.t.Helper()
	for _, w := range s.wires {
		require.True(s.t, w.ch.Closed(), "channel %s is gone", w.ch.ID())
		p := w.probe
		require.Equal(s.t, p.count("active"), p.count("inactive"), "active and inactive come in pairs: %v", p.all())
		require.LessOrEqual(s.t, p.count("active"), 1)
		require.Equal(s.t, p.count("added"), p.count("removed"), "added and removed come in pairs: %v", p.all())
		require.False(s.t, p.isNested(), "inactive came inside a callback")
		require.Zero(s.t, w.ch.Loop().Pool().Live(), "buffers are live")
	}
}
