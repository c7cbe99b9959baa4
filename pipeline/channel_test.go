package pipeline_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

func TestChannelIDsAreShortAndUnique(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		id := newChannel(t).Channel().ID()
		require.False(t, seen[id])
		require.LessOrEqual(t, len(id), 13)
		seen[id] = true
	}
}

func TestChannelKnowsItsAddressesIfTheTransportDoes(t *testing.T) {
	local, remote := &net.TCPAddr{Port: 1}, &net.TCPAddr{Port: 2}
	ch := newChannelWith(t, embedded.Config{LocalAddr: local, RemoteAddr: remote})
	require.Equal(t, local, ch.Channel().LocalAddr())
	require.Equal(t, remote, ch.Channel().RemoteAddr())
	b := newBare(t, pipeline.Options{})
	require.Nil(t, b.LocalAddr())
	require.Nil(t, b.RemoteAddr())
	require.Same(t, b.wire, b.Transport())
}

func TestChannelStates(t *testing.T) {
	ch := newChannel(t)
	c := ch.Channel()
	state := func() [3]bool { return [3]bool{c.IsOpen(), c.Active(), c.Closed()} }
	require.Equal(t, [3]bool{true, true, false}, state())
	ch.Block()
	require.NoError(t, ch.Pipeline().Write(bytesOf("x")))
	require.NoError(t, c.Close())
	ch.RunPending()
	require.Equal(t, [3]bool{false, false, false}, state())
	ch.Unblock()
	require.Equal(t, [3]bool{false, false, true}, state())
	require.NoError(t, c.Close(), "closing what is closed is no error")
}

func TestAChannelClosedBeforeItIsOpenIsNeverActive(t *testing.T) {
	rec := &record{}
	ch, err := embedded.NewInit(embedded.Config{}, func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(&life{"A", rec}, &onAdded{func(ctx *pipeline.Context) error {
			ctx.Close()
			return nil
		}})
	})
	require.NoError(t, err)
	require.Equal(t, []string{"added A", "removed A"}, rec.take())
	require.True(t, ch.Channel().Closed())
}

func TestWritesOfTheSetUpAreSent(t *testing.T) {
	ch := newChannel(t, &onAdded{func(ctx *pipeline.Context) error { return ctx.Write(bytesOf("greeting")) }})
	require.Equal(t, "greeting", ch.WireString())
}

func TestBytesAreCounted(t *testing.T) {
	ch := newChannel(t, echo())
	require.NoError(t, ch.FeedString("12345"))
	require.EqualValues(t, 5, ch.Channel().BytesRead())
	require.EqualValues(t, 5, ch.Channel().BytesWritten())
	require.Zero(t, ch.Channel().Pending())
}

func TestDefaultsAreUsedWithoutOptions(t *testing.T) {
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	loop.Bind()
	ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: &wire{room: -1}})
	require.Equal(t, pipeline.Options{}.WithDefaults(), *ch.Options())
	require.Same(t, loop, ch.Loop())
	loop.Close()
}

func TestChannelMethodsThatSaySoAreSafeForConcurrentUse(t *testing.T) {
	ch := newChannel(t, echo())
	c := ch.Channel()
	group := &pipeline.Group{}
	ran := 0
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for range 100 {
				_ = c.ID() + c.Loop().Name()
				_ = c.Closed() || c.Options().ManualFlush || c.Loop().OnLoop()
				_ = c.Loop().Stats()
				if err := c.Send(bytesOf("x"), c.NewPromise()); err != nil {
					t.Error(err)
				}
				if err := c.Post(func() { ran++ }); err != nil {
					t.Error(err)
				}
				group.Add(c)
			}
		})
	}
	ended := make(chan struct{})
	go func() { others.Wait(); close(ended) }()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
		}
		ch.RunPending()
	}
	require.Equal(t, 400, ran)
	require.Len(t, ch.WireString(), 400)
	others.Go(func() { c.CloseWith(pipeline.CloseDrain, nil) })
	require.NoError(t, ch.RunUntil(t.Context(), c.Closed))
	others.Wait()
	require.NoError(t, group.Wait(t.Context()))
}

func TestAfterOfAChannel(t *testing.T) {
	ch := newChannel(t)
	fired := false
	ch.Channel().After(time.Second, func() { fired = true })
	ch.AdvanceTime(time.Second)
	require.True(t, fired)
}
