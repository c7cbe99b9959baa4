package httpx_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
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

func TestServerAnswersABodyThatCannotBeRead(t *testing.T) {
	const broken = "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n"
	s := &site{hold: true}
	ch := serve(t, s)
	ch.Feed("GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + broken)
	require.Empty(t, ch.Wire())
	answer := s.queue[0]
	require.NoError(t, ch.Channel().Post(func() { require.NoError(t, answer()) }))
	ch.RunPending()
	require.Equal(t, []string{"200", "400"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
	require.NoError(t, ch.Channel().Post(func() { require.ErrorIs(t, s.queue[1](), net.ErrClosed) }))
	ch.RunPending()

	ch = serve(t, &site{})
	ch.Feed(broken)
	require.Equal(t, []string{"200"}, statuses(ch.Wire()), "it had its answer")
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

// streams answers each request with the same messages, one after the other.
type streams struct {
	answer func() []any
	errs   []error
}

func (s *streams) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.Release(msg)
	for _, m := range s.answer() {
		s.errs = append(s.errs, ctx.Write(m))
	}
	return nil
}

func serveStream(t *testing.T, s *streams) *pipelinetest.Channel {
	t.Helper()
	cfg := httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{s} }}
	return pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, &installs{cfg})
}

func response(t *testing.T, fields ...string) *httpx.Response {
	t.Helper()
	r := httpx.NewResponse(200)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(t, r.Header.Add(fields[i], fields[i+1]))
	}
	return r
}

func region(t *testing.T, text string) *pipeline.FileRegion {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "f")
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	return pipeline.NewFileRegion(f, 0, len(text), true)
}

func TestServerCountsFilesAgainstTheLength(t *testing.T) {
	s := &streams{}
	s.answer = func() []any {
		return []any{
			response(t, "Content-Length", "5"), region(t, "hel"), region(t, "long"), region(t, "lo"), httpx.EmptyLast,
		}
	}
	ch := serveStream(t, s)
	ch.Feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	require.Equal(t, "HTTP/1.1 200 OK\r\n"+dateLine+"Content-Length: 5\r\n\r\nhello", ch.Wire())
	for i, err := range s.errs {
		if i == 2 {
			require.EqualError(t, err, "httpx: body longer than content-length")
			continue
		}
		require.NoError(t, err)
	}
}

func TestServerDropsTheBodyOfAnAnswerThatHasNone(t *testing.T) {
	s := &streams{}
	s.answer = func() []any {
		return []any{response(t, "Content-Length", "5"), region(t, "hel"), httpx.NewContent(buffer.Slice{}), region(t, "lo"), httpx.EmptyLast}
	}
	for _, connection := range []string{"keep-alive", "close"} {
		ch := serveStream(t, s)
		ch.Feed("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: " + connection + "\r\n\r\n")
		wire := ch.Wire()
		require.True(t, strings.HasSuffix(wire, "\r\n\r\n"), wire)
		require.Equal(t, connection == "close", ch.Channel().Closed())
	}
	for _, err := range s.errs {
		require.NoError(t, err)
	}
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
