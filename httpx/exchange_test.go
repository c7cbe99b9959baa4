package httpx_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// answering is a server's pipeline with f behind it.
func answering(t testing.TB, f httpx.HandlerFunc) *pipelinetest.Channel {
	t.Helper()
	return pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: f}))
}

func get(target string) string { return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n" }

func post(target, body string) string {
	return "POST " + target + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + body
}

// holder keeps exchanges until the test answers them.
type holder struct{ all []*httpx.Exchange }

func (h *holder) serve(_ *pipeline.Context, x *httpx.Exchange) error {
	h.all = append(h.all, x)
	return nil
}

func TestExchangeAnswersAtOnce(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.RespondText(200, string(x.Request.Target()))
	})
	ch.Feed(get("/a") + get("/b"))
	wire := ch.Wire()
	require.Equal(t, []string{"200", "200"}, statuses(wire))
	require.Less(t, strings.Index(wire, "/a"), strings.Index(wire, "/b"))
}

func TestExchangeRepliesAtOnce(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewFullResponse(200)
		r.SetBodyString(string(x.Request.Target()))
		if err := x.Reply(r); err != nil {
			return err
		}
		require.ErrorIs(t, x.Reply(httpx.NewFullResponse(200)), httpx.ErrResponded)
		return nil
	})
	ch.Feed(get("/a") + get("/b") + post("/c", "1\r\na\r\n0\r\n\r\n") + get("/d"))
	wire := ch.Wire()
	require.Equal(t, []string{"200", "200", "200", "200"}, statuses(wire))
	require.True(t, strings.HasSuffix(wire, "/d"))
}

func TestExchangeRepliesLater(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	require.NoError(t, h.all[0].Post(func() { require.NoError(t, h.all[0].Reply(httpx.NewFullResponse(204))) }))
	ch.RunPending()
	require.Equal(t, []string{"204"}, statuses(ch.Wire()))
	require.True(t, h.all[0].Responded())
}

func TestExchangeAnswersLeaveInTheOrderOfTheRequests(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/a") + get("/b") + get("/c"))
	require.NoError(t, h.all[2].RespondText(200, "third"))
	require.NoError(t, h.all[1].RespondText(201, "second"))
	ch.RunPending()
	require.Empty(t, ch.Wire())
	require.NoError(t, h.all[0].RespondText(202, "first"))
	ch.RunPending()
	require.Equal(t, []string{"202", "201", "200"}, statuses(ch.Wire()))
}

func TestExchangeKeepsItsRequestReadableUntilItIsAnswered(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed("GET /a?" + strings.Repeat("q", 400) + " HTTP/1.1\r\nHost: x\r\nX-Long: yes\r\n\r\n")
	ch.Feed(get("/" + strings.Repeat("z", 600)))
	x := h.all[0]
	require.Equal(t, "yes", string(x.Request.Header.Get("x-long")))
	require.Contains(t, string(x.Request.Target()), "/a?qqq")
	ch.PeerClose()
	ch.RunPending()
	require.True(t, ch.Channel().Closed())
	require.Equal(t, "yes", string(x.Request.Header.Get("x-long")))
	_ = x.RespondText(200, "too late")
}

func TestExchangeTakesOneAnswerOnly(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	x := h.all[0]
	require.NoError(t, x.RespondText(200, "one"))
	require.ErrorIs(t, x.RespondText(200, "two"), httpx.ErrResponded)
	ch.RunPending()
	require.ErrorIs(t, x.RespondText(200, "three"), httpx.ErrResponded)
	require.ErrorIs(t, x.Begin(httpx.NewResponse(200)), httpx.ErrResponded)
	require.True(t, x.Responded())
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
}

func TestExchangeIsAnsweredOnceByManyGoroutines(t *testing.T) {
	const rounds, rivals = 200, 4
	for range rounds {
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
			for range rivals {
				wg.Go(func() {
					err := x.RespondText(200, "mine")
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						won++
					} else {
						require.ErrorIs(t, err, httpx.ErrResponded)
					}
				})
			}
			return nil
		})
		ch.Feed(get("/"))
		wg.Wait()
		ch.RunPending()
		require.Equal(t, 1, won)
		require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	}
}

