package httpx

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// clientSide is both codecs of a client's connection around a feeder.
type clientSide struct {
	*feeder
	state   *State
	encoder *RequestEncoder
}

func newClientSide(tb testing.TB) *clientSide {
	tb.Helper()
	state := new(State)
	return &clientSide{
		feeder: newFeeder(tb, NewResponseDecoder(DecoderConfig{}, state)), state: state, encoder: NewRequestEncoder(state),
	}
}

// write encodes messages and returns the octets; it releases them.
func (c *clientSide) write(messages ...any) (string, error) {
	var out buffer.Writer
	out.Reset(nil, 0)
	defer out.Discard()
	var err error
	for _, m := range messages {
		if err == nil {
			err = c.encoder.Encode(&out, m)
		}
		buffer.Release(m)
	}
	return written(&out, err)
}

func (c *clientSide) requireWritten(want string, messages ...any) {
	c.tb.Helper()
	got, err := c.write(messages...)
	require.NoError(c.tb, err)
	require.Equal(c.tb, want, got)
}

func (c *clientSide) requireNotWritten(want error, m any) {
	c.tb.Helper()
	before := c.state.Pending()
	got, err := c.write(m)
	require.Equal(c.tb, want, err)
	require.Empty(c.tb, got, "written although it failed")
	require.Equal(c.tb, before, c.state.Pending(), "noted although it failed")
}

func requestWith(tb testing.TB, m Method, target string, fields ...string) *Request {
	tb.Helper()
	r := NewRequest(m, target)
	r.Header.AddAll(headerOf(tb, fields...))
	return r
}

func fullRequestWith(tb testing.TB, m Method, body string, fields ...string) *FullRequest {
	tb.Helper()
	f := NewFullRequest(m, "/p")
	f.Header.AddAll(headerOf(tb, append([]string{"Host", "a"}, fields...)...))
	f.SetBodyString(body)
	return f
}

func TestRequestsWaitForTheirAnswersInOrder(t *testing.T) {
	c := newClientSide(t)
	for _, m := range []Method{MethodHead, MethodGet, MethodHead} {
		c.requireWritten(string(m)+" / HTTP/1.1\r\nHost: a\r\n\r\n", requestWith(t, m, "/", "Host", "a"))
	}
	require.Equal(t, 3, c.state.Pending())
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
	c.feed([]byte(ok + ok + "hi" + ok))
	require.Zero(t, c.state.Pending())
	got := c.close()
	require.Empty(t, got.reason)
	require.Len(t, got.messages, 3)
	require.Equal(t, "hi", got.messages[1].Body)
}

func TestStreamedRequestsAreFramedAsAnnounced(t *testing.T) {
	c := newClientSide(t)
	r := requestWith(t, MethodPut, "/", "Host", "a")
	r.Length = 5
	c.requireWritten("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", r, contentOf("he"), contentOf(""), lastOf("llo"))
	r = requestWith(t, MethodPut, "/", "Host", "a")
	r.Length = LengthChunked
	trailer := lastOf("!")
	trailer.Trailer = headerOf(t, "X", "1")
	c.requireWritten("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\nX: 1\r\n\r\n",
		r, contentOf("hello"), trailer)
}

func TestAStreamedRequestMustKeepItsWord(t *testing.T) {
	c := newClientSide(t)
	c.requireNotWritten(ErrOrder, EmptyLast)
	c.requireWritten("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n", requestWith(t, MethodPost, "/", "Host", "a", "Content-Length", "3"))
	c.requireNotWritten(refuse(0, "body longer than content-length"), contentOf("abcd"))
	c.requireNotWritten(refuse(0, "body shorter than content-length"), EmptyLast)
	c.requireNotWritten(ErrOrder, requestWith(t, MethodGet, "/", "Host", "a"))
	c.requireNotWritten(ErrOrder, fullRequestWith(t, MethodGet, ""))
	c.requireNotWritten(ErrOrder, NewResponse(200))
	c.requireWritten("abc", lastOf("abc"))
	c.requireNotWritten(ErrOrder, EmptyLast)
}

func TestABodyThatNobodyAnnouncedDoesNotVanish(t *testing.T) {
	c := newClientSide(t)
	c.requireWritten("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", requestWith(t, MethodPost, "/", "Host", "a"))
	c.requireNotWritten(ErrOrder, lastOf("lost"))
	c.requireWritten("", EmptyLast)
	c.requireNotWritten(ErrOrder, EmptyLast)
}

