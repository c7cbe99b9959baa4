package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestCore39DecoderAsksAgainOnlyWhenABatchGaveNothing(t *testing.T) {
	requests := 0
	count := &requestCounter{n: &requests}
	var got []string
	ch := whole(t, count, NewDecoder(&words{}), collect(&got))
	ch.Pipeline().Get("codec.words#0").SetAutoRead(false)
	ch.RunPending()
	ch.Pipeline().Read()
	require.Equal(t, 1, requests)
	ch.Feed("\x04ab")
	require.Equal(t, 2, requests, "one further request")
	require.Empty(t, got)
	ch.Feed("cd")
	require.Equal(t, []string{"abcd"}, got)
	require.Equal(t, 2, requests, "none when a frame came out")
	ch.Feed(encoded("unasked"))
	require.Equal(t, []string{"abcd"}, got)
}

func TestDecoderStopsBetweenMessagesWhenReadingStopsAndGoesOnByRequest(t *testing.T) {
	var got []string
	ch := whole(t, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		if s == "stop" {
			ctx.SetAutoRead(false)
		}
		return nil
	}))
	ch.Feed(encoded("a", "stop", "b", "c") + "\x02d")
	require.Equal(t, []string{"a", "stop"}, got)
	ch.WriteInbound(buffer.FromString("e")) // comes behind what is held, and its batch is wanted
	require.Equal(t, []string{"a", "stop", "b", "c", "de"}, got)
	ch.Feed(encoded("f"))
	require.Equal(t, []string{"a", "stop", "b", "c", "de"}, got)
	ch.Pipeline().Read()
	ch.RunPending()
	require.Equal(t, "f", got[len(got)-1])
}

func TestReadingThatStopsAgainWhileItGoesOnAsksForNothing(t *testing.T) {
	requests := 0
	var got []string
	ch := whole(t, &requestCounter{n: &requests}, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		ctx.SetAutoRead(false)
		return nil
	}))
	ch.Feed(encoded("a", "b", "c"))
	ch.Pipeline().Get("codec.words#0").SetAutoRead(true)
	ch.RunPending()
	require.Equal(t, []string{"a", "b"}, got)
	require.Zero(t, requests)
	ch.Feed(encoded("d", "e"))
	require.Equal(t, []string{"a", "b"}, got, "nobody has asked for what came behind")
}

func TestDecoderServesARequestFromWhatItHolds(t *testing.T) {
	requests := 0
	var got []string
	rec := &pipelinetest.Recorder{Log: new(pipelinetest.Log)}
	ch := whole(t, &requestCounter{n: &requests}, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		ctx.SetAutoRead(false)
		return nil
	}), rec)
	ch.Feed(encoded("a", "b"))
	require.Equal(t, []string{"a"}, got)
	rec.Log.Take()
	ch.Pipeline().Read()
	ch.RunPending()
	require.Equal(t, []string{"a", "b"}, got)
	require.Zero(t, requests, "the socket is not asked")
	require.Contains(t, rec.Log.Take(), "read complete", "a batch of its own")
	ch.Pipeline().Read()
	require.Equal(t, 1, requests, "nothing is held any more")
}

func TestDecoderStopsAgainAfterAutoReadWasSwitchedOn(t *testing.T) {
	var got []string
	ch := whole(t, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		ctx.SetAutoRead(false)
		return nil
	}))
	ch.Feed(encoded("a", "b", "c"))
	for _, want := range []string{"a", "ab", "abc"} {
		require.Equal(t, want, strings.Join(got, ""))
		ch.Pipeline().Get("codec.words#0").SetAutoRead(true)
		ch.RunPending()
	}
}

func TestDecoderGoesOnWhenAutoReadIsSwitchedOn(t *testing.T) {
	var got []string
	h := NewDecoder(&words{})
	ch := whole(t, h, onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		ctx.SetAutoRead(s != "stop")
		return nil
	}))
	ch.Feed(encoded("stop", "b", "c"))
	require.Equal(t, []string{"stop"}, got)
	ch.Pipeline().ContextOf(h).SetAutoRead(true)
	ch.RunPending()
	require.Equal(t, []string{"stop", "b", "c"}, got)
}

func TestDecoderStopsWhileTheChannelIsNotWritable(t *testing.T) {
	const reply = 20 << 10
	var got []string
	most := 0
	ch := whole(t, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		b := ctx.Alloc(reply)
		b.Reserve(reply)
		b.Commit(reply)
		err := ctx.Write(b)
		most = max(most, ctx.Channel().Pending())
		return err
	}))
	ch.Block()
	ch.Feed(strings.Repeat(encoded("w"), 1000))
	require.LessOrEqual(t, most, 64<<10+reply, "pipelined requests do not queue replies without limit")
	require.Less(t, len(got), 10)
	ch.Unblock()
	require.Len(t, got, 1000)
	require.LessOrEqual(t, most, 64<<10+reply)
	require.Equal(t, 1000*reply, ch.DiscardWire())
}

