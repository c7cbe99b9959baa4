package embedded_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// later writes a message some time after its channel has become active.
type later struct{ d time.Duration }

// HandleActive starts the timer.
func (l later) HandleActive(ctx *pipeline.Context) error {
	ctx.After(l.d, func() { _ = ctx.Write(&note{"m"}) })
	return nil
}

func TestCore49TimersFireWhenTheirTimeHasCome(t *testing.T) {
	ch := open(t, embedded.Config{}, later{30 * time.Second})
	began := time.Now()
	require.Equal(t, 1, ch.PendingTimers())
	ch.AdvanceTime(29900 * time.Millisecond)
	require.Nil(t, ch.ReadOutbound())
	require.Equal(t, 1, ch.PendingTimers())
	ch.AdvanceTime(100 * time.Millisecond)
	require.Equal(t, &note{"m"}, ch.ReadOutbound())
	require.Nil(t, ch.ReadOutbound())
	require.Zero(t, ch.PendingTimers())
	require.Less(t, time.Since(began), 10*time.Second, "no real time passes")
}

// ticker re-arms its timer.
type ticker struct {
	every time.Duration
	times []time.Duration
	timer *pipeline.Timer
}

// HandleActive starts ticking.
func (k *ticker) HandleActive(ctx *pipeline.Context) error {
	start := ctx.Loop().Now()
	k.timer = ctx.After(k.every, func() {
		k.times = append(k.times, ctx.Loop().Now().Sub(start))
		k.timer.Reset(k.every)
	})
	return nil
}

// HandleInactive stops it.
func (k *ticker) HandleInactive(*pipeline.Context) error {
	k.timer.Stop()
	return nil
}

func TestEachTimerSeesItsOwnTime(t *testing.T) {
	k := &ticker{every: 3 * time.Second}
	ch := open(t, embedded.Config{}, k)
	ch.AdvanceTime(10 * time.Second)
	require.Equal(t, []time.Duration{3 * time.Second, 6 * time.Second, 9 * time.Second}, k.times)
	require.Equal(t, embedded.DefaultStart().Add(10*time.Second), ch.Now())
	ch.AdvanceTime(-time.Hour)
	require.Equal(t, embedded.DefaultStart().Add(10*time.Second), ch.Now(), "time does not go back")
}

func TestAChannelThatNeverRestsIsReported(t *testing.T) {
	t.Run("timers", func(t *testing.T) {
		k := &ticker{}
		ch := open(t, embedded.Config{}, k)
		require.ErrorIs(t, ch.CheckErr(), embedded.ErrBusy)
		k.timer.Stop()
		ch.RunPending()
		require.NoError(t, ch.CheckErr())
	})
	t.Run("timers while time passes", func(t *testing.T) {
		k := &ticker{every: time.Second}
		ch := open(t, embedded.Config{}, k)
		k.every = 0
		ch.AdvanceTime(time.Minute)
		require.ErrorIs(t, ch.CheckErr(), embedded.ErrBusy)
		require.Equal(t, time.Second, ch.Now().Sub(embedded.DefaultStart()), "time has stopped there")
		k.timer.Stop()
	})
	t.Run("tasks", func(t *testing.T) {
		ch := open(t, embedded.Config{})
		busy := true
		var again func()
		again = func() {
			if busy {
				_ = ch.Channel().Post(again)
			}
		}
		again()
		ch.RunPending()
		require.ErrorIs(t, ch.CheckErr(), embedded.ErrBusy)
		require.Equal(t, 1, ch.PendingTasks())
		busy = false
	})
}

func TestTimeCanNotPassInsideACallback(t *testing.T) {
	var ch *embedded.Channel
	ch = open(t, embedded.Config{}, pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error {
		ch.AdvanceTime(time.Second)
		require.ErrorIs(t, ch.RunUntil(t.Context(), func() bool { return true }), embedded.ErrInCallback)
		_, err := ch.Finish()
		require.ErrorIs(t, err, embedded.ErrInCallback)
		return nil
	}))
	require.ErrorIs(t, ch.FeedString("x"), embedded.ErrInCallback)
	require.Equal(t, embedded.DefaultStart(), ch.Now())
}

func TestPostedTasksRunWhenTheChannelRuns(t *testing.T) {
	ch := open(t, embedded.Config{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = ch.Channel().Send(buffer.FromString("a"), nil)
		_ = ch.Channel().Post(func() { _ = ch.Pipeline().Write(buffer.FromString("b")) })
	})
	wg.Wait()
	require.Equal(t, 2, ch.PendingTasks())
	require.Empty(t, ch.WireString())
	ch.RunPending()
	require.Zero(t, ch.PendingTasks())
	require.Equal(t, "ab", ch.WireString())
}

func TestRunUntilServesAGoroutineThatWaits(t *testing.T) {
	ch := open(t, embedded.Config{})
	var wg sync.WaitGroup
	defer wg.Wait()
	var result error
	finished := false
	wg.Go(func() {
		result = ch.Channel().Write(t.Context(), buffer.FromString("from afar"))
		_ = ch.Channel().Post(func() { finished = true })
	})
	require.NoError(t, ch.RunUntil(t.Context(), func() bool { return finished }))
	require.NoError(t, result)
	require.Equal(t, "from afar", ch.WireString())
}

func TestRunUntilEndsWithItsContext(t *testing.T) {
	ch := open(t, embedded.Config{})
	enough := errors.New("enough")
	parent, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	require.Equal(t, enough, ch.RunUntil(parent, func() bool { return false }))
}
