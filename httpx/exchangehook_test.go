package httpx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// marking adds a field to the answers of next, and its name to seen.
func marking(name string, seen *[]string, next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(ctx *pipeline.Context, x *httpx.Exchange) error {
		x.OnAnswer(func(r *httpx.Response) {
			*seen = append(*seen, name)
			_ = r.Header.Add("x-mark", name)
		})
		return next(ctx, x)
	}
}

func TestOnAnswerSeesEveryFormOfAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		answer  func(x *httpx.Exchange) error
	}{
		"whole": {get("/"), func(x *httpx.Exchange) error { return x.RespondText(200, "a") }},
		"reply": {get("/"), func(x *httpx.Exchange) error { return x.Reply(httpx.NewFullResponse(204)) }},
		"error": {get("/"), func(*httpx.Exchange) error { return &httpx.Error{Status: 404} }},
		"behind an interim one": {get("/"), func(x *httpx.Exchange) error {
			return errors.Join(x.Interim(httpx.NewResponse(103)), x.RespondText(200, "a"))
		}},
		"pieces": {get("/"), func(x *httpx.Exchange) error {
			return errors.Join(x.Begin(httpx.NewResponse(200)), x.WriteBytes([]byte("a")), x.End())
		}},
		"upgrade": {"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n", func(x *httpx.Exchange) error {
			r := httpx.NewResponse(101)
			err := errors.Join(r.Header.Add("upgrade", "shout"), r.Header.Add("connection", "upgrade"))
			return errors.Join(err, x.Upgrade(r, &shouter{}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []string
			ch := answering(t, marking("outer", &seen, marking("inner", &seen, func(_ *pipeline.Context, x *httpx.Exchange) error {
				return c.answer(x)
			})))
			ch.Feed(c.request)
			require.Equal(t, []string{"inner", "outer"}, seen)
			wire := ch.Wire()
			if _, final, interim := strings.Cut(wire, "103 Early Hints\r\n\r\n"); interim {
				wire = final
			}
			head, _, _ := strings.Cut(wire, "\r\n\r\n")
			require.Contains(t, head, "x-mark: inner\r\nx-mark: outer", wire)
		})
	}
}

func TestOnAnswerWaitsForTheTurnOfTheAnswer(t *testing.T) {
	var h holder
	var seen []string
	ch := answering(t, marking("a", &seen, h.serve))
	ch.Feed(get("/1") + get("/2"))
	require.NoError(t, h.all[1].RespondText(200, "second"))
	ch.RunPending()
	require.Empty(t, seen)
	require.NoError(t, h.all[0].RespondText(200, "first"))
	ch.RunPending()
	require.Len(t, seen, 2)
	require.Equal(t, 2, strings.Count(ch.Wire(), "x-mark"))
}

func TestOnAnswerDoesNotChangeAnAnswerThatOthersHold(t *testing.T) {
	shared := httpx.NewFullResponse(200)
	defer shared.Release()
	shared.SetBodyString("hello")
	require.NoError(t, shared.Header.Add("x-own", "yes"))
	var seen []string
	ch := answering(t, marking("a", &seen, func(_ *pipeline.Context, x *httpx.Exchange) error {
		shared.Retain()
		return x.Respond(shared)
	}))
	ch.Feed(get("/") + get("/"))
	wire := ch.Wire()
	require.Equal(t, 2, strings.Count(wire, "x-mark"), wire)
	require.Equal(t, 2, strings.Count(wire, "x-own: yes"))
	require.Equal(t, 2, strings.Count(wire, "hello"))
	require.Equal(t, 1, shared.Header.Len())
}

func TestOnAnswerIsNotCalledWhenTheClientHasLeft(t *testing.T) {
	var h holder
	var seen []string
	ch := answering(t, marking("a", &seen, h.serve))
	ch.Feed(get("/"))
	ch.PeerClose()
	ch.RunPending()
	_ = h.all[0].RespondText(200, "late")
	ch.RunPending()
	require.Empty(t, seen)
}

func TestOnAnswerDoesNotChangeAHeadThatOthersHold(t *testing.T) {
	shared := httpx.NewResponse(200)
	defer shared.Release()
	require.NoError(t, shared.Header.Add("x-own", "yes"))
	var seen []string
	ch := answering(t, marking("a", &seen, func(_ *pipeline.Context, x *httpx.Exchange) error {
		shared.Retain()
		return errors.Join(x.Begin(shared), x.WriteBytes([]byte("hello")), x.End())
	}))
	ch.Feed(get("/") + get("/"))
	wire := ch.Wire()
	require.Equal(t, 2, strings.Count(wire, "x-mark"), wire)
	require.Equal(t, 2, strings.Count(wire, "x-own: yes"))
	require.Equal(t, 1, shared.Header.Len())
}

func TestOnAnswerMayLeaveHTTP(t *testing.T) {
	for name, leave := range map[string]func(x *httpx.Exchange) error{
		"abort":  (*httpx.Exchange).Abort,
		"hijack": func(x *httpx.Exchange) error { return x.Hijack(&shouter{}) },
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
				x.OnAnswer(func(*httpx.Response) { require.NoError(t, leave(x)) })
				require.ErrorIs(t, x.Begin(httpx.NewResponse(200)), httpx.ErrResponded)
				require.NoError(t, x.WriteBytes([]byte("dropped")))
				return nil
			})
			ch.Feed(get("/"))
			require.Empty(t, ch.Wire())
			ch.PeerReset()
			ch.RunPending()
		})
	}
}
