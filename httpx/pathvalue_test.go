package httpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestPathValuesStayReadableUntilALateAnswer(t *testing.T) {
	var h holder
	var r httpx.Router
	require.NoError(t, r.Handle("/a/{id}/{rest...}", h.serve))
	ch := answering(t, r.Serve)
	ch.Feed("GET http://h.example/a/4%32/b/%63/?q HTTP/1.1\r\nHost: x\r\n\r\n")
	ch.Feed(get("/a/1/2"))
	x := h.all[0]
	require.Equal(t, "42", x.PathValue("id"))
	require.Equal(t, "b/c/", x.PathValue("rest"))
	require.Empty(t, x.PathValue("other"))
	require.Empty(t, x.PathValue(""))
	require.Equal(t, "/a/{id}/{rest...}", x.Pattern())
	require.Equal(t, "1", h.all[1].PathValue("id"))
	for _, x := range h.all {
		require.NoError(t, x.RespondText(200, ""))
	}
	ch.RunPending()
	require.Equal(t, []string{"200", "200"}, statuses(ch.Wire()))
}

func TestPathValuesOfARequestDoNotReachTheNext(t *testing.T) {
	var r httpx.Router
	var seen []string
	serve := func(_ *pipeline.Context, x *httpx.Exchange) error {
		seen = append(seen, x.Pattern()+x.PathValue("a")+x.PathValue("b"))
		return x.Reply(httpx.NewFullResponse(204))
	}
	require.NoError(t, r.Handle("/{a}/{b}", serve))
	require.NoError(t, r.Handle("/{a}", serve))
	r.NotFound = serve
	ch := answering(t, r.Serve)
	ch.Feed(get("/1/2") + get("/") + get("/3"))
	require.Equal(t, []string{"/{a}/{b}12", "", "/{a}3"}, seen)
	_ = ch.Wire()
}