func TestNoRequestFollowsOneForAnotherProtocolBeforeItsAnswer(t *testing.T) {
	c := newClientSide(t)
	upgrade := func() *Request {
		return requestWith(t, MethodGet, "/", "Host", "a", "Connection", "Upgrade", "Upgrade", "x")
	}
	_, err := c.write(upgrade())
	require.NoError(t, err)
	c.requireNotWritten(ErrOrder, requestWith(t, MethodGet, "/", "Host", "a"))
	c.feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	_, err = c.write(upgrade())
	require.NoError(t, err, "refused: what follows is HTTP")
	c.feed([]byte("HTTP/1.1 101 Switching Protocols\r\n\r\nraw"))
	require.True(t, c.state.Switched())
	c.requireNotWritten(ErrOrder, requestWith(t, MethodGet, "/", "Host", "a"))
	require.Equal(t, "raw", c.close().leftover)
}

func TestATunnelOpensWithTheAnswerToConnect(t *testing.T) {
	c := newClientSide(t)
	c.requireWritten("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", NewRequest(MethodConnect, "a:443"))
	c.feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nraw"))
	require.True(t, c.state.Switched())
	require.Equal(t, "raw", c.close().leftover)
}

func TestNobodySwitchesProtocolsUnasked(t *testing.T) {
	for _, request := range []*Request{requestWith(t, MethodGet, "/", "Host", "a"), NewRequest(MethodConnect, "a:443")} {
		c := newClientSide(t)
		_, err := c.write(request)
		require.NoError(t, err)
		c.feed([]byte("HTTP/1.1 101 Switching Protocols\r\n\r\n"))
		require.Equal(t, "switching protocols without being asked", c.close().reason)
	}
}

func TestNoRequestFollowsTheLast(t *testing.T) {
	get := func() *Request { return requestWith(t, MethodGet, "/", "Host", "a") }
	c := newClientSide(t)
	last := get()
	last.KeepAlive = false
	c.requireWritten("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", last)
	require.True(t, c.state.Closing())
	c.requireNotWritten(ErrAfterLast, get())

	c = newClientSide(t)
	c.requireWritten("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", requestWith(t, MethodGet, "/", "Host", "a", "Connection", "close"))
	c.requireNotWritten(ErrAfterLast, get())

	c = newClientSide(t)
	_, err := c.write(get())
	require.NoError(t, err)
	c.feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
	c.requireNotWritten(ErrAfterLast, get())
}

func TestNoChunksForAServerThatKnowsNone(t *testing.T) {
	c := newClientSide(t)
	_, err := c.write(requestWith(t, MethodGet, "/", "Host", "a"))
	require.NoError(t, err)
	c.feed([]byte("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n"))
	r := requestWith(t, MethodPost, "/", "Host", "a")
	r.Length = LengthChunked
	c.requireNotWritten(refuse(0, "transfer-encoding in 1.0"), r)
	c.requireNotWritten(refuse(0, "transfer-encoding in 1.0"), fullRequestWith(t, MethodPost, "x", "Transfer-Encoding", "chunked"))
	f := fullRequestWith(t, MethodPost, "x")
	f.Trailer = headerOf(t, "X", "1")
	c.requireWritten("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", f)
}

func TestDecodedRequestsCanBeSentOn(t *testing.T) {
	for _, input := range []string{
		getRequest,
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
		postChunked + "3\r\nabc\r\n0\r\nX: 1\r\n\r\n",
		"GET http://b/ HTTP/1.1\r\nHost: b\r\nX: " + strings.Repeat("x", 2*smallHead) + "\r\n\r\n",
	} {
		messages := decodeAll(t, NewRequestDecoder(DecoderConfig{}, nil), input)
		newClientSide(t).requireWritten(input, messages...)
	}
}

func TestRequestSizeIsEnoughAndNotMuchMore(t *testing.T) {
	c := newClientSide(t)
	post := requestWith(t, MethodPost, "http://a.example/b", "X", "1")
	post.Length = LengthChunked
	for _, m := range []any{
		fullRequestWith(t, MethodPost, "hello"), fullRequestWith(t, MethodGet, ""), requestWith(t, MethodGet, "/", "Host", "a"),
		post, contentOf("a"), &Content{Last: true, Trailer: headerOf(t, "X", "1")},
	} {
		size := c.encoder.Size(m)
		got, err := c.write(m)
		require.NoError(t, err)
		require.LessOrEqual(t, len(got), size)
		require.LessOrEqual(t, size, len(got)+addedToRequest+chunkBytes(0)+len(lastChunk)+20, "%T", m)
	}
	require.Zero(t, c.encoder.Size("something else"))
}

func TestRequestEncoderTakesWhatItAccepts(t *testing.T) {
	e := NewRequestEncoder(nil)
	for _, typ := range e.Takes() {
		require.True(t, e.Accepts(reflect.Zero(typ).Interface()), typ)
	}
	for _, other := range []any{new(buffer.Buffer), new(Response), new(FullResponse), "text", nil} {
		require.False(t, e.Accepts(other), "%T", other)
	}
}
