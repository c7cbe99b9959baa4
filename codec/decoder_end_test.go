package codec

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// recorded is a channel that notes the events behind h, from here on.
func recorded(t *testing.T, cfg pipelinetest.Config, h ...pipeline.Handler) (*pipelinetest.Channel, *pipelinetest.Log) {
	t.Helper()
	cfg.Whole = true
	rec := &pipelinetest.Recorder{Log: new(pipelinetest.Log)}
	ch := pipelinetest.NewConfig(t, cfg, append(h, rec)...)
	rec.Log.Take()
	return ch, rec.Log
}

// inbound is the inbound events of log.
func inbound(log *pipelinetest.Log) []string {
	var in []string
	for _, e := range log.Take() {
		switch e {
		case "read", "read complete", "read closed", "inactive", "error":
			in = append(in, e)
		}
	}
	return in
}

func TestCore38D5InactiveDecodesTheRestOnce(t *testing.T) {
	d := &lastWords{words{last: "last"}}
	ch, log := recorded(t, pipelinetest.Config{}, NewDecoder(d))
	ch.Feed("\x08ab")
	log.Take()
	ch.PeerReset()
	require.Equal(t, []int{3, 0}, d.eofs, "with what was held; again only since it gave a message")
	require.Equal(t, "last", pipelinetest.In[*word](ch).s)
	require.Equal(t, []string{"error", "read", "read complete", "inactive"}, inbound(log))
}

func TestD5InactiveWithoutMessageFiresNoReadComplete(t *testing.T) {
	d := &lastWords{}
	ch, log := recorded(t, pipelinetest.Config{}, NewDecoder(d))
	ch.Channel().CloseWith(pipeline.CloseNow, nil)
	ch.RunPending()
	require.Equal(t, []int{0}, d.eofs, "called with nothing, since it may have state")
	require.Equal(t, []string{"inactive"}, inbound(log))
}

func TestD5InputEndIsTheSameWithoutInactive(t *testing.T) {
	d := &lastWords{words{last: "last"}}
	cfg := pipelinetest.Config{}
	cfg.Options.AllowHalfClose = true
	ch, log := recorded(t, cfg, NewDecoder(d))
	ch.Feed("\x08ab")
	log.Take()
	ch.PeerClose()
	require.Equal(t, "last", pipelinetest.In[*word](ch).s)
	require.Equal(t, []string{"read", "read complete", "read closed"}, inbound(log))
	ch.Finish()
	require.Equal(t, []int{3, 0}, d.eofs, "not again when the channel closes")
	require.Equal(t, []string{"inactive"}, inbound(log))
}

func TestD5LastMessageMayCloseOrRemove(t *testing.T) {
	t.Run("close", func(t *testing.T) {
		d := &lastWords{words{last: "last"}}
		ch := whole(t, NewDecoder(d), onWord(func(ctx *pipeline.Context, _ string) error {
			d.last = "one more"
			ctx.CloseWith(pipeline.CloseNow, nil)
			return nil
		}))
		ch.Feed("\x08ab")
		ch.PeerClose()
		require.Equal(t, []int{3}, d.eofs)
	})
	t.Run("remove", func(t *testing.T) {
		d := &lastWords{words{last: "last"}}
		h := NewDecoder(d)
		cfg := pipelinetest.Config{}
		cfg.Options.AllowHalfClose = true
		ch, log := recorded(t, cfg, h, onWord(func(ctx *pipeline.Context, _ string) error {
			ctx.Pipeline().ContextOf(h).Remove()
			return nil
		}))
		ch.PeerClose()
		require.Equal(t, []string{"read closed"}, inbound(log), "the end still reaches the others")
	})
}

func TestD5EndWaitsBehindMessagesThatAreHeldBack(t *testing.T) {
	d := &lastWords{}
	cfg := pipelinetest.Config{}
	cfg.Options.AllowHalfClose = true
	h := NewDecoder(d)
	ch, log := recorded(t, cfg, h, onWord(func(ctx *pipeline.Context, s string) error {
		ctx.SetAutoRead(s != "stop")
		ctx.FireRead(&word{s})
		return nil
	}))
	ch.Feed(encoded("stop", "held"))
	require.NoError(t, h.HandleReadClosed(ch.Pipeline().ContextOf(h))) // as a TLS handler fires it
	require.Equal(t, []string{"read", "read complete"}, inbound(log))
	require.Empty(t, d.eofs)
	ch.Pipeline().Read()
	ch.RunPending()
	require.Equal(t, []string{"read", "read complete", "read closed"}, inbound(log))
	require.Equal(t, []int{0}, d.eofs)
	for _, s := range []string{"stop", "held"} {
		require.Equal(t, s, pipelinetest.In[*word](ch).s)
	}
}

func TestD5EndInTheMiddleOfADecodeComesAfterIt(t *testing.T) {
	h := NewDecoder(&words{})
	cfg := pipelinetest.Config{}
	cfg.Options.AllowHalfClose = true
	ch, log := recorded(t, cfg, h, onWord(func(ctx *pipeline.Context, s string) error {
		if s == "one" {
			require.NoError(t, h.HandleReadClosed(ctx.Pipeline().ContextOf(h)))
		}
		ctx.FireRead(&word{s})
		return nil
	}))
	ch.Feed(encoded("one", "two"))
	require.Equal(t, []string{"read", "read", "read complete", "read closed", "read complete"}, inbound(log))
	for _, s := range []string{"one", "two"} {
		require.Equal(t, s, pipelinetest.In[*word](ch).s)
	}
}

func TestErrorsOfDecodeEOFAreReportedWhileTheChannelIsOpen(t *testing.T) {
	newLine := func() pipeline.Handler { return NewDecoder(&Line{}) }
	t.Run("peer's end", func(t *testing.T) {
		ch := whole(t, newLine())
		ch.Feed("no end")
		ch.PeerClose()
		ch.ExpectError(io.ErrUnexpectedEOF)
	})
	t.Run("our close", func(t *testing.T) {
		ch := whole(t, newLine())
		ch.Feed("no end")
		ch.Finish()
	})
}

func TestCloseOfTheChannelReleasesWhatIsHeld(t *testing.T) {
	for _, how := range []pipeline.CloseMode{pipeline.CloseDrain, pipeline.CloseNow} {
		d := &words{}
		ch := whole(t, NewDecoder(d), onWord(func(ctx *pipeline.Context, _ string) error {
			ctx.SetAutoRead(false)
			return nil
		}))
		ch.Feed(encoded("one", "two") + "\x09par")
		ch.WriteInbound(buffer.FromString("t"))
		ch.Channel().CloseWith(how, nil)
		ch.RunPending()
		require.Equal(t, 1, d.reset)
	}
}

func TestHandlerCanBeAddedAgainAfterItsRemoval(t *testing.T) {
	var got []string
	h := NewDecoder(&words{})
	ch := whole(t, h, collect(&got))
	ch.Feed(encoded("a"))
	ch.Pipeline().ContextOf(h).Remove()
	require.NoError(t, ch.Pipeline().AddFirst(h))
	ch.Feed(encoded("b"))
	require.Equal(t, []string{"a", "b"}, got)
}
