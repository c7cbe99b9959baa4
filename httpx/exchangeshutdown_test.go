package httpx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestExchangesHearThatTheServerEnds(t *testing.T) {
	told := 0
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		require.NoError(t, x.Begin(httpx.NewResponse(200)))
		x.OnShutdown(func() {
			told++
			require.NoError(t, x.WriteBytes([]byte("bye")))
			require.NoError(t, x.End())
		})
		return nil
	})
	ch.Feed(get("/1") + get("/2"))
	outcome := stop(ch)
	require.Equal(t, 2, told)
	require.True(t, outcome.Done)
	wire := ch.Wire()
	require.Equal(t, []string{"200", "200"}, statuses(wire))
	require.Equal(t, 2, strings.Count(wire, "bye"))
}

func TestExchangesThatBeginDuringTheEndHearItAtOnce(t *testing.T) {
	var h holder
	told := 0
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + "GET /2")
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	outcome := stop(ch)
	ch.Feed(" HTTP/1.1\r\nHost: x\r\n\r\n")
	x := h.all[1]
	require.NoError(t, x.Post(func() { x.OnShutdown(func() { told++ }) }))
	ch.RunPending()
	require.Equal(t, 1, told)
	require.NoError(t, x.RespondText(200, ""))
	ch.RunPending()
	require.True(t, outcome.Done)
	require.Len(t, statuses(ch.Wire()), 2)
}

func TestExchangesThatAreOverDoNotHearThatTheServerEnds(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + get("/2"))
	for _, x := range h.all {
		require.NoError(t, x.Post(func() { x.OnShutdown(func() { t.Error("its answer is complete") }) }))
	}
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	require.NoError(t, h.all[1].Post(func() { h.all[1].OnShutdown(nil) }))
	ch.RunPending()
	outcome := stop(ch)
	require.False(t, outcome.Done)
	require.NoError(t, h.all[1].RespondText(200, ""))
	ch.RunPending()
	require.True(t, outcome.Done)
	require.Len(t, statuses(ch.Wire()), 2)
}
