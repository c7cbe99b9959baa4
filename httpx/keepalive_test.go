package httpx_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestMaxRequestsEndsTheConnectionBehindTheLastAnswer(t *testing.T) {
	for name, request := range map[string]string{
		"without a body": get("/"),
		"with a body":    post("/", "3\r\nabc\r\n0\r\n\r\n"),
		"HTTP/1.0":       "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, whole := range []bool{true, false} {
				var h holder
				ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: whole}, httpx.Init(httpx.ServerConfig{
					Handle: h.serve, KeepAlive: httpx.KeepAlive{MaxRequests: 3},
				}))
				ch.Feed(strings.Repeat(request, 5))
				for i := range 3 {
					require.Greater(t, len(h.all), i)
					require.NoError(t, h.all[i].RespondText(200, ""))
					ch.RunPending()
				}
				require.Len(t, h.all, 3)
				wire := ch.Wire()
				require.Len(t, statuses(wire), 3)
				require.Equal(t, 1, strings.Count(wire, "Connection: close"))
				require.Contains(t, wire[strings.LastIndex(wire, "HTTP/1.1"):], "Connection: close")
				require.True(t, ch.Channel().Closed())
			}
		})
	}
}

func TestConnectionsHaveNoMaxByDefault(t *testing.T) {
	ch := answering(t, ok)
	for range 200 {
		ch.Feed(strings.Repeat(get("/"), 100))
		require.Len(t, statuses(ch.Wire()), 100)
		ch.AdvanceTime(50 * time.Second)
	}
	require.True(t, ch.Channel().IsOpen())
}

func TestMaxAge(t *testing.T) {
	const age = 100 * time.Second
	aged := func(t *testing.T, serve httpx.HandlerFunc) *pipelinetest.Channel {
		t.Helper()
		ch := answeringAs(t, httpx.ServerConfig{
			Handle: serve, KeepAlive: httpx.KeepAlive{MaxAge: age}, Deadlines: httpx.Deadlines{Idle: time.Hour},
		})
		ch.Feed(get("/"))
		ch.AdvanceTime(age - age/10 - 1)
		require.True(t, ch.Channel().IsOpen())
		return ch
	}
	t.Run("closes an idle connection", func(t *testing.T) {
		ch := aged(t, ok)
		ch.AdvanceTime(age/5 + 1)
		require.True(t, ch.Channel().Closed())
		require.NotContains(t, ch.Wire(), "close")
	})
	t.Run("closes a busy one behind its answers", func(t *testing.T) {
		var h holder
		ch := aged(t, h.serve)
		ch.Feed(get("/2"))
		ch.AdvanceTime(age/5 + 1)
		ch.Feed(get("/3"))
		require.Len(t, h.all, 2)
		for _, x := range h.all {
			require.NoError(t, x.RespondText(200, ""))
			ch.RunPending()
		}
		wire := ch.Wire()
		require.Len(t, statuses(wire), 2)
		require.Greater(t, strings.Index(wire, "Connection: close"), strings.LastIndex(wire, "HTTP/1.1"))
		require.True(t, ch.Channel().Closed())
	})
	t.Run("answers a request that has begun", func(t *testing.T) {
		ch := aged(t, ok)
		_ = ch.Wire()
		ch.AdvanceTime(1)
		ch.Feed("GET / HT")
		for range 9 {
			ch.AdvanceTime(age / 50)
		}
		if !ch.Channel().IsOpen() {
			return // by chance its time had come before
		}
		ch.Feed("TP/1.1\r\nHost: x\r\n\r\n")
		ch.AdvanceTime(age / 5)
		require.Equal(t, []string{"200"}, statuses(ch.Wire()))
		require.True(t, ch.Channel().Closed())
	})
}

func TestMaxAgeIsSpreadByChance(t *testing.T) {
	seen := map[time.Time]bool{}
	for range 20 {
		ch, err := embedded.NewInit(embedded.Config{}, httpx.Init(httpx.ServerConfig{
			KeepAlive: httpx.KeepAlive{MaxAge: time.Second}, Deadlines: httpx.Deadlines{Ready: time.Hour},
		}))
		require.NoError(t, err)
		for ch.Channel().IsOpen() {
			ch.AdvanceTime(time.Millisecond)
		}
		seen[ch.Now()] = true
		_, err = ch.Finish()
		require.NoError(t, err)
	}
	require.Greater(t, len(seen), 3)
}

// stop does what a server does that ends.
func stop(ch *pipelinetest.Channel) *pipelinetest.Outcome {
	p, outcome := ch.Watch()
	_ = ch.Channel().Post(func() { ch.Pipeline().FireEvent(pipeline.ShutdownEvent{}) })
	ch.Channel().CloseWith(pipeline.CloseDrain, p)
	ch.RunPending()
	return outcome
}

func TestShutdownClosesAnIdleConnectionAtOnce(t *testing.T) {
	for name, request := range map[string]string{"new": "", "used": get("/")} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, ok)
			ch.Feed(request)
			require.True(t, stop(ch).Done)
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestShutdownEventAloneClosesAnIdleConnection(t *testing.T) {
	ch := answering(t, ok)
	ch.Feed(get("/"))
	ch.Pipeline().FireEvent(pipeline.ShutdownEvent{})
	ch.RunPending()
	require.True(t, ch.Channel().Closed())
}

