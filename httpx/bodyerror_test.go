package httpx_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// spoiler declares a body broken when it has an X.
type spoiler struct{ pipeline.Unshared }

func (*spoiler) HandleRead(ctx *pipeline.Context, msg any) error {
	if c, ok := msg.(*httpx.Content); ok && string(c.Bytes()) == "X" {
		c.Release()
		ctx.FireError(&httpx.BodyError{Status: 422, Reason: "spoilt", Cause: errors.New("an X")})
		return nil
	}
	ctx.FireRead(msg)
	return nil
}

func TestBodyErrorGoesToWhoeverTakesTheBody(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(x *httpx.Exchange, err error) error
		hook   bool
		want   string
	}{
		"nobody asks":             {want: "422"},
		"who asks returns it":     {func(_ *httpx.Exchange, err error) error { return err }, true, "422"},
		"who asks answers itself": {func(x *httpx.Exchange, _ error) error { return x.RespondText(418, "") }, true, "418"},
	} {
		t.Run(name, func(t *testing.T) {
			var got error
			ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{
				Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{&spoiler{}} },
				Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
					if c.hook {
						x.OnBodyError(func(err error) error {
							got = err
							return c.answer(x, err)
						})
					}
					return x.OnBody(func(c *httpx.Content) error {
						c.Release()
						return nil
					})
				},
			}))
			ch.Feed(post("/", "1\r\na\r\n1\r\nX\r\n1\r\nb\r\n0\r\n\r\n") + get("/"))
			require.Equal(t, c.want, statuses(ch.Wire())[0])
			if c.hook {
				var broken *httpx.BodyError
				require.ErrorAs(t, got, &broken)
			}
		})
	}
}

func TestBodyErrorsMatchWhatTheyAreMadeOf(t *testing.T) {
	err := error(&httpx.BodyError{Status: 400, Reason: "bad body", Cause: io.ErrUnexpectedEOF})
	require.EqualError(t, err, "httpx: 400 bad body: unexpected EOF")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	var refused *httpx.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, httpx.Error{Status: 400, Reason: "bad body"}, *refused)
}

func TestBodyErrorsThatNobodyNeedsAreNoErrors(t *testing.T) {
	late := pipeline.OnRead(func(ctx *pipeline.Context, r *httpx.Request) error {
		ctx.FireRead(r)
		ctx.FireError(&httpx.BodyError{Status: 400, Reason: "bad body", Cause: io.ErrUnexpectedEOF})
		return nil
	})
	ch := behind(t, ok, late)
	ch.Feed(get("/") + get("/"))
	require.Equal(t, []string{"200", "200"}, statuses(ch.Wire()))
}

func TestDivertedRequestsAreAnsweredInTheirTurn(t *testing.T) {
	var h holder
	divert := pipeline.OnRead(func(ctx *pipeline.Context, r *httpx.Request) error {
		if string(r.Target()) == "/no" {
			r.Divert(func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(403, "no") })
		}
		ctx.FireRead(r)
		return nil
	})
	for _, more := range [][]pipeline.Handler{nil, {&httpx.Aggregator{}}} {
		h.all = nil
		ch := behind(t, h.serve, append([]pipeline.Handler{divert}, more...)...)
		ch.Feed(get("/1") + get("/no") + get("/2"))
		require.Len(t, h.all, 2)
		require.NoError(t, errors.Join(h.all[1].RespondText(202, ""), h.all[0].RespondText(201, "")))
		ch.RunPending()
		require.Equal(t, []string{"201", "403", "202"}, statuses(ch.Wire()))
	}
}
