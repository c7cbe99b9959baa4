package embedded_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// with makes an init function of handlers.
func with(handlers ...pipeline.Handler) func(*pipeline.Channel) error {
	return func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) }
}

// network makes a network that must have nothing left at the end.
func network(t *testing.T) *embedded.Network {
	t.Helper()
	n := embedded.NewNetwork(embedded.Config{})
	t.Cleanup(func() {
		_, err := n.Finish()
		require.NoError(t, err)
	})
	return n
}

func TestDialConnectsClientAndServer(t *testing.T) {
	n := network(t)
	n.Listen("echo:7", with(echo()))
	var dial pipeline.DialFunc = n.Dial
	ch, err := dial(t.Context(), "echo:7", with())
	require.NoError(t, err)
	require.Equal(t, "echo:7", ch.RemoteAddr().String())
	require.Equal(t, "embedded", ch.RemoteAddr().Network())
	client, server := n.Dialed("echo:7")[0], n.Accepted("echo:7")[0]
	require.Same(t, ch, client.Channel())
	require.Equal(t, ch.LocalAddr(), server.Channel().RemoteAddr())
	require.Equal(t, ch.RemoteAddr(), server.Channel().LocalAddr())
	require.NoError(t, client.WriteOutbound(buffer.FromString("ping")))
	b, err := embedded.In[*buffer.Buffer](client)
	require.NoError(t, err)
	require.Equal(t, "ping", string(b.Bytes()))
	b.Release()
}

func TestDialWithoutAServerIsScripted(t *testing.T) {
	n := network(t)
	n.Listen("broker:1", nil)
	_, err := n.Dial(t.Context(), "broker:1", with(echo()))
	require.NoError(t, err)
	client := n.Dialed("broker:1")[0]
	require.NoError(t, client.FeedString("hello"))
	require.Equal(t, "hello", client.WireString())
	require.Empty(t, n.Accepted("broker:1"))
}

func TestDialFailsLikeARealOne(t *testing.T) {
	n := network(t)
	_, err := n.Dial(t.Context(), "nobody:1", with())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.Empty(t, n.Dialed("nobody:1"))
	require.Empty(t, n.Accepted("nobody:1"))

	refused := errors.New("refused")
	n.Listen("echo:7", with(echo()))
	_, err = n.Dial(t.Context(), "echo:7", func(*pipeline.Channel) error { return refused })
	require.Equal(t, refused, err)
	require.Empty(t, n.Accepted("echo:7"))

	parent, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = n.Dial(parent, "echo:7", with())
	require.ErrorIs(t, err, context.Canceled)
}

func TestServerWhoseInitFailsClosesTheConnection(t *testing.T) {
	refused := errors.New("refused")
	n := network(t)
	n.Listen("picky:1", func(*pipeline.Channel) error { return refused })
	ch, err := n.Dial(t.Context(), "picky:1", with())
	require.NoError(t, err)
	require.True(t, ch.Closed())
	require.Equal(t, refused, n.Accepted("picky:1")[0].CheckErr())
}

// relay dials on behalf of its channel and sends everything there.
type relay struct {
	dial pipeline.DialFunc
	out  *pipeline.Channel
}

// HandleActive dials.
func (r *relay) HandleActive(ctx *pipeline.Context) error {
	out, err := r.dial(context.Background(), "echo:7", with(pipeline.OnRead(func(_ *pipeline.Context, b *buffer.Buffer) error {
		return ctx.Write(b)
	})))
	r.out = out
	return err
}

// HandleRead sends to the other connection.
func (r *relay) HandleRead(_ *pipeline.Context, msg any) error { return r.out.Pipeline().Write(msg) }

func TestHandlersCanDialInsideACallback(t *testing.T) {
	n := network(t)
	n.Listen("echo:7", with(echo()))
	n.Listen("relay:1", with(&relay{dial: n.Dial}))
	_, err := n.Dial(t.Context(), "relay:1", with())
	require.NoError(t, err)
	client := n.Dialed("relay:1")[0]
	require.NoError(t, client.WriteOutbound(buffer.FromString("there and back")))
	b, err := embedded.In[*buffer.Buffer](client)
	require.NoError(t, err)
	require.Equal(t, "there and back", string(b.Bytes()))
	b.Release()
}

func TestDialFromAnotherGoroutineWaitsForTheNetwork(t *testing.T) {
	n := network(t)
	n.Listen("echo:7", with(echo()))
	var ch *pipeline.Channel
	var err error
	finished := false
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		ch, err = n.Dial(t.Context(), "echo:7", with())
		_ = ch.Write(t.Context(), buffer.FromString("x"))
		_ = ch.Post(func() { finished = true })
	})
	require.NoError(t, n.RunUntil(t.Context(), func() bool { return finished }))
	require.NoError(t, err)
	client := n.Dialed("echo:7")[0]
	require.Same(t, ch, client.Channel())
	n.RunPending()
	buffer.Release(client.ReadInbound())
}

func TestDialThatIsGivenUpLeavesNoConnection(t *testing.T) {
	n := network(t)
	n.Listen("echo:7", with(echo()))
	parent, cancel := context.WithCancel(t.Context())
	var err error
	var wg sync.WaitGroup
	wg.Go(func() { _, err = n.Dial(parent, "echo:7", with()) })
	cancel()
	wg.Wait()
	require.ErrorIs(t, err, context.Canceled)
	n.RunPending()
	for _, c := range n.Dialed("echo:7") {
		require.True(t, c.Channel().Closed())
	}
}

func TestNetworkHasOneTime(t *testing.T) {
	n := network(t)
	n.Listen("clock:1", with(later{time.Second}))
	_, err := n.Dial(t.Context(), "clock:1", with(later{2 * time.Second}))
	require.NoError(t, err)
	client, server := n.Dialed("clock:1")[0], n.Accepted("clock:1")[0]
	n.AdvanceTime(time.Second)
	require.Nil(t, client.ReadOutbound())
	require.Equal(t, &note{"m"}, server.ReadOutbound())
	n.AdvanceTime(time.Second)
	require.Equal(t, &note{"m"}, client.ReadOutbound())
	require.Equal(t, embedded.DefaultStart().Add(2*time.Second), n.Now())
}

func TestNetworkFinishNamesTheChannels(t *testing.T) {
	n := embedded.NewNetwork(embedded.Config{Name: "net"})
	n.Listen("echo:7", with(&forgetful{}))
	_, err := n.Dial(t.Context(), "echo:7", with())
	require.NoError(t, err)
	require.NoError(t, n.Dialed("echo:7")[0].WriteOutbound(buffer.FromString("x")))
	l, err := n.Finish()
	require.ErrorContains(t, err, "inbound message not taken: server's end 0 of echo:7: *embedded_test.note")
	require.ErrorContains(t, err, "error not taken: server's end 0 of echo:7: and fails")
	require.ErrorContains(t, err, `buffers not released: 1 of the pool of loop "net"`)
	require.Len(t, l.Timers, 1)
	_, err = n.Dial(t.Context(), "echo:7", with())
	require.ErrorIs(t, err, pipeline.ErrLoopClosed)
	_, err = n.Finish()
	require.NoError(t, err)
}
