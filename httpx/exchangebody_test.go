package httpx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestExchangeGivesTheBodyAsItComes(t *testing.T) {
	var got []string
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.OnBody(func(c *httpx.Content) error {
			defer c.Release()
			got = append(got, string(c.Bytes()))
			if c.Last {
				return x.RespondText(200, strings.Join(got, "|"))
			}
			return nil
		})
	})
	ch.Feed(post("/", "3\r\nabc\r\n"))
	require.Equal(t, []string{"abc"}, got)
	ch.Feed("2\r\nde\r\n0\r\n\r\n")
	require.True(t, strings.HasSuffix(ch.Wire(), "abc|de|"))
	ch.Feed(get("/"))
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
}

func TestExchangeHoldsTheBodyUntilSomebodyAsks(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(post("/", "3\r\nabc\r\n"))
	ch.Feed("3\r\ndef\r\n")
	ch.Feed("0\r\n\r\n" + get("/next"))
	require.Len(t, h.all, 1)
	var got strings.Builder
	x := h.all[0]
	require.NoError(t, x.Post(func() {
		require.NoError(t, x.OnBody(func(c *httpx.Content) error {
			defer c.Release()
			got.Write(c.Bytes())
			return nil
		}))
		require.ErrorIs(t, x.OnBody(nil), httpx.ErrBodyTaken)
	}))
	ch.RunPending()
	require.Equal(t, "abcdef", got.String())
	require.Len(t, h.all, 2)
	require.NoError(t, x.RespondText(200, ""))
	require.NoError(t, h.all[1].RespondText(200, ""))
	ch.RunPending()
	require.Len(t, statuses(ch.Wire()), 2)
}

func TestExchangePausesTheBody(t *testing.T) {
	var got strings.Builder
	var x *httpx.Exchange
	ch := answering(t, func(_ *pipeline.Context, e *httpx.Exchange) error {
		x = e
		return x.OnBody(func(c *httpx.Content) error {
			defer c.Release()
			got.Write(c.Bytes())
			x.PauseBody()
			return nil
		})
	})
	ch.Feed(post("/", "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n"))
	for _, want := range []string{"a", "ab", "abc"} {
		require.Equal(t, want, got.String())
		require.NoError(t, x.Post(x.ResumeBody))
		ch.RunPending()
	}
	require.NoError(t, x.RespondText(200, ""))
	ch.RunPending()
	require.Len(t, statuses(ch.Wire()), 1)
}

func TestExchangeCollectsTheBody(t *testing.T) {
	for name, c := range map[string]struct {
		request, want string
		status        string
	}{
		"none":               {get("/"), "<>", "200"},
		"in pieces":          {post("/", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"), "<abc>", "200"},
		"announced":          {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd", "<abcd>", "200"},
		"too long":           {post("/", "b\r\nhello world\r\n0\r\n\r\n"), "", "413"},
		"announced too long": {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world", "", "413"},
	} {
		t.Run(name, func(t *testing.T) {
			serve := func(_ *pipeline.Context, x *httpx.Exchange) error {
				return x.ReadBody(10, func(body []byte, err error) error {
					if err != nil {
						return err
					}
					return x.RespondText(200, "<"+string(body)+">")
				})
			}
			for _, whole := range []bool{true, false} {
				ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: whole}, httpx.Init(httpx.ServerConfig{Handle: serve}))
				ch.Feed(c.request)
				ch.Feed(c.request)
				wire := ch.Wire()
				require.Equal(t, []string{c.status, c.status}, statuses(wire))
				require.Contains(t, wire, c.want)
			}
		})
	}
}

func TestExchangeCollectsTheBodyOfAClientThatLeaves(t *testing.T) {
	var got error
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.ReadBody(0, func(_ []byte, err error) error { got = err; return err })
	})
	ch.Feed(post("/", "1\r\na\r\n"))
	ch.PeerClose()
	ch.RunPending()
	require.ErrorIs(t, got, httpx.ErrGone)
}

