package handlers_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/stretchr/testify/require"
)

// prefix matches connections that begin with word.
func prefix(word string) func([]byte) codec.Verdict {
	return func(p []byte) codec.Verdict {
		n := min(len(p), len(word))
		switch {
		case !bytes.Equal(p[:n], []byte(word)[:n]):
			return codec.No
		case n < len(word):
			return codec.More
		}
		return codec.Yes
	}
}

// shout answers each buffer with the protocol's name in front.
func shout(name string) pipeline.Handler {
	return pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
		out := ctx.Alloc(len(name) + b.Len())
		out.AppendString(name)
		out.Append(b.Bytes())
		ctx.Release(b)
		return ctx.Write(out)
	})
}

func rule(word string) handlers.Rule {
	return handlers.Rule{Name: word, Match: prefix(word), Install: func(ctx *pipeline.Context) error {
		return ctx.AddAfter(shout("<" + word + ">"))
	}}
}

func TestDetectInstallsTheFirstRuleThatMatches(t *testing.T) {
	for name, c := range map[string]struct {
		feed []string
		wire string
	}{
		"at once":                           {[]string{"CAT x"}, "<CAT>CAT x"},
		"byte by byte":                      {[]string{"D", "O", "G", "!"}, "<DOG>DOG<DOG>!"},
		"an earlier More outranks a Yes":    {[]string{"CA", "R"}, "<CA>CAR"},
		"a later rule when the first fails": {[]string{"DO", "N"}, "<DO>DON"},
	} {
		t.Run(name, func(t *testing.T) {
			ev := &events{}
			ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{rule("CAT"), rule("DOG"), rule("CA"), rule("DO")}}, ev)
			for _, piece := range c.feed {
				ch.FeedWhole(piece)
			}
			require.Equal(t, c.wire, ch.Wire())
			require.Len(t, ev.got, 1)
			require.NotContains(t, ch.Pipeline().String(), "Detect")
			handlers.Ready(ch.Channel())
		})
	}
}

func TestDetectRefusesWhatFitsNoRule(t *testing.T) {
	for name, c := range map[string]struct{ feed, shown string }{
		"no rule fits":          {"HORSE\r\n", `"HORSE\r\n"`},
		"more than MaxBytes":    {strings.Repeat("A", 100), `"` + strings.Repeat("A", 64) + `"`},
		"raw bytes are quoted":  {"\x00\x1b[31m", `"\x00\x1b[31m"`},
		"a rule that wants all": {strings.Repeat("?", 64), `"` + strings.Repeat("?", 64) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			greedy := handlers.Rule{Name: "greedy", Match: func(p []byte) codec.Verdict {
				if p[0] == '?' {
					return codec.More
				}
				return codec.No
			}}
			ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{rule("CAT"), greedy}, Refusal: "go away\n"})
			ch.FeedWhole(c.feed)
			err := ch.ExpectError(handlers.ErrUnknownProtocol)
			require.ErrorContains(t, err, c.shown)
			require.ErrorContains(t, err, "CAT, greedy")
			require.Equal(t, "go away\n", ch.Wire())
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestDetectShowsRulesAtMostMaxBytes(t *testing.T) {
	longest := 0
	nosy := handlers.Rule{Name: "nosy", Match: func(p []byte) codec.Verdict {
		longest = max(longest, len(p))
		return codec.More
	}}
	ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{nosy}, MaxBytes: 8})
	ch.FeedWhole("1234567890")
	ch.ExpectError(handlers.ErrUnknownProtocol)
	require.Equal(t, 8, longest)
}

func TestDetectReportsAFailedInstall(t *testing.T) {
	cause := errors.New("no room")
	broken := handlers.Rule{Name: "broken", Match: prefix("X"), Install: func(*pipeline.Context) error { return cause }}
	ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{broken}})
	ch.Feed("X")
	require.ErrorContains(t, ch.ExpectError(cause), "installing broken")
	require.True(t, ch.Channel().Closed())
}

