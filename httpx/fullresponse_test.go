package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func sliceOf(n int) buffer.Slice {
	b := buffer.Get(n)
	defer b.Release()
	for i := range b.Reserve(n) {
		b.Reserve(n)[i] = 'a' + byte(i%26)
	}
	b.Commit(n)
	return b.Slice(0, n)
}

func TestFullResponseHasOneBodyTheLastOneSet(t *testing.T) {
	held := buffer.SharedStats().Live
	f := NewFullResponse(200)
	f.SetBodySlice(sliceOf(3000))
	require.Equal(t, 3000, f.BodyLen())
	f.SetBodyString("abc")
	require.Equal(t, held, buffer.SharedStats().Live)
	require.Equal(t, "abc", string(f.appendCopied(nil)))
	f.SetBody([]byte("de"))
	require.Equal(t, 2, f.BodyLen())
	f.SetBodySlice(sliceOf(100))
	require.Len(t, f.appendCopied(nil), 100)
	f.Retain()
	f.Release()
	require.Equal(t, 100, f.BodyLen())
	f.Release()
	require.Equal(t, held, buffer.SharedStats().Live)
	require.Panics(t, f.Release)
	require.Panics(t, f.Retain)
}
