package httpx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestHijackHandsOverWhatFollows(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		x.Alone()
		require.NoError(t, x.Hijack(&shouter{}))
		require.ErrorIs(t, x.Hijack(&shouter{}), httpx.ErrResponded)
		return nil
	})
	ch.Feed(get("/") + "hello, ")
	ch.Feed("world")
	require.Equal(t, "HELLO, WORLD", ch.Wire())
	require.Len(t, ch.Pipeline().Names(), 1)
}

func TestHijackLaterHandsOverWhatCameMeanwhile(t *testing.T) {
	for name, request := range map[string]string{
		"plain":         get("/"),
		"last request":  "GET / HTTP/1.0\r\n\r\n",
		"asks for more": "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			var h hermit
			ch := answering(t, h.serve)
			ch.Feed(request + "hello, wor")
			x := h.all[0]
			require.NoError(t, x.Post(func() { require.NoError(t, x.Hijack(&shouter{})) }))
			ch.RunPending()
			ch.Feed("ld")
			require.Equal(t, "HELLO, WORLD", ch.Wire())
		})
	}
}

func TestHijackWaitsForItsTurn(t *testing.T) {
	var h holder
	ch := answering(t, func(ctx *pipeline.Context, x *httpx.Exchange) error {
		if len(h.all) == 1 {
			x.Alone()
		}
		return h.serve(ctx, x)
	})
	ch.Feed(get("/1") + get("/2") + "hello")
	require.NoError(t, h.all[1].Post(func() { require.NoError(t, h.all[1].Hijack(&shouter{})) }))
	ch.RunPending()
	require.Empty(t, ch.Wire())
	require.NoError(t, h.all[0].RespondText(200, "first, "))
	ch.RunPending()
	require.True(t, strings.HasSuffix(ch.Wire(), "first, HELLO"))
}

func TestHijackInTheMiddleOfAnAnswer(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		x.Alone()
		return errors.Join(x.Begin(httpx.NewResponse(200)), x.Hijack(&shouter{}))
	})
	ch.Feed(get("/") + "a")
	wire := ch.Wire()
	require.Equal(t, []string{"200"}, statuses(wire))
	require.True(t, strings.HasSuffix(wire, "Transfer-Encoding: chunked\r\n\r\nA"), wire)
}

func TestHijackHandsOverTheBodyThatNobodyTook(t *testing.T) {
	var h hermit
	ch := answering(t, h.serve)
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
	ch.Feed("hello")
	ch.Feed(" dear world")
	x := h.all[0]
	require.NoError(t, x.Post(func() { require.NoError(t, x.Hijack(&shouter{})) }))
	ch.RunPending()
	require.Equal(t, "HELLO DEAR WORLD", ch.Wire())
	ch.Feed("!")
	require.Equal(t, "!", ch.Wire())
}

func TestHijackEndsTheRequestsBehind(t *testing.T) {
	var h holder
	var gone error
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + get("/2") + get("/3"))
	h.all[2].OnGone(func(cause error) { gone = cause })
	require.NoError(t, h.all[0].Post(func() { require.NoError(t, h.all[0].Hijack(&shouter{})) }))
	ch.RunPending()
	require.ErrorIs(t, gone, httpx.ErrGone)
	require.ErrorIs(t, h.all[1].Begin(httpx.NewResponse(200)), httpx.ErrGone)
	ch.Feed("a")
	require.Equal(t, "A", ch.Wire())
}

func TestHijackIsTooLateForAClientThatLeft(t *testing.T) {
	var h hermit
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	ch.PeerClose()
	ch.RunPending()
	require.ErrorIs(t, h.all[0].Hijack(&shouter{}), httpx.ErrGone)
}

func TestHijackWithAHandlerThatCannotBeAddedClosesTheConnection(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		require.ErrorIs(t, x.Hijack(new(int)), pipeline.ErrNotHandler)
		return nil
	})
	ch.Feed(get("/"))
	ch.ExpectError(pipeline.ErrNotHandler)
}
