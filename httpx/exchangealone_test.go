package httpx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// hermit keeps exchanges that are alone until the test answers them.
type hermit struct{ holder }

func (h *hermit) serve(ctx *pipeline.Context, x *httpx.Exchange) error {
	x.Alone()
	return h.holder.serve(ctx, x)
}

func TestAloneLetsRequestsBeginOneByOne(t *testing.T) {
	var h hermit
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + post("/2", "1\r\na\r\n0\r\n\r\n") + get("/3") + get("/4"))
	for i, want := range []string{"/1", "/2", "/3", "/4"} {
		require.Len(t, h.all, i+1)
		x := h.all[i]
		require.Equal(t, want, string(x.Request.Target()))
		require.NoError(t, x.RespondText(200, want))
		ch.RunPending()
		wire := ch.Wire()
		require.True(t, strings.HasSuffix(wire, want), "%s: %q", want, wire)
	}
	ch.Feed(get("/5"))
	require.Len(t, h.all, 5)
	require.NoError(t, h.all[4].RespondText(204, ""))
	ch.RunPending()
}

func TestAloneIsForOneExchangeOnly(t *testing.T) {
	var h holder
	ch := answering(t, func(ctx *pipeline.Context, x *httpx.Exchange) error {
		if string(x.Request.Target()) == "/alone" {
			x.Alone()
		}
		return h.serve(ctx, x)
	})
	ch.Feed(get("/a") + get("/b") + get("/alone") + get("/c") + get("/d"))
	require.Len(t, h.all, 3)
	require.NoError(t, h.all[2].RespondText(200, "third"))
	ch.RunPending()
	require.Len(t, h.all, 3, "its answer waits for its turn")
	require.NoError(t, h.all[0].RespondText(200, "first"))
	require.NoError(t, h.all[1].RespondText(200, "second"))
	ch.RunPending()
	require.Len(t, h.all, 5)
	for _, x := range h.all[3:] {
		require.NoError(t, x.RespondText(200, "last"))
	}
	ch.RunPending()
	require.Len(t, statuses(ch.Wire()), 5)
}

func TestAloneReadsOnUntilMoreComes(t *testing.T) {
	var h hermit
	ch := answering(t, h.serve)
	ch.Feed(get("/1"))
	read, _ := ch.Interest()
	require.True(t, read, "so that a client that leaves is noticed")
	ch.Feed("G")
	read, _ = ch.Interest()
	require.False(t, read)
	ch.Feed(strings.Repeat("x", 4<<20))
	require.GreaterOrEqual(t, ch.Unread(), 4<<20-1, "the rest is left to the system")
	require.NoError(t, h.all[0].Abort())
}

func TestAloneHoldsWhatComesBehindARequestForAnotherProtocol(t *testing.T) {
	for _, refuse := range []bool{true, false} {
		var h hermit
		ch := answering(t, h.serve)
		ch.Feed("GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n")
		ch.Feed(get("/next"))
		ch.Feed(strings.Repeat("x", 4<<20))
		require.GreaterOrEqual(t, ch.Unread(), 4<<20)
		x := h.all[0]
		if refuse {
			require.NoError(t, x.RespondText(403, ""))
			ch.RunPending()
			require.Len(t, h.all, 2)
			require.NoError(t, h.all[1].Abort())
			continue
		}
		require.NoError(t, x.Post(func() { require.NoError(t, x.Upgrade(httpx.NewResponse(101), &shouter{})) }))
		ch.RunPending()
		require.Contains(t, ch.Wire(), "GET /NEXT")
	}
}

func TestAloneNoticesAClientThatLeaves(t *testing.T) {
	var h hermit
	ch := answering(t, h.serve)
	ch.Feed(get("/1"))
	var gone error
	h.all[0].OnGone(func(cause error) { gone = cause })
	ch.PeerClose()
	ch.RunPending()
	require.ErrorIs(t, gone, httpx.ErrGone)
}

func TestAloneHoldsRequestsWhileTheAnswerIsNotSent(t *testing.T) {
	var h hermit
	ch := answering(t, h.serve)
	ch.Block()
	ch.Feed(get("/1") + get("/2"))
	x := h.all[0]
	require.NoError(t, x.Post(func() {
		require.NoError(t, x.Begin(httpx.NewResponse(200)))
		require.NoError(t, x.WriteBytes([]byte(strings.Repeat("x", 100_000))))
		require.NoError(t, x.End())
	}))
	ch.RunPending()
	require.Len(t, h.all, 1, "the client does not read")
	ch.Unblock()
	ch.RunPending()
	require.Len(t, h.all, 2)
	require.NoError(t, h.all[1].RespondText(200, ""))
	ch.RunPending()
}

func TestAloneAnswersAtOnceAndGoesOn(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		x.Alone()
		return x.RespondText(200, string(x.Request.Target()))
	})
	ch.Feed(strings.Repeat(get("/a"), 100))
	require.Len(t, statuses(ch.Wire()), 100)
}
