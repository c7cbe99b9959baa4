package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// lines is a slog.Handler that keeps records as texts.
type lines struct {
	all   []string
	level slog.Level
}

func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= l.level }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l *lines) WithGroup(string) slog.Handler                    { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "channel" {
			fmt.Fprintf(&b, "%s=%v ", a.Key, a.Value)
		}
		return true
	})
	l.all = append(l.all, strings.TrimSpace(b.String()))
	return nil
}

func logged(t *testing.T, f httpx.HandlerFunc, a *httpx.AccessLog, more ...pipeline.Handler) (*pipelinetest.Channel, *lines) {
	t.Helper()
	l := &lines{}
	a.Logger = slog.New(l)
	cfg := pipelinetest.Config{Whole: true}
	cfg.RemoteAddr = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 99}
	return pipelinetest.NewInit(t, cfg, httpx.Init(httpx.ServerConfig{
		Handle: f, Handlers: func(*pipeline.Channel) []pipeline.Handler { return append([]pipeline.Handler{a}, more...) },
	})), l
}

func TestAccessLogHasOneRecordForEachExchange(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		serve   httpx.HandlerFunc
		want    string
	}{
		"whole":        {get("/a?b"), whole("hello"), "status=200 method=GET target=/a?b bytes_in=0 bytes_out=5 duration=0s"},
		"pieces":       {get("/"), pieces(t, []string{"he", "llo"}), "status=200 method=GET target=/ bytes_in=0 bytes_out=5 duration=0s"},
		"file":         {get("/"), fileAnswer(t, "hello", 2), "status=200 method=GET target=/ bytes_in=0 bytes_out=5 duration=0s"},
		"interim":      {get("/"), interimThen(whole("hello")), "status=200 method=GET target=/ bytes_in=0 bytes_out=5 duration=0s"},
		"body":         {post("/", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), collect, "status=200 method=POST target=/ bytes_in=5 bytes_out=6 duration=0s"},
		"HEAD":         {"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", whole("hello"), "status=200 method=HEAD target=/ bytes_in=0 bytes_out=0 duration=0s"},
		"HEAD, pieces": {"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", pieces(t, []string{"hello"}), "status=200 method=HEAD target=/ bytes_in=0 bytes_out=0 duration=0s"},
		"no content":   {get("/"), func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(204, "") }, "status=204 method=GET target=/ bytes_in=0 bytes_out=0 duration=0s"},
		"failure":      {get("/"), func(*pipeline.Context, *httpx.Exchange) error { return errors.New("x") }, "status=500 method=GET target=/ bytes_in=0 bytes_out=22 duration=0s"},
		"switching": {"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n", func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.Upgrade(httpx.NewResponse(101), &shouter{})
		}, "status=101 method=GET target=/ bytes_in=0 bytes_out=0 duration=0s"},
		"taken over": {get("/"), func(_ *pipeline.Context, x *httpx.Exchange) error {
			return errors.Join(x.Hijack(&shouter{}), x.Channel().Send(buffer.FromString("bye"), nil))
		}, "status=0 method=GET target=/ bytes_in=0 bytes_out=0 duration=0s"},
		"can not be read": {"nonsense\r\n\r\n", ok, "status=400"},
	} {
		t.Run(name, func(t *testing.T) {
			ch, l := logged(t, c.serve, &httpx.AccessLog{})
			ch.Feed(c.request)
			require.Equal(t, []string{"remote=192.0.2.1:99 " + c.want}, l.all)
			require.NotEmpty(t, ch.Wire())
		})
	}
}

func interimThen(f httpx.HandlerFunc) httpx.HandlerFunc {
	return func(ctx *pipeline.Context, x *httpx.Exchange) error {
		if err := x.Interim(httpx.NewResponse(103)); err != nil {
			return err
		}
		return f(ctx, x)
	}
}

