package httpx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/stretchr/testify/require"
)

// installs stands for whoever installs the protocol.
type installs struct{ cfg httpx.ServerConfig }

func (i *installs) HandleAdded(ctx *pipeline.Context) error { return httpx.Install(ctx, i.cfg) }

// site answers each request with its target; with hold it waits until the test lets it.
type site struct {
	hold  bool
	queue []func() error
}

func (s *site) HandleRead(ctx *pipeline.Context, msg any) error {
	r, ok := msg.(*httpx.Request)
	if !ok {
		ctx.Release(msg)
		return nil
	}
	defer r.Release()
	answer := httpx.NewFullResponse(200)
	answer.SetBodyString(string(r.Target()))
	if s.hold {
		s.queue = append(s.queue, func() error { return ctx.Write(answer) })
		return nil
	}
	return ctx.Write(answer)
}

func serve(t *testing.T, s *site) *pipelinetest.Channel {
	t.Helper()
	cfg := httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{s} }}
	return pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, &installs{cfg})
}

func statuses(wire string) []string {
	var all []string
	for line := range strings.Lines(wire) {
		if _, rest, ok := strings.Cut(line, "HTTP/1.1 "); ok {
			all = append(all, rest[:3])
		}
	}
	return all
}

func TestServerAnswersPipelinedRequestsInOrder(t *testing.T) {
	ch := serve(t, &site{})
	ch.Feed("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
	wire := ch.Wire()
	require.Equal(t, []string{"200", "200"}, statuses(wire))
	require.Less(t, strings.Index(wire, "/a"), strings.Index(wire, "/b"))
	require.True(t, ch.Channel().IsOpen())
}

func TestServerClosesBehindTheLastAnswer(t *testing.T) {
	ch := serve(t, &site{})
	ch.Feed("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

func TestServerAnswersWhatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		feed string
		want []string
	}{
		"nonsense":               {"GET / HTTP/1.1\r\nno colon\r\n\r\n", []string{"400"}},
		"a line too long":        {"GET /" + strings.Repeat("a", 9<<10) + " HTTP/1.1\r\n", []string{"414"}},
		"a good one before":      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n\x00\x00\r\n\r\n", []string{"200", "400"}},
		"HTTP/2 prior knowledge": {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"505"}},
	} {
		t.Run(name, func(t *testing.T) {
			ch := serve(t, &site{})
			ch.Feed(c.feed)
			wire := ch.Wire()
			require.Equal(t, c.want, statuses(wire))
			require.Contains(t, strings.ToLower(wire), "connection: close")
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestServerAnswersEarlierRequestsBeforeOneThatCannotBeRead(t *testing.T) {
	s := &site{hold: true}
	ch := serve(t, s)
	ch.Feed("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n")
	require.Empty(t, ch.Wire())
	for _, answer := range s.queue {
		require.NoError(t, ch.Channel().Post(func() { require.NoError(t, answer()) }))
		ch.RunPending()
	}
	require.Equal(t, []string{"200", "200", "400"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

func TestServerAnswers408AtTheDeadline(t *testing.T) {
	ch := serve(t, &site{})
	ch.Feed("GET / HTTP/1.1\r\nHo")
	ch.AdvanceTime(handlers.DefaultReadyWithin - time.Millisecond)
	require.True(t, ch.Channel().IsOpen())
	ch.AdvanceTime(time.Millisecond)
	require.Equal(t, []string{"408"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

func TestServerHasNoDeadlineAfterTheFirstRequest(t *testing.T) {
	ch := serve(t, &site{})
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	ch.AdvanceTime(time.Hour)
	require.True(t, ch.Channel().IsOpen())
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
}

func TestMatchTellsHTTPFromOthers(t *testing.T) {
	for prefix, want := range map[string]codec.Verdict{
		"":              codec.More,
		"GET ":          codec.Yes,
		"GE":            codec.More,
		"CONNECT ":      codec.Yes,
		"CONNECT\n":     codec.No,
		"SSH-2.0":       codec.No,
		"\r\n":          codec.More,
		"\r\nPOST / HT": codec.Yes,
	} {
		require.Equal(t, want, httpx.Match([]byte(prefix)), "%q", prefix)
	}
}
