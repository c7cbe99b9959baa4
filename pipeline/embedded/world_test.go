package embedded_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// bridge sends everything that it reads to another channel.
type bridge struct{ to *embedded.Channel }

// HandleRead writes to the other channel, whose loop is another one.
func (b *bridge) HandleRead(_ *pipeline.Context, msg any) error { return b.to.Channel().Send(msg, nil) }

func TestEverythingConnectedRunsUntilItRests(t *testing.T) {
	// client ⇄ front | back ⇄ server
	toBack, toFront := &bridge{}, &bridge{}
	client, front := piped(t, nil, []pipeline.Handler{toBack})
	back, server := piped(t, []pipeline.Handler{toFront}, []pipeline.Handler{echo()})
	toBack.to, toFront.to = back, front
	require.NoError(t, client.WriteOutbound(buffer.FromString("far away")))
	require.Nil(t, client.ReadInbound(), "the two pairs know nothing of each other")
	back.RunPending()
	front.RunPending()
	b, err := embedded.In[*buffer.Buffer](client)
	require.NoError(t, err)
	require.Equal(t, "far away", string(b.Bytes()))
	b.Release()
	require.EqualValues(t, 8, server.Channel().BytesWritten())
}

// sleeper answers after a second.
type sleeper struct {
	timer *pipeline.Timer
	msg   any
}

// HandleRead keeps the message for a while.
func (s *sleeper) HandleRead(ctx *pipeline.Context, msg any) error {
	s.msg = msg
	s.timer = ctx.After(time.Second, func() {
		s.msg = nil
		_ = ctx.Write(msg)
	})
	return nil
}

// HandleRemoved gives up the message.
func (s *sleeper) HandleRemoved(*pipeline.Context) error {
	s.timer.Stop()
	buffer.Release(s.msg)
	return nil
}

func TestTimersOfConnectedChannelsFireInTheirOrder(t *testing.T) {
	// Each answer starts the other side's timer, so that the bytes go to and fro in steps of a second.
	client, server := piped(t, []pipeline.Handler{&sleeper{}}, []pipeline.Handler{&sleeper{}})
	require.NoError(t, client.WriteOutbound(buffer.FromString("ball")))
	for second := range 10 {
		require.Equal(t, 1+second/2, client.Written()/4, "after %d seconds", second)
		require.Equal(t, (1+second)/2, server.Written()/4, "after %d seconds", second)
		if second%2 == 0 {
			client.AdvanceTime(time.Second)
		} else {
			server.AdvanceTime(time.Second)
		}
	}
	client.AdvanceTime(time.Minute)
	require.Equal(t, 36, client.Written()/4)
}

func TestTwoBusyChannelsAreBothTold(t *testing.T) {
	client, server := piped(t, []pipeline.Handler{echo()}, []pipeline.Handler{echo()})
	require.ErrorIs(t, client.WriteOutbound(buffer.FromString("for ever")), embedded.ErrBusy)
	require.ErrorIs(t, server.CheckErr(), embedded.ErrBusy)
	client.Channel().CloseWith(pipeline.CloseNow, nil)
	client.RunPending()
	require.NoError(t, server.CheckErr())
}
