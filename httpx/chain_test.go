package httpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestChainCallsTheFirstMiddlewareFirst(t *testing.T) {
	var order []string
	step := func(name string) func(next httpx.HandlerFunc) httpx.HandlerFunc {
		return func(next httpx.HandlerFunc) httpx.HandlerFunc {
			return func(ctx *pipeline.Context, x *httpx.Exchange) error {
				order = append(order, name)
				return next(ctx, x)
			}
		}
	}
	f := httpx.Chain(func(_ *pipeline.Context, x *httpx.Exchange) error {
		order = append(order, "handler")
		return x.RespondText(200, "")
	}, step("outer"), step("inner"))
	require.Equal(t, 200, exchangeOne(t, f, "GET", "/", "x").StatusCode)
	require.Equal(t, []string{"outer", "inner", "handler"}, order)
}

func TestChainOfNothingIsTheFunction(t *testing.T) {
	f := httpx.Chain(func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(204, "") })
	require.Equal(t, 204, exchangeOne(t, f, "GET", "/", "x").StatusCode)
}
