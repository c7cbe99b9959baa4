package httpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// page is an answer with something of its program's own.
type page struct {
	httpx.FullResponse
	template string
}

// verdict is an answer that is none until it is asked.
type verdict struct {
	answer   *httpx.FullResponse
	released int
}

func (v *verdict) Whole() *httpx.FullResponse { return v.answer }
func (v *verdict) Retain()                    {}
func (v *verdict) Release()                   { v.released++ }

func TestYourOwnResponseTypeIsEncodedLikeAFullResponse(t *testing.T) {
	body := buffer.FromString("<p>hello")
	own := &page{FullResponse: httpx.FullResponse{Response: httpx.Response{Status: 201}}, template: "hello"}
	own.SetBodySlice(body.Slice(0, body.Len()))
	body.Release()
	shared := &verdict{answer: httpx.NewFullResponse(404)}
	var answers []any
	s := &streams{answer: func() []any {
		next := answers[0]
		answers = answers[1:]
		return []any{next}
	}}
	ch := serveStream(t, s)
	const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	answers = []any{own, shared, shared}
	ch.Feed(get + get)
	require.Equal(t, "HTTP/1.1 201 Created\r\n"+dateLine+"Content-Length: 8\r\n\r\n<p>hello"+
		"HTTP/1.1 404 Not Found\r\n"+dateLine+"Content-Length: 0\r\n\r\n", ch.Wire())
	require.Equal(t, 1, shared.released)
	require.Panics(t, own.Release, "it was released when it was written")
	ch.Feed("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	require.Equal(t, "HTTP/1.1 404 Not Found\r\n"+dateLine+"Connection: close\r\n\r\n", ch.Wire())
	require.True(t, ch.Channel().Closed())
	shared.answer.Release()
}

func TestAMessageOfYourOwnIsNeverGivenToSomebodyElse(t *testing.T) {
	own := &page{template: "x"}
	own.Status = 200
	own.Release()
	for range 20 {
		f := httpx.NewFullResponse(200)
		require.NotSame(t, &own.FullResponse, f)
		defer f.Release()
	}
}

func TestAResponseThatIsNoneIsRefused(t *testing.T) {
	e := httpx.NewResponseEncoder(nil)
	none := &verdict{}
	require.True(t, e.Accepts(none))
	require.Zero(t, e.Size(none))
	var out buffer.Writer
	out.Reset(nil, 0)
	require.ErrorIs(t, e.Encode(&out, none), httpx.ErrOrder)
	require.Zero(t, out.Len())
	out.Discard()
}