func TestExchangeFailsWithTheStatusOfTheError(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"any error":         {errors.New("no"), "500"},
		"an error's status": {&httpx.Error{Status: 413, Reason: "too much"}, "413"},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, func(*pipeline.Context, *httpx.Exchange) error { return c.err })
			ch.Feed(get("/") + get("/"))
			require.Equal(t, []string{c.want, c.want}, statuses(ch.Wire()))
			require.True(t, ch.Channel().IsOpen())
		})
	}
}

func TestExchangeSendsAnAnswerInPieces(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/a") + get("/b"))
	x := h.all[0]
	require.NoError(t, x.Post(func() {
		require.NoError(t, x.Begin(httpx.NewResponse(200)))
		require.NoError(t, x.WriteBytes([]byte("hello")))
	}))
	ch.RunPending()
	require.True(t, strings.HasSuffix(ch.Wire(), "5\r\nhello\r\n"))
	require.NoError(t, h.all[1].RespondText(200, "next"))
	ch.RunPending()
	require.Empty(t, ch.Wire())
	require.NoError(t, x.Post(func() {
		require.NoError(t, x.End())
		require.ErrorIs(t, x.End(), httpx.ErrNotBegun)
	}))
	ch.RunPending()
	wire := ch.Wire()
	require.True(t, strings.HasPrefix(wire, "0\r\n\r\nHTTP/1.1 200 OK"), wire)
}

func TestExchangeEndsWithTrailers(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		var trailer httpx.Header
		return errors.Join(trailer.Add("x-sum", "17"), x.Begin(httpx.NewResponse(200)), x.WriteBytes([]byte("a")), x.EndWith(&trailer))
	})
	ch.Feed(get("/"))
	require.True(t, strings.HasSuffix(ch.Wire(), "1\r\na\r\n0\r\nx-sum: 17\r\n\r\n"))
}

func TestExchangePiecesWaitForTheirTurn(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/a") + get("/b"))
	x := h.all[1]
	require.NoError(t, x.Post(func() {
		require.NoError(t, x.Begin(httpx.NewResponse(200)))
		require.NoError(t, x.WriteBytes([]byte("hello")))
		require.NoError(t, x.End())
	}))
	ch.RunPending()
	require.Empty(t, ch.Wire())
	require.NoError(t, h.all[0].RespondText(204, ""))
	ch.RunPending()
	require.Equal(t, []string{"204", "200"}, statuses(ch.Wire()))
}

func TestExchangeAnswersWithoutABodyAreCompleteByThemselves(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"HEAD":         {"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", 200},
		"no content":   {get("/"), 204},
		"not modified": {get("/"), 304},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
				if err := x.Begin(httpx.NewResponse(c.status)); err != nil {
					return err
				}
				if err := x.WriteBytes([]byte("dropped")); err != nil {
					return err
				}
				return x.End()
			})
			ch.Feed(c.request + c.request)
			wire := ch.Wire()
			require.Len(t, statuses(wire), 2)
			require.NotContains(t, wire, "dropped")
		})
	}
}

func TestExchangeTellsThatTheClientHasLeft(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	x := h.all[0]
	var causes []error
	parent := x.Parent()
	require.NoError(t, x.Post(func() { x.OnGone(func(cause error) { causes = append(causes, cause) }) }))
	ch.RunPending()
	require.NoError(t, parent.Err())
	ch.PeerClose()
	ch.RunPending()
	require.Equal(t, []error{httpx.ErrGone}, causes)
	require.ErrorIs(t, context.Cause(parent), httpx.ErrGone)
	require.ErrorIs(t, context.Cause(x.Parent()), httpx.ErrGone)
	_ = x.RespondText(200, "too late")
	require.ErrorIs(t, x.End(), httpx.ErrGone)
	require.False(t, x.Writable())
	x.OnGone(func(cause error) { causes = append(causes, cause) })
	require.Len(t, causes, 2)
}

func TestExchangeParentEndsWithTheAnswer(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	parent := h.all[0].Parent()
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	require.Error(t, parent.Err())
	require.NotErrorIs(t, context.Cause(parent), httpx.ErrGone)
}