func TestExchangeSendsContinueWhenTheBodyIsAskedFor(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
	ch.Feed(head)
	require.Empty(t, ch.Wire())
	x := h.all[0]
	require.NoError(t, x.Post(func() {
		require.NoError(t, x.ReadBody(0, func(body []byte, err error) error {
			require.NoError(t, err)
			return x.RespondText(200, string(body))
		}))
	}))
	ch.RunPending()
	require.Equal(t, "HTTP/1.1 100 Continue\r\n\r\n", ch.Wire())
	ch.Feed("abc")
	require.True(t, strings.HasSuffix(ch.Wire(), "abc"))
	ch.Feed(head + "abc")
	require.Len(t, h.all, 2)
	require.NoError(t, h.all[1].Post(func() {
		require.NoError(t, h.all[1].ReadBody(0, func(body []byte, _ error) error { return h.all[1].RespondText(200, string(body)) }))
	}))
	ch.RunPending()
	require.Equal(t, []string{"200"}, statuses(ch.Wire()), "no 100 when the body is here")
}

func TestExchangeAnswersInsteadOfContinueAndCloses(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(417, "no") })
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	wire := ch.Wire()
	require.Equal(t, []string{"417"}, statuses(wire))
	require.Contains(t, wire, "Connection: close")
	require.True(t, ch.Channel().Closed())
}

func TestExchangeDropsABodyThatNobodyWants(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		closes  bool
	}{
		"small":           {post("/", "3\r\nabc\r\n0\r\n\r\n"), false},
		"large":           {post("/", "20\r\n"+strings.Repeat("x", 32)+"\r\n0\r\n\r\n"), true},
		"announced large": {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 32\r\n\r\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			serve := func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "") }
			ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{Handle: serve, MaxDiscard: 16}))
			ch.Feed(c.request)
			if !c.closes {
				ch.Feed(get("/"))
			}
			require.Equal(t, c.closes, ch.Channel().Closed())
			require.Len(t, statuses(ch.Wire()), map[bool]int{false: 2, true: 1}[c.closes])
		})
	}
}

func TestExchangeStopsGivingTheBodyToAFunctionThatFailed(t *testing.T) {
	calls := 0
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.OnBody(func(c *httpx.Content) error {
			c.Release()
			calls++
			return errors.New("enough")
		})
	})
	ch.Feed(post("/", "1\r\na\r\n"))
	ch.Feed("1\r\nb\r\n0\r\n\r\n")
	require.Equal(t, 1, calls)
	require.Equal(t, []string{"500"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().IsOpen())
}

func TestExchangeForgetsBodiesThatWereNeverAskedFor(t *testing.T) {
	var h holder
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: h.serve, MaxQueued: 100}))
	for i := range 10 {
		ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n" + strings.Repeat("x", 50))
		require.Len(t, h.all, i+1)
		require.NoError(t, h.all[i].RespondText(200, ""))
		ch.RunPending()
	}
	require.Len(t, statuses(ch.Wire()), 10)
}

func TestExchangeTakesWholeRequests(t *testing.T) {
	for name, answer := range map[string]func(x *httpx.Exchange, text string) error{
		"respond": func(x *httpx.Exchange, text string) error { return x.RespondText(200, text) },
		"reply": func(x *httpx.Exchange, text string) error {
			r := httpx.NewFullResponse(200)
			r.SetBodyString(text)
			return x.Reply(r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{
				Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{&httpx.Aggregator{}} },
				Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
					return x.ReadBody(0, func(body []byte, err error) error {
						return errors.Join(err, answer(x, "<"+string(body)+">"))
					})
				},
			}))
			ch.Feed(post("/", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n") + get("/"))
			wire := ch.Wire()
			require.Contains(t, wire, "<abc>")
			require.True(t, strings.HasSuffix(wire, "<>"), wire)
		})
	}
}

func TestExchangeLetsTheBodyOfAWholeRequestGo(t *testing.T) {
	ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{
		Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{&httpx.Aggregator{}} },
		Handle:   func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "") },
	}))
	ch.Feed(strings.Repeat(post("/", "12c\r\n"+strings.Repeat("x", 300)+"\r\n0\r\n\r\n"), 3))
	require.Len(t, statuses(ch.Wire()), 3)
}

