package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestSmallHeadsDoNotKeepTheReadBuffer(t *testing.T) {
	in := buffer.FromString(getWith("X-A: v"))
	m, _, err := NewRequestDecoder(DecoderConfig{}, nil).Decode(in)
	require.NoError(t, err)
	require.True(t, in.Unique())
	in.Release()
	r := m.(*Request)
	require.Equal(t, "v", string(r.Header.Get("x-a")))
	r.Release()
}

func TestLargeHeadsHoldTheReadBufferUntilTheirRelease(t *testing.T) {
	in := buffer.FromString(getWith("X-A: " + strings.Repeat("v", smallHead)))
	m, _, err := NewRequestDecoder(DecoderConfig{}, nil).Decode(in)
	require.NoError(t, err)
	require.False(t, in.Unique())
	r := m.(*Request)
	require.Len(t, r.Header.Get("x-a"), smallHead)
	r.Retain()
	r.Release()
	require.False(t, in.Unique())
	r.Release()
	require.True(t, in.Unique())
	in.Release()
}
