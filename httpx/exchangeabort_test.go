package httpx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestAbortClosesInThePlaceOfTheAnswer(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error { return x.Abort() })
	ch.Feed(get("/") + get("/"))
	require.Empty(t, ch.Wire())
	require.True(t, ch.Channel().Closed())
}

func TestAbortClosesBehindWhatWasGiven(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return errors.Join(x.Begin(httpx.NewResponse(200)), x.WriteBytes([]byte("part")), x.Abort())
	})
	ch.Feed(get("/"))
	require.True(t, strings.HasSuffix(ch.Wire(), "4\r\npart\r\n"))
	require.True(t, ch.Channel().Closed())
}

func TestAbortWaitsForItsTurn(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + get("/2") + get("/3"))
	var gone error
	h.all[2].OnGone(func(cause error) { gone = cause })
	require.NoError(t, h.all[1].Abort())
	ch.RunPending()
	require.True(t, ch.Channel().IsOpen())
	require.NoError(t, h.all[0].RespondText(200, "first"))
	ch.RunPending()
	require.True(t, strings.HasSuffix(ch.Wire(), "first"))
	require.True(t, ch.Channel().Closed())
	require.ErrorIs(t, gone, httpx.ErrGone)
	require.ErrorIs(t, h.all[2].Abort(), httpx.ErrGone)
}

func TestAbortIsTooLateForACompleteAnswer(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		require.NoError(t, x.RespondText(200, "done"))
		require.ErrorIs(t, x.Abort(), httpx.ErrResponded)
		return nil
	})
	ch.Feed(get("/"))
	require.True(t, ch.Channel().IsOpen())
}
