package embedded_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// piped makes two connected channels.
func piped(t *testing.T, a, b []pipeline.Handler) (client, server *embedded.Channel) {
	t.Helper()
	client, server = open(t, embedded.Config{}, a...), open(t, embedded.Config{}, b...)
	require.NoError(t, embedded.Pipe(client, server))
	return client, server
}

func TestPipedChannelsReadWhatTheOtherWrites(t *testing.T) {
	client, server := piped(t, nil, []pipeline.Handler{echo()})
	require.NoError(t, client.WriteOutbound(buffer.FromString("ping")))
	b, err := embedded.In[*buffer.Buffer](client)
	require.NoError(t, err)
	require.Equal(t, "ping", string(b.Bytes()))
	b.Release()
	require.Empty(t, client.WireString(), "the bytes are on the other side")
	require.Equal(t, 4, server.Written())
}

func TestBytesWrittenBeforePipeGoOver(t *testing.T) {
	client, server := open(t, embedded.Config{}), open(t, embedded.Config{}, echo())
	require.NoError(t, client.WriteOutbound(buffer.FromString("early")))
	require.NoError(t, embedded.Pipe(client, server))
	b, err := embedded.In[*buffer.Buffer](client)
	require.NoError(t, err)
	require.Equal(t, "early", string(b.Bytes()))
	b.Release()
}

func TestPipeHoldsOnlySoMuchForAReaderThatPauses(t *testing.T) {
	client, server := piped(t, nil, []pipeline.Handler{&quiet{}})
	_, ctx := pipeline.Find[*quiet](server.Pipeline())
	b := client.Loop().Pool().Get(200 << 10)
	b.Commit(200 << 10)
	require.NoError(t, client.WriteOutbound(b))
	require.Equal(t, 64<<10, server.Unread())
	require.Equal(t, (200-64)<<10, client.Channel().Pending())
	require.False(t, client.Channel().Writable())
	ctx.SetAutoRead(true)
	client.RunPending()
	require.Zero(t, client.Channel().Pending())
	require.EqualValues(t, 200<<10, server.Channel().BytesRead())
	for m := server.ReadInbound(); m != nil; m = server.ReadInbound() {
		buffer.Release(m)
	}
}

func TestClosingOneEndClosesTheOther(t *testing.T) {
	for name, how := range map[string]pipeline.CloseMode{"by FIN": pipeline.CloseDrain, "at once": pipeline.CloseNow, "by RST": pipeline.CloseReset} {
		t.Run(name, func(t *testing.T) {
			e := &events{}
			client, server := piped(t, nil, []pipeline.Handler{e})
			e.take()
			client.Channel().CloseWith(how, nil)
			client.RunPending()
			require.True(t, client.Channel().Closed())
			require.True(t, server.Channel().Closed())
			if how == pipeline.CloseReset {
				require.Equal(t, []string{"inactive", "removed"}, e.take())
				require.ErrorIs(t, server.Channel().Cause(), pipeline.ErrReset)
				return
			}
			require.Equal(t, []string{"read closed", "inactive", "removed"}, e.take())
		})
	}
}

func TestClosingWithUnreadBytesResetsTheOther(t *testing.T) {
	client, server := piped(t, nil, []pipeline.Handler{&quiet{}})
	require.NoError(t, client.WriteOutbound(buffer.FromString("never read")))
	server.Channel().CloseWith(pipeline.CloseNow, nil)
	server.RunPending()
	require.ErrorIs(t, client.Channel().Cause(), pipeline.ErrReset)
}

func TestWritingToAClosedPeerIsAnsweredByReset(t *testing.T) {
	client, server := open(t, embedded.Config{Options: pipeline.Options{AllowHalfClose: true}}), open(t, embedded.Config{})
	require.NoError(t, embedded.Pipe(client, server))
	server.Channel().CloseWith(pipeline.CloseNow, nil)
	server.RunPending()
	require.False(t, client.Channel().Closed())
	require.NoError(t, client.WriteOutbound(buffer.FromString(strings.Repeat("x", 10))))
	require.True(t, client.Channel().Closed())
	require.ErrorIs(t, client.Channel().Cause(), pipeline.ErrReset)
}

func TestPipedChannelsShareOneTime(t *testing.T) {
	a, b := &ticker{every: 2 * time.Second}, &ticker{every: 3 * time.Second}
	first := open(t, embedded.Config{}, a)
	second := open(t, embedded.Config{Start: embedded.DefaultStart().Add(time.Hour)})
	require.NoError(t, second.Pipeline().AddLast(b))
	first.AdvanceTime(time.Second)
	require.NoError(t, embedded.Pipe(first, second))
	require.Equal(t, embedded.DefaultStart().Add(time.Hour), first.Now())
	require.Equal(t, first.Now(), second.Now())
	require.NotEmpty(t, a.times, "its timer was due long ago")
	second.AdvanceTime(4 * time.Second)
	require.Equal(t, time.Hour+4*time.Second, a.times[len(a.times)-1])
}

func TestPipeRefusesWhatIsConnectedOrClosed(t *testing.T) {
	client, server := piped(t, nil, nil)
	third := open(t, embedded.Config{})
	require.ErrorIs(t, embedded.Pipe(client, third), embedded.ErrConnected)
	require.ErrorIs(t, embedded.Pipe(third, server), embedded.ErrConnected)
	require.ErrorIs(t, embedded.Pipe(third, third), embedded.ErrConnected)
	_, err := third.Finish()
	require.NoError(t, err)
	require.ErrorIs(t, embedded.Pipe(third, open(t, embedded.Config{})), embedded.ErrConnected)
}

func TestFinishingOneEndLeavesTheOtherItsErrors(t *testing.T) {
	boom := errors.New("boom")
	client, err := embedded.New(embedded.Config{})
	require.NoError(t, err)
	server, err := embedded.New(embedded.Config{}, failing(boom))
	require.NoError(t, err)
	require.NoError(t, embedded.Pipe(client, server))
	require.NoError(t, client.WriteOutbound(buffer.FromString("x")))
	_, err = client.Finish()
	require.NoError(t, err)
	_, err = server.Finish()
	require.ErrorIs(t, err, boom)
}