func TestDetectDeadlineSurvivesTheHandOver(t *testing.T) {
	t.Run("no byte at all", func(t *testing.T) {
		ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{rule("CAT")}})
		ch.AdvanceTime(9999 * time.Millisecond)
		require.True(t, ch.Channel().IsOpen())
		ch.AdvanceTime(time.Millisecond)
		var late *handlers.TimeoutError
		require.ErrorAs(t, ch.CheckErr(), &late)
		require.True(t, late.Timeout())
		require.False(t, late.Temporary())
		require.True(t, ch.Channel().Closed())
	})
	t.Run("a protocol that never becomes ready", func(t *testing.T) {
		restarts := handlers.Rule{Name: "slow", Match: prefix("SLOW"), Install: func(ctx *pipeline.Context) error {
			handlers.ExpectReady(ctx.Channel(), time.Hour) // must not win time
			return ctx.AddAfter(shout("<slow>"))
		}}
		ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{restarts}, Deadline: 5 * time.Second})
		ch.AdvanceTime(4 * time.Second)
		ch.FeedWhole("SLOW")
		require.Equal(t, "<slow>SLOW", ch.Wire())
		ch.AdvanceTime(time.Second)
		var late *handlers.TimeoutError
		require.ErrorAs(t, ch.CheckErr(), &late)
		require.Equal(t, 5*time.Second, late.After)
	})
	t.Run("a protocol that becomes ready", func(t *testing.T) {
		ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{rule("CAT")}})
		ch.FeedWhole("CAT")
		handlers.Ready(ch.Channel())
		handlers.ExpectReady(ch.Channel(), time.Second) // ready is for good
		ch.AdvanceTime(time.Hour)
		require.True(t, ch.Channel().IsOpen())
		require.Equal(t, "<CAT>CAT", ch.Wire())
	})
}

func TestDetectPassesHeldBytesOnWhenRemoved(t *testing.T) {
	ch := pipelinetest.New(t, pipeline.Named("detect", &handlers.Detect{Rules: []handlers.Rule{rule("CAT")}}), shout("<rest>"))
	ch.FeedWhole("CA")
	require.NoError(t, ch.Pipeline().Remove("detect"))
	ch.RunPending()
	require.Equal(t, "<rest>CA", ch.Wire())
	handlers.Ready(ch.Channel())
}

func TestDetectReleasesHeldBytesWhenThePeerLeaves(t *testing.T) {
	ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{rule("CAT")}})
	ch.FeedWhole("CA")
	ch.Socket.PeerReset()
	require.True(t, ch.Channel().Closed())
}

func TestDetectClosesAlsoWhenAHandlerTakesTheError(t *testing.T) {
	broken := handlers.Rule{Name: "broken", Match: prefix("X"), Install: func(*pipeline.Context) error { return errors.New("no room") }}
	for _, first := range []string{"HORSE", "X"} {
		a, got := &answers{}, &drop{}
		ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{broken}}, a, got)
		ch.Socket.PeerLingers(true)
		ch.FeedWhole(first)
		require.Error(t, a.err)
		require.False(t, ch.Channel().IsOpen())
		ch.Channel().Inject(func(p *pipeline.Pipeline) { p.FireRead(buffer.FromString("more")) }) // is dropped
		require.Equal(t, "too late", ch.Wire())
		require.Nil(t, ch.ReadInbound())
	}
}

func TestDetectKeepsItsBytesFromAProtocolThatClosesAtOnce(t *testing.T) {
	closes := handlers.Rule{Name: "closes", Match: prefix("X"), Install: func(ctx *pipeline.Context) error {
		ctx.Close()
		return nil
	}}
	c := &collect{}
	ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{closes}}, c, &events{})
	ch.FeedWhole("X")
	require.True(t, ch.Channel().Closed())
	require.Empty(t, c.got)
}

func TestDetectHoldsLargeAndSmallPieces(t *testing.T) {
	long := strings.Repeat("-", 50)
	for name, pieces := range map[string][]string{
		"one large piece":      {long + long + "END"},
		"a large second piece": {"-", strings.Repeat("-", 99) + "END"},
		"many small ones":      strings.Split(long+long+"END", ""),
	} {
		t.Run(name, func(t *testing.T) {
			wants := handlers.Rule{Name: "dashes", Match: prefix(long), Install: func(ctx *pipeline.Context) error {
				return ctx.AddAfter(shout(""))
			}}
			ch := pipelinetest.New(t, &handlers.Detect{Rules: []handlers.Rule{wants}}, &events{})
			for _, p := range pieces {
				ch.FeedWhole(p)
			}
			require.Equal(t, long+long+"END", ch.Wire())
		})
	}
}

func TestDetectPassesOtherMessages(t *testing.T) {
	ch := pipelinetest.New(t, &handlers.Detect{})
	m := &struct{ n int }{1}
	ch.WriteInbound(m)
	require.Same(t, m, pipelinetest.In[*struct{ n int }](ch))
	handlers.Ready(ch.Channel())
}
