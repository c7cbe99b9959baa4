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
				b := append(out.Reserve(w.wireBytes(row.trailer) + len("head "))[:0], "head "...)
				w.write(&out, b, row.mode, row.trailer)
				w.dropBody()
				got, _ := written(&out, nil)
				out.Discard()
				require.Equal(t, "head "+row.want, got, form)
			}
		})
	}
}
