package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestEmptyEndIsOneSharedValue(t *testing.T) {
	in := buffer.FromString(getWith() + "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
	defer in.Release()
	d := NewRequestDecoder(DecoderConfig{}, nil)
	for range 2 {
		head, _, err := d.Decode(in)
		require.NoError(t, err)
		buffer.Release(head)
		last, _, err := d.Decode(in)
		require.NoError(t, err)
		require.Same(t, EmptyLast, last)
		buffer.Release(last)
		buffer.Retain(last)
		buffer.Release(last)
		buffer.Release(last)
	}
	require.Zero(t, EmptyLast.Trailer.Len())
}

func TestEndWithTrailersIsAValueOfItsOwn(t *testing.T) {
	in := buffer.FromString(postChunked + "0\r\nX-T: 1\r\n\r\n")
	d := NewRequestDecoder(DecoderConfig{}, nil)
	head, _, err := d.Decode(in)
	require.NoError(t, err)
	buffer.Release(head)
	m, _, err := d.Decode(in)
	require.NoError(t, err)
	in.Release()
	last := m.(*LastContent)
	require.NotSame(t, EmptyLast, last)
	require.Equal(t, "1", string(last.Trailer.Get("x-t")), "trailers do not depend on the read buffer")
}
