package httpx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// dateLine is the Date of answers that are sent at the beginning of virtual time.
const dateLine = "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"

func answeringAs(t *testing.T, cfg httpx.ServerConfig) *pipelinetest.Channel {
	t.Helper()
	return pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(cfg))
}

func TestAnswersHaveADateAndAServer(t *testing.T) {
	const wanted = "Server: penstock\r\n"
	for name, c := range map[string]struct {
		request string
		serve   httpx.HandlerFunc
		date    int
	}{
		"whole":           {get("/"), func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "hi") }, 1},
		"not modified":    {get("/"), func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(304, "") }, 1},
		"can not be read": {"nonsense\r\n\r\n", func(*pipeline.Context, *httpx.Exchange) error { return nil }, 1},
		"in pieces, behind an interim one": {get("/"), func(_ *pipeline.Context, x *httpx.Exchange) error {
			require.NoError(t, x.Interim(httpx.NewResponse(103)))
			require.NoError(t, x.Begin(httpx.NewResponse(200)))
			return x.End()
		}, 1},
		"another protocol": {"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n", func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.Upgrade(httpx.NewResponse(101), &shouter{})
		}, 0},
		"tunnel": {"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.Upgrade(httpx.NewResponse(200), &shouter{})
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answeringAs(t, httpx.ServerConfig{Handle: c.serve, Name: "penstock"})
			ch.Feed(c.request)
			wire := ch.Wire()
			require.Equal(t, c.date, strings.Count(wire, dateLine), wire)
			require.Equal(t, c.date, strings.Count(wire, wanted), wire)
		})
	}
}

func TestDateAndServerOfTheHandlerStay(t *testing.T) {
	ch := answeringAs(t, httpx.ServerConfig{Name: "penstock", Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewFullResponse(200)
		require.NoError(t, r.Header.Add("date", "Sun, 06 Nov 1994 08:49:37 GMT"))
		require.NoError(t, r.Header.Add("SERVER", "mine"))
		return x.Respond(r)
	}})
	ch.Feed(get("/"))
	require.Equal(t, "HTTP/1.1 200 OK\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\nSERVER: mine\r\nContent-Length: 0\r\n\r\n", ch.Wire())
}

func TestDateFollowsTheTime(t *testing.T) {
	ch := answeringAs(t, httpx.ServerConfig{Handle: func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "") }})
	ch.Feed(get("/"))
	for _, d := range []time.Duration{0, 999 * time.Millisecond, time.Millisecond, 30 * time.Second} {
		ch.AdvanceTime(d)
		_ = ch.Wire()
		ch.Feed(get("/"))
		want := string(httpx.AppendDate(nil, ch.Now()))
		require.Contains(t, ch.Wire(), "\r\nDate: "+want+"\r\n")
	}
	require.Equal(t, embedded.DefaultStart().Add(31*time.Second), ch.Now())
}

func TestNoDateLeavesItOut(t *testing.T) {
	ch := answeringAs(t, httpx.ServerConfig{NoDate: true, Handle: func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "") }})
	ch.Feed(get("/"))
	require.NotContains(t, ch.Wire(), "Date")
}

func TestServerNamesThatCanNotBeSentAreRefused(t *testing.T) {
	for _, name := range []string{"a\r\nb", strings.Repeat("x", 65)} {
		_, err := embedded.NewInit(embedded.Config{}, httpx.Init(httpx.ServerConfig{Name: name}))
		require.EqualError(t, err, "httpx: bad server name")
		ch := pipelinetest.New(t, &installs{httpx.ServerConfig{Name: name}})
		require.ErrorContains(t, ch.CheckErr(), "bad server name")
	}
}
