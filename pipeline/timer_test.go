package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestTimersFireInOrderAtTheirTime(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		at := &spy{}
		ch := newChannel(t, at)
		start := ch.Now()
		var fired, want []time.Duration
		var timers []*pipeline.Timer
		var dues []time.Duration
		for range 100 {
			d := time.Duration(rnd.IntN(50)) * time.Second
			timers = append(timers, at.ctx.After(d, func() { fired = append(fired, ch.Now().Sub(start)) }))
			dues = append(dues, d)
		}
		for i, timer := range timers {
			switch rnd.IntN(4) {
			case 0:
				require.True(t, timer.Stop())
				require.False(t, timer.Stop())
				require.False(t, timer.Armed())
			case 1:
				d := time.Duration(rnd.IntN(50)) * time.Second
				timer.Reset(d)
				dues[i] = d
				fallthrough
			default:
				require.True(t, timer.Armed())
				want = append(want, dues[i])
			}
		}
		require.Equal(t, len(want), ch.PendingTimers())
		slices.Sort(want)
		ch.AdvanceTime(50 * time.Second)
		require.Equal(t, want, fired)
		require.Zero(t, ch.PendingTimers())
	}
}

func TestTimerIsArmedAgain(t *testing.T) {
	at, rec := &spy{}, &record{}
	ch := newChannel(t, at)
	var timer *pipeline.Timer
	timer = at.ctx.After(time.Second, func() {
		rec.add(fmt.Sprintf("fired, armed %v", timer.Armed()))
		if len(rec.events) < 3 {
			timer.Reset(time.Second)
		}
	})
	ch.AdvanceTime(10 * time.Second)
	require.Equal(t, []string{"fired, armed false", "fired, armed false", "fired, armed false"}, rec.take())
	timer.Reset(-time.Hour) // as soon as possible
	require.Empty(t, rec.take(), "but not inside Reset")
	timer.Stop()
	ch.AdvanceTime(time.Second)
	require.Empty(t, rec.take())
	timer.Reset(time.Second)
	timer.Reset(3 * time.Second)
	ch.AdvanceTime(2 * time.Second)
	require.Empty(t, rec.take(), "the later call counts")
	ch.AdvanceTime(time.Second)
	require.Len(t, rec.events, 1)
	timer.Stop()
}

func TestATimerThatReArmsAtOnceLeavesRoomForOthers(t *testing.T) {
	b := newBare(t, pipeline.Options{})
	n := 0
	var timer *pipeline.Timer
	timer = b.After(0, func() {
		n++
		timer.Reset(0)
	})
	b.Loop().RunPending()
	b.Loop().RunPending()
	require.Equal(t, 2, n)
}

func TestTimersOfAClosedChannelDoNotFire(t *testing.T) {
	at := &spy{}
	ch := newChannel(t, at)
	fired := false
	timer := at.ctx.After(time.Second, func() { fired = true })
	require.NoError(t, ch.Channel().Close())
	ch.AdvanceTime(time.Minute)
	require.False(t, fired)
	require.False(t, timer.Armed())
	var none *pipeline.Timer
	require.False(t, none.Armed())
	require.False(t, none.Stop(), "stopping what was never made")
}

func TestATimerOfTheLoopOutlivesChannels(t *testing.T) {
	ch := newChannel(t)
	fired := 0
	timer := ch.Loop().After(time.Second, func() { fired++ })
	require.NoError(t, ch.Channel().Close())
	ch.AdvanceTime(time.Second)
	require.Equal(t, 1, fired)
	require.False(t, timer.Armed())
}

func TestATimerDueWithTheOneThatClosesTheChannelDoesNotFire(t *testing.T) {
	b := newBare(t, pipeline.Options{})
	b.After(time.Second, func() { b.Pipeline().Close(pipeline.CloseNow, nil) })
	b.After(2*time.Second, func() { t.Error("the channel is closed") })
	b.now = b.now.Add(time.Hour)
	b.run()
	require.True(t, b.Closed())
}

func TestTheLoopAsksToBeWokenForTheEarliestTimer(t *testing.T) {
	b := &bare{now: time.Unix(1_000_000, 0)}
	var asked []time.Duration
	loop := pipeline.NewLoop(pipeline.LoopConfig{Clock: b, Arm: func(d time.Duration) { asked = append(asked, d) }})
	loop.Bind()
	loop.After(10*time.Second, func() {})
	loop.After(20*time.Second, func() {})
	loop.After(5*time.Second, func() {})
	require.Equal(t, []time.Duration{10 * time.Second, 5 * time.Second}, asked)
	due, ok := loop.NextTimer()
	require.True(t, ok)
	require.Equal(t, b.now.Add(5*time.Second), due)
	b.now = due
	loop.RunPending()
	require.Equal(t, 5*time.Second, asked[2], "for the next one")
	require.Equal(t, 2, loop.Timers())
	loop.Close()
	require.Zero(t, loop.Timers())
	_, ok = loop.NextTimer()
	require.False(t, ok)
}
