package transport

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

func TestTaskThatPostsItselfDoesNotStarveConnections(t *testing.T) {
	s := &Server{Loops: 1, Init: echoInit}
	serve(t, s)
	c := connectTo(t, s, 0)
	roundTrip(t, c, "hello")
	loop := one(t, s).Loop()
	var runs atomic.Int64
	var stop atomic.Bool
	var again func()
	again = func() {
		runs.Add(1)
		if !stop.Load() {
			_ = loop.Post(again) // the loop may have ended
		}
	}
	require.NoError(t, loop.Post(again))
	require.NoError(t, loop.Post(again))
	for range 20 { // none would come back if tasks came first
		roundTrip(t, c, "hello")
	}
	stop.Store(true)
	require.Greater(t, runs.Load(), int64(20), "tasks went on all the time")
}

func TestFloodOfTasksLeavesRoomForConnections(t *testing.T) {
	s := &Server{Loops: 1, Init: echoInit}
	serve(t, s)
	c := connectTo(t, s, 0)
	roundTrip(t, c, "hello")
	loop := one(t, s).Loop()
	const tasks = 200_000
	var ran atomic.Int64
	for range tasks {
		require.NoError(t, loop.Post(func() { ran.Add(1) }))
	}
	roundTrip(t, c, "hello")
	before := ran.Load()
	roundTrip(t, c, "again")
	t.Logf("%d of %d tasks had run by the first answer", before, tasks)
	eventually(t, "all run", func() bool { return ran.Load() == tasks })
}

func TestWritesOfOneGoroutineKeepTheirOrder(t *testing.T) {
	const writers, each = 4, 500
	s := &Server{Loops: 2, Init: with()}
	serve(t, s)
	c := connectTo(t, s, 0)
	ch := one(t, s)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				b := buffer.Get(3)
				b.AppendByte(byte(w))
				b.AppendUint16(uint16(i))
				if err := ch.Send(b, nil); err != nil {
					return // the test misses its bytes
				}
			}
		})
	}
	next := make([]int, writers)
	for range writers * each {
		var m [3]byte
		for at := 0; at < len(m); {
			n, err := c.Read(m[at:])
			require.NoError(t, err)
			at += n
		}
		require.Equal(t, next[m[0]], int(m[1])<<8|int(m[2]))
		next[m[0]]++
	}
	all.Wait()
}

func TestTimersOfALoopFireInTime(t *testing.T) {
	late := make(chan time.Duration, 64)
	s := &Server{Loops: 1, Init: with(active(func(ctx *pipeline.Context) error {
		for i := range 20 {
			wait := time.Duration(i*i) * time.Millisecond
			due := time.Now().Add(wait)
			ctx.After(wait, func() { late <- time.Since(due) })
		}
		stopped := ctx.After(time.Millisecond, func() { late <- -time.Hour })
		stopped.Stop()
		return nil
	}))}
	serve(t, s)
	connectTo(t, s, 0)
	var sum time.Duration
	for range 20 {
		d := receive(t, late)
		require.Greater(t, d, -10*time.Millisecond, "the loop's clock stands still within a batch")
		sum += d
	}
	require.Less(t, sum/20, 100*time.Millisecond)
}

func TestTimersEndWithTheirChannel(t *testing.T) {
	fired := make(chan struct{}, 1)
	s := &Server{Loops: 1, Init: with(active(func(ctx *pipeline.Context) error {
		ctx.After(30*time.Millisecond, func() { fired <- struct{}{} })
		return nil
	}))}
	serve(t, s)
	c := connectTo(t, s, 0)
	ch := one(t, s)
	require.NoError(t, c.Close())
	eventually(t, "it is closed", ch.Closed)
	passed := make(chan struct{})
	require.NoError(t, ch.Loop().Post(func() { ch.Loop().After(60*time.Millisecond, func() { close(passed) }) }))
	receive(t, passed)
	require.Empty(t, fired)
}
