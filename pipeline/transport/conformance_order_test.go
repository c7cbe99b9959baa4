package transport_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// orderBehaviours are about what comes after what.
var orderBehaviours = []behaviour{
	{"events come in the order of a channel's life", 0, lifeInOrder},
	{"echo returns every byte in order", 0, echoReturnsEverything},
	{"many connections at once keep to themselves", 0, manyConnections},
	{"writes of each goroutine keep their order", 0, foreignWritesKeepOrder},
	{"promises complete in order and after their bytes", 0, promisesCompleteInOrder},
	{"posts and sends of one goroutine are one queue", 0, postsAndSendsAreOneQueue},
	{"a waiting write returns when the bytes are gone", 0, waitingWriteReturns},
	{"a waiting write is refused on the loop", 0, waitingWriteRefusedOnLoop},
	{"a waiting write ends with its context", 0, waitingWriteEndsWithContext},
}

func lifeInOrder(s *stage) {
	t := s.t
	p := &probe{}
	w := s.connect(pipeline.Options{}, p)
	w.send("x")
	w.await("the byte is read", p.has(1))
	w.peer.close()
	w.closed()
	require.Equal(t, []string{"added", "active", "read", "readComplete", "readClosed", "inactive", "removed"}, p.all())
	require.Equal(t, "x", p.read())
	require.NoError(t, w.cause())
	for _, once := range []string{"added", "active", "readClosed", "inactive", "removed"} {
		require.Equal(t, 1, p.count(once), once)
	}
}

func echoReturnsEverything(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{onRead: echo})
	for _, n := range []int{1, 100, 5000, 70_000, 1 << 20} {
		want := pattern(n)
		w.send(want)
		same(t, want, w.recv(n))
	}
	w.peer.close()
	w.closed()
}

func manyConnections(s *stage) {
	t := s.t
	var wires []*wire
	for i := range 20 {
		w := s.connect(pipeline.Options{}, &probe{onRead: echo})
		w.send(fmt.Sprintf("%06d", i) + pattern(30_000))
		wires = append(wires, w)
	}
	for i, w := range wires {
		same(t, fmt.Sprintf("%06d", i)+pattern(30_000), w.recv(30_006))
		w.peer.close()
	}
	for _, w := range wires {
		w.closed()
	}
}

func foreignWritesKeepOrder(s *stage) {
	t := s.t
	const writers, each = 4, 250
	w := s.connect(pipeline.Options{}, &probe{})
	var all sync.WaitGroup
	var done atomic.Int32
	for writer := range writers {
		all.Go(func() {
			defer done.Add(1)
			for i := range each {
				if err := w.ch.Send(bytesOf(fmt.Sprintf("%d:%05d;", writer, i)), nil); err != nil {
					w.probe.fail(err)
				}
			}
		})
	}
	w.await("everybody has written", func() bool { return done.Load() == writers })
	all.Wait()
	next := make([]int, writers)
	for range writers * each {
		var writer, i int
		_, err := fmt.Sscanf(w.recv(8), "%d:%d;", &writer, &i)
		require.NoError(t, err)
		require.Equal(t, next[writer], i, "writer %d", writer)
		next[writer]++
	}
	require.Empty(t, w.probe.failures())
	w.peer.close()
	w.closed()
}

func promisesCompleteInOrder(s *stage) {
	t := s.t
	const messages = 300
	w := s.connect(pipeline.Options{}, &probe{})
	var order []int
	var done atomic.Int32
	early := 0
	total := 0
	w.do(func() {
		for i := range messages {
			n := i * 37 % 3000 // 0 bytes among them
			total += n
			end := uint64(total)
			promise := w.ch.NewPromise()
			promise.OnDone(func(err error) {
				if err != nil || w.ch.BytesWritten() < end {
					early++
				}
				order = append(order, i)
				done.Add(1)
			})
			w.ch.Pipeline().WriteWith(bytesOf(pattern(n)), promise)
		}
	})
	require.Len(t, w.recv(total), total)
	w.await("all promises are complete", func() bool { return done.Load() == messages })
	w.do(func() {
		require.IsIncreasing(t, order)
		require.Zero(t, early, "promises that failed or came before their bytes")
	})
	w.peer.close()
	w.closed()
}

func postsAndSendsAreOneQueue(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{}, pipeline.OnWrite(noteWrite))
	var notes []string
	noted.Set(w.ch, &notes) // nothing is written yet
	for i := range 50 {
		require.NoError(t, w.ch.Post(func() { notes = append(notes, fmt.Sprint("post ", i)) }))
		require.NoError(t, w.ch.Send(&label{fmt.Sprint("send ", i)}, nil))
	}
	w.do(func() {})
	w.do(func() {
		require.Len(t, notes, 100)
		for i := range 50 {
			require.Equal(t, fmt.Sprint("post ", i), notes[2*i])
			require.Equal(t, fmt.Sprint("send ", i), notes[2*i+1])
		}
	})
	w.peer.close()
	w.closed()
}

// label is a message that is only noted.
type label struct{ text string }

var noted = pipeline.NewKey[*[]string]("noted")

func noteWrite(ctx *pipeline.Context, l *label, p *pipeline.Promise) error {
	notes, _ := noted.Get(ctx.Channel())
	*notes = append(*notes, l.text)
	if p != nil {
		p.Succeed()
	}
	return nil
}

func waitingWriteReturns(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	answer := make(chan error, 1)
	parent := t.Context()
	go func() { answer <- w.ch.Write(parent, bytesOf(pattern(200_000))) }()
	same(t, pattern(200_000), w.recv(200_000))
	w.await("the write has returned", func() bool { return len(answer) > 0 })
	require.NoError(t, <-answer)
	w.peer.close()
	w.closed()
}

func waitingWriteRefusedOnLoop(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	w.do(func() {
		require.ErrorIs(t, w.ch.Write(t.Context(), bytesOf("x")), pipeline.ErrOnLoop)
	})
	w.peer.close()
	w.closed()
}

func waitingWriteEndsWithContext(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	parent, cancel := context.WithCancelCause(t.Context())
	answer := make(chan error, 1)
	go func() { answer <- w.ch.Write(parent, bytesOf(pattern(12<<20))) }()
	w.await("the peer's buffers are full", w.probe.saw("unwritable"))
	enough := errors.New("enough")
	cancel(enough)
	w.await("the write has returned", func() bool { return len(answer) > 0 })
	require.ErrorIs(t, <-answer, enough)
	w.ch.CloseWith(pipeline.CloseNow, nil)
	w.closed()
}