func TestShutdownLetsEveryAnswerOut(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + get("/2") + "GET /3 HT")
	outcome := stop(ch)
	ch.Feed("TP/1.1\r\nHost: x\r\n\r\n" + get("/4"))
	require.Len(t, h.all, 2)
	require.False(t, outcome.Done)
	for _, x := range []*httpx.Exchange{h.all[1], h.all[0]} {
		require.True(t, ch.Channel().IsOpen())
		ch.AdvanceTime(time.Minute)
		require.NoError(t, x.RespondText(200, string(x.Request.Target())))
		ch.RunPending()
	}
	wire := ch.Wire()
	require.Len(t, statuses(wire), 2)
	require.True(t, strings.HasSuffix(wire, "Connection: close\r\n\r\n/2"), wire)
	require.True(t, outcome.Done)
	require.NoError(t, outcome.Err)
	require.True(t, ch.Channel().Closed())
}

func TestShutdownAnswersARequestThatHasBegun(t *testing.T) {
	ch := answering(t, collect)
	ch.Feed(get("/") + "POST / HT")
	_ = ch.Wire()
	outcome := stop(ch)
	ch.Feed("TP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
	ch.Feed("abc" + get("/"))
	require.True(t, outcome.Done)
	wire := ch.Wire()
	require.Equal(t, []string{"200"}, statuses(wire))
	require.Contains(t, wire, "Connection: close")
}

func TestShutdownWaitsForABodyOnItsWay(t *testing.T) {
	ch := answering(t, collect)
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc")
	outcome := stop(ch)
	require.False(t, outcome.Done)
	ch.Feed("def" + get("/"))
	require.True(t, outcome.Done)
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
}

func TestShutdownDoesNotWaitForASlowClient(t *testing.T) {
	ch := answering(t, collect)
	ch.Feed(get("/") + "POST / HT")
	outcome := stop(ch)
	ch.AdvanceTime(httpx.DefaultHeadTime)
	require.True(t, outcome.Done)
	require.Equal(t, []string{"200", "408"}, statuses(ch.Wire()))
}

func TestShutdownLetsAnAnswerInPiecesOut(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	x := h.all[0]
	require.NoError(t, x.Post(func() { require.NoError(t, x.Begin(httpx.NewResponse(200))) }))
	ch.RunPending()
	outcome := stop(ch)
	require.False(t, outcome.Done)
	require.NoError(t, x.Post(func() { require.NoError(t, errors.Join(x.WriteBytes([]byte("hi")), x.End())) }))
	ch.RunPending()
	require.True(t, outcome.Done)
	require.True(t, strings.HasSuffix(ch.Wire(), "2\r\nhi\r\n0\r\n\r\n"))
}

func TestShutdownWaitsForNobodyWhen(t *testing.T) {
	sick := errors.New("sick")
	for name, end := range map[string]func(ch *pipelinetest.Channel, x *httpx.Exchange){
		"the client leaves":   func(ch *pipelinetest.Channel, _ *httpx.Exchange) { ch.PeerClose() },
		"the client resets":   func(ch *pipelinetest.Channel, _ *httpx.Exchange) { ch.PeerReset() },
		"it is cut":           func(ch *pipelinetest.Channel, _ *httpx.Exchange) { ch.Channel().CloseWith(pipeline.CloseNow, nil) },
		"an answer is broken": func(ch *pipelinetest.Channel, x *httpx.Exchange) { ch.Pipeline().FireError(sick) },
	} {
		t.Run(name, func(t *testing.T) {
			var h holder
			ch := answering(t, h.serve)
			ch.Feed(get("/"))
			outcome := stop(ch)
			require.False(t, outcome.Done)
			end(ch, h.all[0])
			ch.RunPending()
			require.True(t, outcome.Done)
			require.NoError(t, outcome.Err)
			for err := ch.CheckErr(); err != nil; err = ch.CheckErr() {
				require.True(t, errors.Is(err, sick) || errors.Is(err, pipeline.ErrReset), err)
			}
		})
	}
}

func TestClosesAreNotHeldBeforeAShutdown(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.True(t, ch.Channel().Closed())
}

func TestClientsThatHaveSentTheirLastOctetGetTheirAnswers(t *testing.T) {
	for name, c := range map[string]struct{ pending, done int }{"while they wait": {2, 0}, "before": {0, 2}} {
		t.Run(name, func(t *testing.T) {
			var h holder
			ch := pipelinetest.NewInit(t, pipelinetest.Config{Config: embedded.Config{Options: pipeline.Options{AllowHalfClose: true}}},
				httpx.Init(httpx.ServerConfig{Handle: h.serve}))
			ch.Feed(get("/1") + get("/2"))
			answer := func() {
				for _, x := range h.all {
					require.NoError(t, x.RespondText(200, ""))
					ch.RunPending()
				}
			}
			if c.done > 0 {
				answer()
			}
			ch.PeerClose()
			ch.RunPending()
			if c.pending > 0 {
				require.True(t, ch.Channel().IsOpen())
				answer()
			}
			wire := ch.Wire()
			require.Len(t, statuses(wire), 2)
			require.Equal(t, c.pending > 0, strings.Contains(wire, "Connection: close"))
			require.True(t, ch.Channel().Closed())
		})
	}
}
