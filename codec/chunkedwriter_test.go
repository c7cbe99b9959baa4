package codec

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// source is a scripted generator of pieces. A nil piece is "nothing now", and it stays there until more is set.
type source struct {
	pieces []string
	dry    bool // nothing now, once the pieces are used up
	fail   error
	asked  int
	closed int
	onNext func()
}

func (s *source) chunks() *Chunks {
	return NewChunks(func(*pipeline.Context) (any, error) {
		s.asked++
		if s.onNext != nil {
			s.onNext()
		}
		if len(s.pieces) > 0 {
			p := s.pieces[0]
			s.pieces = s.pieces[1:]
			return buffer.FromString(p), nil
		}
		switch {
		case s.dry:
			return nil, nil
		case s.fail != nil:
			return nil, s.fail
		}
		return nil, io.EOF
	}, func() error {
		s.closed++
		return nil
	})
}

// write writes msg with a promise that the test watches.
func write(ch *pipelinetest.Channel, msg any) *pipelinetest.Outcome {
	p, o := ch.Watch()
	ch.Pipeline().WriteWith(msg, p)
	return o
}

func TestCore31O8LargeTransferKeepsToTheWatermarkAndItsPlace(t *testing.T) {
	const chunk = 64 << 10
	w := &ChunkedWriter{}
	ch := pipelinetest.New(t, w)
	most := 0
	s := &source{onNext: func() { most = max(most, ch.Channel().Pending()) }}
	for range 10 {
		s.pieces = append(s.pieces, strings.Repeat("x", chunk))
	}
	ch.Block()
	var order []string
	note := func(what string) *pipeline.Promise {
		p := ch.Promise()
		p.OnDone(func(err error) {
			require.NoError(t, err)
			order = append(order, what)
		})
		return p
	}
	ch.Pipeline().WriteWith(s.chunks(), note("transfer"))
	ch.Pipeline().WriteWith(buffer.FromString("small"), note("small"))
	ch.RunPending()
	require.Equal(t, 2, s.asked, "one piece up to the mark, one over it")
	var got strings.Builder
	for range 10*chunk/5000 + 5 {
		ch.AcceptBytes(5000)
		require.LessOrEqual(t, ch.Channel().Pending(), 64<<10+chunk)
		got.WriteString(ch.Wire())
	}
	require.Equal(t, strings.Repeat("x", 10*chunk)+"small", got.String())
	require.LessOrEqual(t, most, 64<<10, "nothing is made above the mark")
	require.Equal(t, []string{"transfer", "small"}, order)
	require.Equal(t, 1, s.closed)
}

func TestCore32O8TransferThatHasNothingNowIsResumed(t *testing.T) {
	w := &ChunkedWriter{}
	ch := pipelinetest.New(t, w)
	s := &source{pieces: []string{"one"}, dry: true}
	o := write(ch, s.chunks())
	behind := write(ch, buffer.FromString("behind"))
	ch.RunPending()
	require.Equal(t, "one", ch.Wire())
	asked := s.asked
	ch.Pipeline().Flush()
	ch.RunPending()
	require.Equal(t, asked, s.asked, "not asked while it has nothing")
	w.ResumeTransfer()
	w.ResumeTransfer()
	require.Equal(t, 1, ch.PendingTasks(), "one task for all calls")
	ch.RunPending()
	require.Equal(t, asked+1, s.asked)
	s.pieces, s.dry = []string{"two"}, false
	w.ResumeTransfer()
	ch.RunPending()
	require.Equal(t, "twobehind", ch.Wire())
	require.Equal(t, pipelinetest.Outcome{Done: true}, *o)
	require.Equal(t, pipelinetest.Outcome{Done: true}, *behind)
	require.Equal(t, 1, s.closed)
}

func TestCore32O8CloseWhileSuspendedClosesTheSourceOnce(t *testing.T) {
	for _, how := range []pipeline.CloseMode{pipeline.CloseNow, pipeline.CloseReset} {
		t.Run(how.String(), func(t *testing.T) {
			ch := pipelinetest.New(t, &ChunkedWriter{})
			s := &source{pieces: []string{"one"}, dry: true}
			o := write(ch, s.chunks())
			behind := write(ch, buffer.FromString("behind"))
			ch.RunPending()
			ch.Channel().CloseWith(how, nil)
			ch.RunPending()
			require.ErrorIs(t, o.Err, pipeline.ErrClosed)
			require.ErrorIs(t, behind.Err, pipeline.ErrClosed)
			require.Equal(t, 1, s.closed)
		})
	}
	t.Run("peer's reset", func(t *testing.T) {
		ch := pipelinetest.New(t, &ChunkedWriter{})
		s := &source{dry: true}
		o := write(ch, s.chunks())
		ch.RunPending()
		ch.PeerReset()
		require.ErrorIs(t, o.Err, pipeline.ErrClosed)
		require.ErrorIs(t, o.Err, pipeline.ErrReset, "with the cause")
		require.Equal(t, 1, s.closed)
	})
}

