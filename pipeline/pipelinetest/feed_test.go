package pipelinetest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// pieces notes how its bytes come, and closes at an "x".
type pieces struct{ got []string }

// HandleRead notes the bytes.
func (p *pieces) HandleRead(ctx *pipeline.Context, msg any) error {
	s := string(msg.(*buffer.Buffer).Bytes())
	p.got = append(p.got, s)
	ctx.Release(msg)
	if s == "x" {
		ctx.Close()
	}
	return nil
}

func TestFeedGoesByteByByteUnlessTold(t *testing.T) {
	p := &pieces{}
	ch := pipelinetest.New(t, p)
	ch.Feed("abc")
	ch.FeedBytes([]byte("de"))
	ch.FeedWhole("fgh")
	require.Equal(t, []string{"a", "b", "c", "d", "e", "fgh"}, p.got)

	p = &pieces{}
	ch = pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, p)
	ch.Feed("abc")
	require.Equal(t, []string{"abc"}, p.got)
}

func TestBytesBehindACloseAreDropped(t *testing.T) {
	p := &pieces{}
	ch := pipelinetest.New(t, p)
	ch.Feed("axb")
	require.Equal(t, []string{"a", "x"}, p.got)
	require.True(t, ch.Channel().Closed())
}

func TestFeedToAClosedChannelFailsTheTest(t *testing.T) {
	for name, feed := range map[string]func(ch *pipelinetest.Channel){
		"byte by byte": func(ch *pipelinetest.Channel) { ch.Feed("ab") },
		"whole":        func(ch *pipelinetest.Channel) { ch.FeedWhole("ab") },
	} {
		t.Run(name, func(t *testing.T) {
			k := run(func(t *fake) {
				ch := pipelinetest.New(t, &pieces{})
				ch.Feed("x")
				feed(ch)
			})
			require.Contains(t, k.report.String(), "feed of 2 bytes to a closed channel")
		})
	}
}

func TestMessagesCanBeWrittenInAndOut(t *testing.T) {
	ch := pipelinetest.New(t)
	ch.WriteInbound(&note{"in"}, &other{})
	ch.WriteOutbound(&note{"out"}, buffer.FromString("bytes"))
	require.Equal(t, &note{"in"}, pipelinetest.In[*note](ch))
	require.Equal(t, &other{}, pipelinetest.In[*other](ch))
	require.Equal(t, &note{"out"}, pipelinetest.Out[*note](ch))
	b := pipelinetest.Out[*buffer.Buffer](ch)
	require.Equal(t, "bytes", string(b.Bytes()))
	b.Release()
	require.Empty(t, ch.Wire())
}