func TestExchangeReadsTheBodyOfTheLastRequestThatMayWait(t *testing.T) {
	ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{
		MaxPending: 1,
		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.ReadBody(0, func(body []byte, err error) error { return errors.Join(err, x.RespondText(200, string(body))) })
		},
	}))
	ch.Feed(post("/", "3\r\nabc\r\n0\r\n\r\n") + post("/", "3\r\ndef\r\n0\r\n\r\n"))
	require.Len(t, statuses(ch.Wire()), 2)
}

// earlyAnswers end an exchange while its body is still coming.
var earlyAnswers = map[string]struct {
	give  func(x *httpx.Exchange) error
	cause error // that ReadBody gets
}{
	"respond": {func(x *httpx.Exchange) error { return x.RespondText(200, "early") }, httpx.ErrGone},
	"begin":   {func(x *httpx.Exchange) error { return x.Begin(httpx.NewResponse(204)) }, httpx.ErrGone},
	"abort":   {(*httpx.Exchange).Abort, httpx.ErrGone},
	"hijack":  {func(x *httpx.Exchange) error { return x.Hijack(&shouter{}) }, httpx.ErrBodyTaken},
	"upgrade": {upgradeToShouts, httpx.ErrBodyTaken},
}

func upgradeToShouts(x *httpx.Exchange) error {
	r := httpx.NewResponse(101)
	err := errors.Join(r.Header.Add("upgrade", "shout"), r.Header.Add("connection", "upgrade"))
	return errors.Join(err, x.Upgrade(r, &shouter{}))
}

const halfOfBody = "POST / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\nContent-Length: 10\r\n\r\nabc"

func TestABodyThatIsCollectedBehindTheAnswerEndsWithTheConnection(t *testing.T) {
	for name, answer := range earlyAnswers {
		t.Run(name, func(t *testing.T) {
			var h holder
			ch := answering(t, h.serve)
			ch.Feed(halfOfBody)
			var got error
			require.NoError(t, h.all[0].ReadBody(0, func(_ []byte, err error) error { got = err; return err }))
			require.NoError(t, answer.give(h.all[0]))
			ch.RunPending()
			ch.PeerReset()
			ch.RunPending()
			require.ErrorIs(t, got, answer.cause)
		})
	}
}

func TestPiecesThatWaitBehindTheAnswerAreLetGoWithTheConnection(t *testing.T) {
	for name, answer := range earlyAnswers {
		t.Run(name, func(t *testing.T) {
			var h holder
			ch := answering(t, h.serve)
			ch.Feed(halfOfBody)
			h.all[0].PauseBody()
			require.NoError(t, h.all[0].OnBody(func(c *httpx.Content) error { c.Release(); return nil }))
			require.NoError(t, answer.give(h.all[0]))
			ch.RunPending()
			ch.PeerReset()
			ch.RunPending()
		})
	}
}

func TestABodyBehindAReplyEndsWithTheConnection(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		if err := x.OnBody(func(c *httpx.Content) error { c.Release(); return nil }); err != nil {
			return err
		}
		return x.Reply(httpx.NewFullResponse(204))
	})
	ch.Feed(halfOfBody)
	ch.PeerReset()
	ch.RunPending()
	require.Equal(t, []string{"204"}, statuses(ch.Wire()))
}

func TestAnotherProtocolIsReadThoughTheBodyWasPaused(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		x.PauseBody()
		return errors.Join(x.OnBody(func(c *httpx.Content) error { c.Release(); return nil }), upgradeToShouts(x))
	})
	ch.Feed(halfOfBody)
	ch.Feed("more")
	require.True(t, strings.HasSuffix(ch.Wire(), "MORE"))
}

func TestReadingGoesOnWhenALateReadOfNoBodyAnswers(t *testing.T) {
	var h holder
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: h.serve, MaxPending: 1}))
	ch.Feed(get("/a") + get("/b"))
	for i := range 2 {
		x := h.all[i]
		require.NoError(t, x.ReadBody(0, func([]byte, error) error { return x.RespondText(200, "a") }))
		ch.RunPending()
	}
	require.Equal(t, []string{"200", "200"}, statuses(ch.Wire()))
}
