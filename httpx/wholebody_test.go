package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestAWholeMessageHasOneBodyTheLastOneSet(t *testing.T) {
	held := buffer.SharedStats().Live
	var w wholeBody
	require.Empty(t, w.Body())
	w.SetBodySlice(sliceOf(3000))
	require.Equal(t, 3000, w.BodyLen())
	require.Len(t, w.Body(), 3000)
	w.SetBodyString("abc")
	require.Equal(t, held, buffer.SharedStats().Live)
	require.Equal(t, "abc", string(w.Body()))
	w.SetBody([]byte("de"))
	require.Equal(t, "de", string(w.Body()))
	require.Equal(t, 2, w.BodyLen())
	w.SetBodySlice(sliceOf(100))
	require.Equal(t, 100, w.BodyLen())
	require.Len(t, w.Body(), 100)
	w.dropBody()
	require.Zero(t, w.BodyLen())
	require.Empty(t, w.Body())
	require.Equal(t, held, buffer.SharedStats().Live)
}

func TestTheBodyIsWrittenBehindTheHeadInEachMode(t *testing.T) {
	trailer := headerOf(t, "X", "1")
	large := sliceOf(copiedBody + 1)
	defer large.Release()
	text := string(large.Bytes())
	for name, row := range map[string]struct {
		body    string
		mode    sending
		trailer *Header
		want    string
	}{
		"none":             {"hi", sendNothing, trailer, ""},
		"fixed":            {"hi", sendFixed, trailer, "hi"},
		"until the close":  {"hi", sendUntilClose, nil, "hi"},
		"chunked":          {"hi", sendChunked, nil, "2\r\nhi\r\n0\r\n\r\n"},
		"chunked, trailer": {"hi", sendChunked, trailer, "2\r\nhi\r\n0\r\nX: 1\r\n\r\n"},
		"chunked, empty":   {"", sendChunked, trailer, "0\r\nX: 1\r\n\r\n"},
		"large":            {text, sendFixed, nil, text},
		"large, chunked":   {text, sendChunked, trailer, "401\r\n" + text + "\r\n0\r\nX: 1\r\n\r\n"},
		"large, none":      {text, sendNothing, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for form, set := range map[string]func(w *wholeBody){
				"text":  func(w *wholeBody) { w.SetBodyString(row.body) },
				"plain": func(w *wholeBody) { w.SetBody([]byte(row.body)) },
				"slice": func(w *wholeBody) {
					b := buffer.FromString(row.body)
					w.SetBodySlice(b.Slice(0, b.Len()))
					b.Release()
				},
			} {
				var w wholeBody
				set(&w)
				var out buffer.Writer
				out.Reset(nil, 0)
				b := out.Reserve(w.wireBytes(row.trailer) + len("head "))
				w.write(&out, b[:copy(b, "head ")], row.mode, row.trailer)
				w.dropBody()
				got, _ := written(&out, nil)
				out.Discard()
				require.Equal(t, "head "+row.want, got, form)
			}
		})
	}
}

// joinedFrom is a body that came in pieces of n octets.
func joinedFrom(w *wholeBody, pool buffer.Allocator, pieces, n int) {
	for i := range pieces {
		c := NewContent(sliceOf(n))
		c.Last = i == pieces-1
		w.join(pool, c)
		c.Release()
	}
}

func TestABodyInPiecesTakesTheMemoryOfItsOctets(t *testing.T) {
	pool := buffer.NewPool(buffer.PoolConfig{})
	var w wholeBody
	for i := range 4000 {
		c := contentOf("0123456789")
		w.join(pool, c)
		c.Release()
		require.LessOrEqual(t, w.joined.Cap(), 4*10*(i+1)+128)
	}
	w.join(pool, EmptyLast)
	require.Nil(t, w.joined)
	require.Equal(t, 40000, w.BodyLen())
	require.Equal(t, "0123456789", string(w.Body()[39990:]))
	w.dropBody()
	require.Zero(t, pool.Live())
}

func TestABodyInOnePieceIsNotCopied(t *testing.T) {
	pool := buffer.NewPool(buffer.PoolConfig{})
	c := NewContent(sliceOf(3000))
	c.Last = true
	var w wholeBody
	w.join(pool, c)
	require.Same(t, &c.Bytes()[0], &w.Body()[0])
	c.Release()
	require.Len(t, w.Body(), 3000)
	w.dropBody()
	require.Zero(t, pool.Live())
}

func TestABodyThatDoesNotEndIsGivenBack(t *testing.T) {
	held := buffer.SharedStats().Live
	pool := buffer.NewPool(buffer.PoolConfig{})
	f := NewFullResponse(200)
	c := contentOf("abc")
	f.join(pool, c)
	c.Release()
	require.Equal(t, 1, pool.Live())
	f.Release()
	require.Zero(t, pool.Live())
	require.Equal(t, held, buffer.SharedStats().Live)
}

func TestSmallAndLargeBodiesComeTogether(t *testing.T) {
	pool := buffer.NewPool(buffer.PoolConfig{})
	for _, n := range []int{1, 2, 3, 50, 51, 255, 256, 257, 5000} {
		var w wholeBody
		joinedFrom(&w, pool, 5, n)
		require.Equal(t, 5*n, w.BodyLen())
		one := sliceOf(n)
		for i := range 5 {
			require.Equal(t, one.Bytes(), w.Body()[i*n:(i+1)*n])
		}
		one.Release()
		w.dropBody()
		require.Zero(t, pool.Live())
	}
}