func TestO8ResumeIsSafeFromOtherGoroutines(t *testing.T) {
	w := &ChunkedWriter{}
	ch := pipelinetest.New(t, w)
	var mu sync.Mutex
	var ready []string
	ended := false
	c := NewChunks(func(*pipeline.Context) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(ready) == 0 {
			if ended {
				return nil, io.EOF
			}
			return nil, nil
		}
		b := buffer.FromString(ready[0])
		ready = ready[1:]
		return b, nil
	}, nil)
	o := write(ch, c)
	ch.RunPending()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			mu.Lock()
			ready = append(ready, "x")
			mu.Unlock()
			w.ResumeTransfer()
		}
		mu.Lock()
		ended = true
		mu.Unlock()
		w.ResumeTransfer()
	}()
	parent, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, ch.RunUntil(parent, func() bool { return o.Done }))
	<-done
	require.NoError(t, o.Err)
	require.Equal(t, strings.Repeat("x", 100), ch.Wire())
}

func TestO8ProgressIsToldBeforeTheEnd(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	s := &source{pieces: []string{"ab", "", "cde"}}
	c := s.chunks()
	var log []int64
	c.Progress = func(sent int64) { log = append(log, sent) }
	p := ch.Promise()
	p.OnDone(func(error) { log = append(log, -1) })
	ch.AcceptBytes(1)
	ch.Pipeline().WriteWith(c, p)
	ch.RunPending()
	require.Empty(t, log)
	ch.AcceptBytes(1)
	require.Equal(t, []int64{2, 2}, log)
	ch.Unblock()
	require.Equal(t, []int64{2, 2, 5, -1}, log)
}

func TestO8EmptyTransferKeepsItsPlace(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	s := &source{}
	ch.Block()
	before := write(ch, buffer.FromString("before"))
	o := write(ch, s.chunks())
	ch.RunPending()
	require.False(t, o.Done, "what was written before has not left yet")
	ch.Unblock()
	require.Equal(t, []bool{true, true}, []bool{before.Done, o.Done})
	require.Equal(t, 1, s.closed)
}

func TestO8ManualFlushSendsOnlyWhatWasFlushed(t *testing.T) {
	cfg := pipelinetest.Config{}
	cfg.Options.ManualFlush = true
	ch := pipelinetest.NewConfig(t, cfg, &ChunkedWriter{})
	s, later := &source{pieces: []string{"a", "b"}}, &source{pieces: []string{"later"}}
	write(ch, s.chunks())
	ch.RunPending()
	require.Zero(t, s.asked)
	ch.Pipeline().Flush()
	o := write(ch, later.chunks())
	ch.RunPending()
	require.Equal(t, "ab", ch.Wire())
	require.False(t, o.Done)
	ch.Pipeline().Flush()
	ch.RunPending()
	require.Equal(t, "later", ch.Wire())
}

func TestO8SourceThatFailsFailsItsPromiseAndNotThoseBehind(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	s := &source{pieces: []string{"a"}, fail: errBad}
	o := write(ch, s.chunks())
	behind := write(ch, buffer.FromString("b"))
	ch.RunPending()
	require.ErrorIs(t, o.Err, errBad)
	require.NoError(t, behind.Err)
	require.Equal(t, "ab", ch.Wire())
	require.Equal(t, 1, s.closed)
}

func TestO8PieceThatIsRefusedFailsTheTransfer(t *testing.T) {
	ch := pipelinetest.New(t, NewEncoder(counts{}), &ChunkedWriter{})
	closed := 0
	pieces := []any{&counted{n: 1}, &counted{fail: true}, &counted{n: 3}}
	o := write(ch, NewChunks(func(*pipeline.Context) (any, error) {
		p := pieces[0]
		pieces = pieces[1:]
		return p, nil
	}, func() error { closed++; return nil }))
	behind := write(ch, &counted{n: 2})
	ch.RunPending()
	require.ErrorIs(t, o.Err, errBad)
	require.NoError(t, behind.Err)
	require.Equal(t, "xxx", ch.Wire())
	require.Equal(t, 1, closed)
	require.Len(t, pieces, 1, "not asked any more")
}

func TestO8ErrorOfCloseFailsThePromise(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	o := write(ch, NewChunks(func(*pipeline.Context) (any, error) { return nil, io.EOF }, func() error { return errBad }))
	ch.RunPending()
	require.ErrorIs(t, o.Err, errBad)
}

func TestO8SourceThatPanicsIsClosed(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	s := &source{onNext: func() { panic("in the source") }}
	o := write(ch, s.chunks())
	ch.RunPending()
	var p *pipeline.PanicError
	require.ErrorAs(t, ch.ExpectError(nil), &p)
	require.ErrorAs(t, o.Err, &p)
	require.Equal(t, 1, s.closed)
}