func TestExchangeStopsReadingWhileTooManyRequestsWait(t *testing.T) {
	var h holder
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: h.serve, MaxPending: 3}))
	ch.Feed(strings.Repeat(get("/"), 10))
	require.Len(t, h.all, 3)
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	require.Len(t, h.all, 4)
	for i := 1; i < 10; i++ {
		require.NoError(t, h.all[i].RespondText(200, ""))
		ch.RunPending()
	}
	require.Len(t, statuses(ch.Wire()), 10)
}

func TestExchangeStopsReadingWhileTooLargeAnswersWait(t *testing.T) {
	var h holder
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: h.serve, MaxQueued: 1000}))
	ch.Feed(get("/") + get("/"))
	require.NoError(t, h.all[1].RespondText(200, strings.Repeat("x", 2000)))
	ch.RunPending()
	ch.Feed(get("/"))
	require.Len(t, h.all, 2)
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	require.Len(t, h.all, 3)
	require.NoError(t, h.all[2].RespondText(200, ""))
	ch.RunPending()
	require.Len(t, statuses(ch.Wire()), 3)
}

func TestExchangeIsWritableAgainWhenTheClientReads(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	x := h.all[0]
	ready := 0
	ch.Block()
	require.NoError(t, x.Post(func() {
		require.NoError(t, x.Begin(httpx.NewResponse(200)))
		x.OnWritable(func() { ready++ })
		for x.Writable() {
			require.NoError(t, x.WriteBytes(make([]byte, 16<<10)))
		}
	}))
	ch.RunPending()
	require.Zero(t, ready)
	ch.Unblock()
	ch.RunPending()
	require.Equal(t, 1, ready)
	require.NoError(t, x.Post(func() { require.NoError(t, x.End()) }))
	ch.RunPending()
	require.True(t, strings.HasSuffix(ch.Wire(), "0\r\n\r\n"))
}

func TestExchangeSendsInterimAnswersFirst(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		if err := x.Interim(httpx.NewResponse(103)); err != nil {
			return err
		}
		require.Error(t, x.Interim(httpx.NewResponse(200)))
		if err := x.RespondText(200, "ok"); err != nil {
			return err
		}
		require.ErrorIs(t, x.Interim(httpx.NewResponse(103)), httpx.ErrResponded)
		return nil
	})
	ch.Feed(get("/"))
	require.Equal(t, []string{"103", "200"}, statuses(ch.Wire()))
}

func TestExchangeAnswersThatCannotBeEncodedBecome500(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewFullResponse(200)
		r.SetBodyString("hello")
		require.NoError(t, r.Header.Add("content-length", "4"))
		return x.Respond(r)
	})
	ch.Feed(get("/") + get("/"))
	require.Equal(t, []string{"500", "500"}, statuses(ch.Wire()))
}

func TestExchangeErrorsBehindTheAnswerCloseTheConnection(t *testing.T) {
	sick := errors.New("sick")
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		if err := x.Begin(httpx.NewResponse(200)); err != nil {
			return err
		}
		return sick
	})
	ch.Feed(get("/"))
	ch.ExpectError(sick)
	require.True(t, ch.Channel().Closed())
}

func TestExchangeUpgradeHandsOverWhatFollows(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewResponse(101)
		if err := errors.Join(r.Header.Add("upgrade", "shout"), r.Header.Add("connection", "upgrade")); err != nil {
			return err
		}
		return x.Upgrade(r, &shouter{})
	})
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\nhello")
	wire := ch.Wire()
	require.Equal(t, []string{"101"}, statuses(wire))
	require.True(t, strings.HasSuffix(wire, "\r\n\r\nHELLO"), wire)
	ch.Feed(" again")
	require.Equal(t, " AGAIN", ch.Wire())
	require.Len(t, ch.Pipeline().Names(), 1)
}

func TestExchangeUpgradeNeedsToBeAskedFor(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		require.Error(t, x.Upgrade(httpx.NewResponse(101), &shouter{}))
		return x.RespondText(200, "no")
	})
	ch.Feed(get("/"))
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
}

func TestExchangeRefusedUpgradeGoesOnWithTheNextRequest(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n" + get("/next"))
	require.Len(t, h.all, 1)
	require.NoError(t, h.all[0].RespondText(200, "no"))
	ch.RunPending()
	require.Len(t, h.all, 2)
	require.NoError(t, h.all[1].RespondText(200, "ok"))
	ch.RunPending()
	require.Equal(t, []string{"200", "200"}, statuses(ch.Wire()))
}
