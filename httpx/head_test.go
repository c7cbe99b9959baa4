package httpx

import (
	"fmt"
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

func TestAHeadMovesWithWhatItShows(t *testing.T) {
	held := buffer.SharedStats().Live
	for _, pad := range []int{0, 10, 3 * smallHead} {
		for _, shared := range []bool{false, true} {
			pad := strings.Repeat("x", pad)
			r := decodeHead(t, "PUT /p?q HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nPad: "+pad+"\r\nConnection: close\r\n\r\n")
			want := pairs(&r.Header)
			f := newFullRequest()
			if shared {
				r.Retain()
			}
			r.moveTo(&f.Request)
			require.Equal(t, want, pairs(&f.Header))
			if shared {
				require.Equal(t, want, pairs(&r.Header))
				r.Release()
			}
			next := decodeHead(t, "GET /other HTTP/1.1\r\nHost: other.example\r\nY: 1\r\n\r\n") // may be the same memory as r
			require.Equal(t, "PUT /p?q HTTP/1.1 5", fmt.Sprintf("%s %s %s %d", f.Method, f.Target(), f.Version, f.Length))
			require.Equal(t, "a", string(f.Host()))
			require.False(t, f.KeepAlive)
			require.Equal(t, want, pairs(&f.Header))
			require.NoError(t, f.Header.Add("Z", "1"))
			require.Equal(t, append(want, [2]string{"Z", "1"}), pairs(&f.Header))
			require.Equal(t, "/other", string(next.Target()))
			next.Release()
			f.Release()
		}
	}
	require.Equal(t, held, buffer.SharedStats().Live)
}
