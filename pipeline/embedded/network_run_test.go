package embedded_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestNetworkCanNotRunInsideACallback(t *testing.T) {
	n := network(t)
	n.Listen("here:1", with(pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error {
		n.AdvanceTime(time.Second)
		n.RunPending()
		require.ErrorIs(t, n.RunUntil(t.Context(), func() bool { return true }), embedded.ErrInCallback)
		_, err := n.Finish()
		require.ErrorIs(t, err, embedded.ErrInCallback)
		return nil
	})))
	_, err := n.Dial(t.Context(), "here:1", with())
	require.NoError(t, err)
	client, server := n.Dialed("here:1")[0], n.Accepted("here:1")[0]
	require.ErrorIs(t, client.WriteOutbound(buffer.FromString("x")), embedded.ErrInCallback)
	require.ErrorIs(t, server.CheckErr(), embedded.ErrInCallback)
	require.Equal(t, embedded.DefaultStart(), n.Now())
}

func TestNetworkFinishClosesEveryChannel(t *testing.T) {
	n := embedded.NewNetwork(embedded.Config{})
	var logs []*events
	n.Listen("many:1", func(ch *pipeline.Channel) error {
		e := &events{}
		logs = append(logs, e)
		return ch.Pipeline().AddLast(e)
	})
	for range 3 {
		_, err := n.Dial(t.Context(), "many:1", with())
		require.NoError(t, err)
	}
	n.RunPending()
	_, err := n.Finish()
	require.NoError(t, err)
	require.Len(t, logs, 3)
	for _, e := range logs {
		require.Equal(t, []string{"active", "read closed", "inactive", "removed"}, e.take())
	}
}

func TestNetworkFinishNamesEachKindOfLeftover(t *testing.T) {
	n := embedded.NewNetwork(embedded.Config{})
	n.Listen("server:1", nil)
	ch, err := n.Dial(t.Context(), "server:1", with())
	require.NoError(t, err)
	client := n.Dialed("server:1")[0]
	client.NewPromise()
	require.NoError(t, client.WriteInbound(&note{}))
	require.NoError(t, client.WriteOutbound(&other{}, buffer.FromString("bytes")))
	ch.Pipeline().FireEvent("event")
	boom := errors.New("boom")
	ch.Pipeline().FireError(boom)
	l, err := n.Finish()
	require.ErrorIs(t, err, boom)
	require.Equal(t, []string{"client 0 of server:1: *embedded_test.note"}, l.Inbound)
	require.Equal(t, []string{"client 0 of server:1: *embedded_test.other"}, l.Outbound)
	require.Equal(t, []string{"client 0 of server:1: string"}, l.Events)
	require.Len(t, l.Promises, 1)
	require.Contains(t, l.Promises[0], "client 0 of server:1: made at network_run_test.go:")
	require.Equal(t, 5, l.WireBytes)
}
