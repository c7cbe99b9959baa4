package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestFullRequestGivesEverythingBackWithItsLastRelease(t *testing.T) {
	held := buffer.SharedStats().Live
	f := NewFullRequest(MethodPost, "/p?q")
	require.Equal(t, MethodPost, f.Method)
	require.Equal(t, "/p?q", string(f.Target()))
	require.True(t, f.KeepAlive)
	f.SetBodySlice(sliceOf(3000))
	f.Trailer = headerOf(t, "X", "1")
	f.Retain()
	f.Release()
	require.Equal(t, 3000, f.BodyLen())
	f.Release()
	require.Equal(t, held, buffer.SharedStats().Live)
	require.Panics(t, f.Release)
	require.Panics(t, f.Retain)
}

func TestFullRequestFromThePoolIsEmpty(t *testing.T) {
	for range 4 {
		f := NewFullRequest(MethodGet, "/")
		require.Zero(t, f.Header.Len())
		require.Zero(t, f.BodyLen())
		require.Nil(t, f.Trailer)
		require.NoError(t, f.Header.Add("X", "1"))
		f.SetBodyString("x")
		f.Trailer = new(Header)
		f.Release()
	}
}