func TestAccessLogPairsRequestsAndAnswers(t *testing.T) {
	var h holder
	ch, l := logged(t, h.serve, &httpx.AccessLog{})
	ch.Feed(get("/1") + get("/2") + get("/3"))
	for i, status := range []int{203, 202, 201} {
		ch.AdvanceTime(time.Second)
		require.NoError(t, h.all[2-i].RespondText(status, ""))
		ch.RunPending()
	}
	require.Len(t, l.all, 3)
	for i, record := range l.all {
		require.Contains(t, record, fmt.Sprintf("status=20%d method=GET target=/%d bytes_in=0 bytes_out=0 duration=3s", i+1, i+1))
	}
	require.Len(t, statuses(ch.Wire()), 3)
}

func TestAccessLogWaitsUntilTheAnswerHasLeft(t *testing.T) {
	ch, l := logged(t, whole("hello"), &httpx.AccessLog{})
	ch.Block()
	ch.Feed(get("/"))
	ch.AdvanceTime(7 * time.Second)
	require.Empty(t, l.all)
	ch.Unblock()
	ch.RunPending()
	require.Contains(t, l.all[0], "duration=7s")
	require.NotContains(t, l.all[0], "aborted")
}

func TestAccessLogTellsThatTheClientHasLeft(t *testing.T) {
	var h holder
	for name, c := range map[string]struct {
		before func(ch *pipelinetest.Channel)
		want   []string
	}{
		"before an answer": {func(*pipelinetest.Channel) {}, []string{"status=0", "status=0"}},
		"in the middle of one": {func(ch *pipelinetest.Channel) {
			x := h.all[0]
			_ = x.Post(func() { _ = errors.Join(x.Begin(httpx.NewResponse(200)), x.WriteBytes([]byte("x"))) })
			ch.RunPending()
		}, []string{"status=200", "status=0"}},
		"before it has taken one": {func(ch *pipelinetest.Channel) {
			ch.Block()
			_ = h.all[0].RespondText(200, "hello")
			ch.RunPending()
		}, []string{"status=200", "status=0"}},
	} {
		t.Run(name, func(t *testing.T) {
			h.all = nil
			ch, l := logged(t, h.serve, &httpx.AccessLog{})
			ch.Feed(get("/1") + get("/2"))
			c.before(ch)
			ch.PeerReset()
			ch.RunPending()
			require.Len(t, l.all, 2)
			for i, record := range l.all {
				require.Contains(t, record, c.want[i])
				require.Contains(t, record, "aborted=true")
				require.Contains(t, record, fmt.Sprintf("target=/%d ", i+1))
			}
			for err := ch.CheckErr(); err != nil; err = ch.CheckErr() {
				require.ErrorIs(t, err, pipeline.ErrReset)
			}
		})
	}
}

