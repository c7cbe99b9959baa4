package httpx_test

import (
	"errors"
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