func TestDecoderGoesOnWhileUnwritableWhenThatIsAllowed(t *testing.T) {
	var got []string
	cfg := pipelinetest.Config{Whole: true}
	cfg.Options.ReadWhileUnwritable = true
	ch := pipelinetest.NewConfig(t, cfg, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		return ctx.Write(buffer.Wrap(make([]byte, 40<<10)))
	}))
	ch.Block()
	ch.Feed(strings.Repeat(encoded("w"), 10))
	require.Len(t, got, 10)
	ch.Unblock()
}

func TestDecoderThatIsRemovedWhileStoppedPassesEverythingOn(t *testing.T) {
	h := NewDecoder(&words{})
	ch := whole(t, h, onWord(func(ctx *pipeline.Context, s string) error {
		ctx.SetAutoRead(false)
		return nil
	}))
	ch.Feed(encoded("a", "b"))
	ch.Pipeline().ContextOf(h).Remove()
	ch.RunPending()
	rest := pipelinetest.In[*buffer.Buffer](ch)
	require.Equal(t, encoded("b"), string(rest.Bytes()))
	rest.Release()
}

func TestWakeDecodesAgainWhatWasHeldForAnotherReason(t *testing.T) {
	ready := false
	h := NewDecoder(decoderFunc(func(in *buffer.Buffer) (*word, bool, error) {
		if !ready {
			return nil, false, nil
		}
		return &word{string(in.Next(in.Len()))}, true, nil
	}))
	ch := whole(t, h)
	h.Wake()
	ch.Feed("waiting")
	h.Wake()
	require.Nil(t, ch.ReadInbound())
	ready = true
	h.Wake()
	require.Equal(t, "waiting", pipelinetest.In[*word](ch).s)
}

func TestWakeWhileNothingIsReadIsNotLost(t *testing.T) {
	ready := false
	h := NewDecoder(decoderFunc(func(in *buffer.Buffer) (*word, bool, error) {
		if !ready {
			return nil, false, nil
		}
		return &word{string(in.Next(in.Len()))}, true, nil
	}))
	ch := whole(t, h)
	ch.Feed("waiting")
	ctx := ch.Pipeline().ContextOf(h)
	ctx.SetAutoRead(false)
	ch.RunPending()
	ready = true
	h.Wake()
	require.Nil(t, ch.ReadInbound())
	ctx.SetAutoRead(true)
	ch.RunPending()
	require.Equal(t, "waiting", pipelinetest.In[*word](ch).s)
}

func TestDecoderThatStopsTheReadingHoldsWhatItHas(t *testing.T) {
	requests := 0
	var ch *pipelinetest.Channel
	h := NewDecoder(decoderFunc(func(in *buffer.Buffer) (*word, bool, error) {
		if in.Len() < 9 {
			ch.Pipeline().Get("codec.decoderFunc#0").SetAutoRead(false)
			return nil, false, nil
		}
		return &word{string(in.Next(in.Len()))}, true, nil
	}))
	ch = whole(t, &requestCounter{n: &requests}, h)
	ch.Feed("half")
	require.Zero(t, requests, "a batch without a message asks for another only when one is wanted")
	read, _ := ch.Interest()
	require.False(t, read)
	ch.Feed(" and half")
	require.Nil(t, ch.ReadInbound())
	ch.Pipeline().Read()
	ch.RunPending()
	require.Equal(t, "half and half", pipelinetest.In[*word](ch).s)
}

func TestBackloggedDecoderIsCalledWithoutBytes(t *testing.T) {
	d := &bursts{}
	var got []string
	ch := whole(t, NewDecoder(d), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		if s == "3" {
			ctx.SetAutoRead(false)
		}
		return nil
	}))
	ch.Feed("\x05")
	require.Equal(t, []string{"5", "4", "3"}, got)
	ch.Pipeline().Read()
	ch.RunPending()
	require.Equal(t, []string{"5", "4", "3", "2", "1"}, got)
}

// bursts gives as many messages as its byte says.
type bursts struct{ left byte }

func (d *bursts) Backlog() bool { return d.left > 0 }

func (d *bursts) Decode(in *buffer.Buffer) (*word, bool, error) {
	if d.left == 0 {
		if in.Len() == 0 {
			return nil, false, nil
		}
		d.left = in.ReadUint8()
	}
	w := &word{string(rune('0' + d.left))}
	d.left--
	return w, true, nil
}

// requestCounter counts read requests.
type requestCounter struct {
	pipeline.Unshared
	n *int
}

func (r *requestCounter) HandleReadRequest(ctx *pipeline.Context) error {
	*r.n++
	ctx.Read()
	return nil
}

func TestReadsWhileStoppedComeBehindThoseThatWaitAlready(t *testing.T) {
	var got []string
	var ch *pipelinetest.Channel
	ch = whole(t, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		if s == "stop" {
			ch.WriteInbound(buffer.FromString("i")) // queued, since a word is being received
			return ctx.Write(buffer.Wrap(make([]byte, 100<<10)))
		}
		return nil
	}))
	ch.Block()
	ch.Feed(encoded("stop", "a") + "\x03h")
	ch.WriteInbound(buffer.FromString("j"))
	require.Equal(t, []string{"stop"}, got)
	ch.Unblock()
	require.Equal(t, []string{"stop", "a", "hij"}, got)
}