func TestAccessLogHasRefusals(t *testing.T) {
	t.Run("of a body that does not come", func(t *testing.T) {
		ch, l := logged(t, collect, &httpx.AccessLog{})
		ch.Feed(get("/") + "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
		ch.AdvanceTime(5 * time.Second)
		require.Len(t, l.all, 2)
		require.Contains(t, l.all[1], "status=408 method=POST target=/slow bytes_in=2 bytes_out=0 duration=5s")
		require.NotContains(t, l.all[1], "aborted")
		require.Equal(t, []string{"200", "408"}, statuses(ch.Wire()))
	})
	t.Run("of a head that does not come", func(t *testing.T) {
		ch, l := logged(t, collect, &httpx.AccessLog{})
		ch.Feed(get("/") + "GET /slow")
		ch.AdvanceTime(10 * time.Second)
		require.Equal(t, "remote=192.0.2.1:99 status=408", l.all[1])
		require.NotEmpty(t, ch.Wire())
	})
	t.Run("an answer that is refused counts once", func(t *testing.T) {
		ch, l := logged(t, whole("hello", "content-length", "4"), &httpx.AccessLog{})
		ch.Feed(get("/"))
		require.Len(t, l.all, 1)
		require.Contains(t, l.all[0], "status=500")
		require.NotContains(t, l.all[0], "aborted")
		require.NotEmpty(t, ch.Wire())
	})
}

func TestAccessLogEscapesAndCuts(t *testing.T) {
	ch, l := logged(t, ok, &httpx.AccessLog{UserAgent: true, Referer: true, TargetBytes: 8})
	ch.Feed("FOO'BAR" + strings.Repeat("x", 100) + " /\"12345678901234567890 HTTP/1.1\r\nHost: x\r\n" +
		"User-Agent: a\"b\\c\xff\r\nReferer: " + strings.Repeat("r", 200) + "\r\n\r\n" + get("/"))
	require.Contains(t, l.all[0], "method=FOO'BAR"+strings.Repeat("x", 57)+"... ")
	require.Contains(t, l.all[0], `target=/\"123456... `)
	require.Contains(t, l.all[0], `user_agent=a\"b\\c\xff `)
	require.Contains(t, l.all[0], "referer="+strings.Repeat("r", 128)+"...")
	require.NotContains(t, l.all[1], "user_agent")
	ch, l = logged(t, ok, &httpx.AccessLog{})
	ch.Feed(get("/" + strings.Repeat("x", 300)))
	require.Contains(t, l.all[0], "target=/"+strings.Repeat("x", 255)+"... ")
}

func TestAccessLogIsSilentBelowTheLevel(t *testing.T) {
	a := &httpx.AccessLog{Level: slog.LevelDebug}
	ch, l := logged(t, interimThen(collect), a)
	l.level = slog.LevelInfo
	ch.Feed(get("/1") + post("/2", "1\r\na\r\n0\r\n\r\n") + "nonsense\r\n\r\n")
	require.Empty(t, l.all)
	require.Equal(t, []string{"103", "200", "103", "200", "400"}, statuses(ch.Wire()))
}

func TestAccessLogCountsWhatIsOnTheWire(t *testing.T) {
	ch, l := logged(t, whole(prosePage, "content-type", "text/plain"), &httpx.AccessLog{}, &httpx.Compressor{}, &httpx.Decompressor{})
	body := encodeAs(t, "gzip", prosePage)
	ch.Feed(strings.Replace(upload("gzip", body, 10), "Host: x", "Host: x\r\nAccept-Encoding: gzip", 1))
	_, sent, _ := strings.Cut(ch.Wire(), "\r\n\r\n")
	require.Contains(t, l.all[0], fmt.Sprintf("bytes_in=%d bytes_out=%d", len(body), len(sent)))
}

func TestAccessLogKeepsThePromisesOfOthers(t *testing.T) {
	var outcomes []*pipelinetest.Outcome
	var ch *pipelinetest.Channel
	a := &httpx.AccessLog{Logger: slog.New(&lines{})}
	answer := pipeline.OnRead(func(ctx *pipeline.Context, r *httpx.Request) error {
		r.Release()
		for _, length := range []string{"4", "5"} {
			full := httpx.NewFullResponse(200)
			full.SetBodyString("hello")
			require.NoError(t, full.Header.Add("content-length", length))
			p, o := ch.Watch()
			outcomes = append(outcomes, o)
			ctx.WriteWith(full, p)
		}
		return nil
	})
	cfg := httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{a, answer} }}
	ch = pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, &installs{cfg})
	ch.Feed(get("/"))
	require.Len(t, outcomes, 2)
	require.Error(t, outcomes[0].Err)
	require.Equal(t, &pipelinetest.Outcome{Done: true}, outcomes[1])
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
}

func TestAccessLogOfWholeRequests(t *testing.T) {
	l := &lines{}
	ch := behind(t, collect, &httpx.Aggregator{}, &httpx.AccessLog{Logger: slog.New(l)})
	ch.Feed(post("/", "3\r\nabc\r\n0\r\n\r\n"))
	require.Contains(t, l.all[0], "method=POST target=/ bytes_in=3 bytes_out=6")
	require.NotEmpty(t, ch.Wire())
}
