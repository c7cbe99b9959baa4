package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestContentHoldsItsDataUntilTheLastRelease(t *testing.T) {
	held := buffer.SharedStats().Live
	c := NewContent(sliceOf(1000))
	require.Equal(t, 1000, c.Len())
	require.Len(t, c.Bytes(), 1000)
	c.Retain()
	c.Release()
	require.Greater(t, buffer.SharedStats().Live, held)
	c.Release()
	require.Equal(t, held, buffer.SharedStats().Live)
	require.Panics(t, c.Release)
	require.Panics(t, c.Retain)
}

func TestContentFromThePoolIsNotTheLast(t *testing.T) {
	c := NewContent(buffer.Slice{})
	c.Last, c.Trailer = true, new(Header)
	c.Release()
	for range 10 {
		next := NewContent(buffer.Slice{})
		require.False(t, next.Last)
		require.Nil(t, next.Trailer)
		defer next.Release()
	}
}

// decodeAll decodes what input has and returns the messages, which the test releases.
func decodeAll(tb testing.TB, d decoder, input string) []any {
	tb.Helper()
	in := buffer.FromString(input)
	defer in.Release()
	var all []any
	for in.Len() > 0 {
		m, ok, err := d.Decode(in)
		require.NoError(tb, err)
		if !ok {
			break
		}
		all = append(all, m)
	}
	return all
}

func TestEmptyEndIsOneSharedValue(t *testing.T) {
	d := NewRequestDecoder(DecoderConfig{}, nil)
	for range 2 {
		all := decodeAll(t, d, postChunked+"0\r\n\r\n")
		require.Len(t, all, 2)
		require.Same(t, EmptyLast, all[1])
		buffer.Release(all[0])
		for range 3 {
			buffer.Release(all[1])
			buffer.Retain(all[1])
			buffer.Release(all[1])
		}
	}
	require.True(t, EmptyLast.Last)
	require.Nil(t, EmptyLast.Trailer)
	require.Zero(t, EmptyLast.Len())
}

func TestTrailersComeWithTheEndAndDoNotNeedTheReadBuffer(t *testing.T) {
	all := decodeAll(t, NewRequestDecoder(DecoderConfig{}, nil), postChunked+"1\r\na\r\n0\r\nX-T: 1\r\n\r\n")
	require.Len(t, all, 3)
	piece, last := all[1].(*Content), all[2].(*Content)
	require.False(t, piece.Last)
	require.Nil(t, piece.Trailer)
	require.True(t, last.Last)
	require.Zero(t, last.Len())
	require.Equal(t, "1", string(last.Trailer.Get("x-t")))
	for _, m := range all {
		buffer.Release(m)
	}
}

func TestTheFinalPieceOfAFixedLengthIsTheLast(t *testing.T) {
	for _, d := range []struct {
		decoder
		head string
	}{
		{NewRequestDecoder(DecoderConfig{}, nil), "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"},
		{NewResponseDecoder(DecoderConfig{}, nil), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
	} {
		var pieces []string
		var lasts []bool
		for _, input := range []string{d.head + "he", "l", "lo" + d.head + "world"} {
			for _, m := range decodeAll(t, d, input) {
				if c, ok := m.(*Content); ok {
					pieces, lasts = append(pieces, string(c.Bytes())), append(lasts, c.Last)
				}
				buffer.Release(m)
			}
		}
		require.Equal(t, []string{"he", "l", "lo", "world"}, pieces)
		require.Equal(t, []bool{false, false, true, true}, lasts)
	}
}

func TestNothingFollowsAMessageWithoutABody(t *testing.T) {
	all := decodeAll(t, NewRequestDecoder(DecoderConfig{}, nil),
		getRequest+"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"+getRequest)
	require.Len(t, all, 3)
	for _, m := range all {
		require.Zero(t, m.(*Request).Length)
		buffer.Release(m)
	}
	all = decodeAll(t, NewResponseDecoder(DecoderConfig{}, nil),
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
	require.Len(t, all, 3)
	for _, m := range all {
		require.Zero(t, m.(*Response).Length)
		buffer.Release(m)
	}
}
