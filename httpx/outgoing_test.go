package httpx

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// lastOf is the final piece of a body.
func lastOf(text string) *Content {
	c := contentOf(text)
	c.Last = true
	return c
}

func TestContentBehindACompleteHeadIsDroppedUpToItsLast(t *testing.T) {
	for name, row := range map[string]struct {
		request string
		head    *Response
	}{
		"HEAD":          {headRequest, responseWith(t, 200, "Content-Length", "5")},
		"204":           {getRequest, responseWith(t, 204)},
		"205":           {getRequest, responseWith(t, 205)},
		"304":           {getRequest, responseWith(t, 304, "Content-Length", "5")},
		"no octets":     {getRequest, responseWith(t, 200, "Content-Length", "0")},
		"interim":       {getRequest, responseWith(t, 103)},
		"switch":        {upgradeRequest, responseWith(t, 101)},
		"tunnel":        {"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", responseWith(t, 200)},
		"HEAD, chunked": {headRequest, responseWith(t, 200, "Transfer-Encoding", "chunked")},
	} {
		t.Run(name, func(t *testing.T) {
			c := asked(t, row.request)
			_, err := c.write(row.head)
			require.NoError(t, err)
			require.False(t, c.state.sent.open)
			trailer := &Content{Last: true, Trailer: headerOf(t, "X", "1")}
			c.requireWritten("", contentOf("hel"), contentOf(""), contentOf(strings.Repeat("x", 2*copiedBody)), trailer)
			c.requireNotWritten(ErrOrder, EmptyLast)
			c.requireNotWritten(ErrOrder, contentOf("x"))
		})
	}
}

func TestTheNextHeadMayFollowACompleteOneAtOnce(t *testing.T) {
	c := asked(t, headRequest+getRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\n\r\n", NewResponse(200))
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", responseWith(t, 200, "Content-Length", "2"))
	c.requireNotWritten(refuse(0, "body longer than content-length"), contentOf("xyz"))
	c.requireWritten("hi", lastOf("hi"))
}

func TestNothingOfAWholeAnswerMayFollowIt(t *testing.T) {
	c := asked(t, getRequest+headRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", fullWith(t, 200, "hi"))
	c.requireNotWritten(ErrOrder, EmptyLast)
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", fullWith(t, 200, "hi"))
	c.requireNotWritten(ErrOrder, lastOf("hi"))
}

func TestTheLastPieceMayHaveOctets(t *testing.T) {
	large := strings.Repeat("x", copiedBody+1)
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	asked(t, getRequest).requireWritten(head+"2\r\nhi\r\n0\r\n\r\n", NewResponse(200), lastOf("hi"))
	asked(t, getRequest).requireWritten(head+"401\r\n"+large+"\r\n0\r\n\r\n", NewResponse(200), lastOf(large))
	last := lastOf("hi")
	last.Trailer = headerOf(t, "X", "1")
	asked(t, getRequest).requireWritten(head+"2\r\nhi\r\n0\r\nX: 1\r\n\r\n", NewResponse(200), last)
	asked(t, oldRequest).requireWritten("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+large, NewResponse(200), lastOf(large))
}

func TestAPieceThatIsRefusedChangesNothing(t *testing.T) {
	c := asked(t, getRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", responseWith(t, 200, "Content-Length", "3"))
	c.requireNotWritten(refuse(0, "body shorter than content-length"), lastOf("ab"))
	c.requireNotWritten(refuse(0, "body longer than content-length"), lastOf("abcd"))
	c.requireWritten("abc", lastOf("abc"))
	c = asked(t, getRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", NewResponse(200))
	bad := lastOf("ab")
	bad.Trailer = headerOf(t, "Host", "evil")
	c.requireNotWritten(refuse(0, "forbidden trailer"), bad)
	c.requireWritten("2\r\nab\r\n0\r\n\r\n", lastOf("ab"))
}

func TestTrailersAreForTheLastPieceOnly(t *testing.T) {
	early := contentOf("hi")
	early.Trailer = headerOf(t, "Host", "evil")
	asked(t, getRequest).requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
		NewResponse(200), early, EmptyLast)
}

func TestSizeOfAPieceIsEnough(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, copiedBody, copiedBody + 1, 70000} {
		for _, last := range []bool{false, true} {
			c := asked(t, getRequest)
			_, err := c.write(NewResponse(200))
			require.NoError(t, err)
			m := contentOf(strings.Repeat("x", n))
			m.Last = last
			if last {
				m.Trailer = headerOf(t, "X", "1")
			}
			size := c.encoder.Size(m)
			got, err := c.write(m)
			require.NoError(t, err)
			byReference := 0
			if n > copiedBody {
				byReference = n
			}
			require.LessOrEqual(t, len(got)-byReference, size)
			require.LessOrEqual(t, size, len(got)-byReference+chunkAround)
		}
	}
}

func TestFilesCountAgainstTheLength(t *testing.T) {
	path := t.TempDir() + "/f"
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	region := func(n int) *pipeline.FileRegion { return pipeline.NewFileRegion(f, 0, n, false) }

	var o outgoing
	_, err = o.file(region(1))
	require.Equal(t, ErrOrder, err, "no head")
	o.begin(sendFixed, 5)
	skip, err := o.file(region(3))
	require.NoError(t, err)
	require.False(t, skip)
	_, err = o.file(region(3))
	require.Equal(t, refuse(0, "body longer than content-length"), err)
	require.Equal(t, refuse(0, "body shorter than content-length"), o.content(new(buffer.Writer), EmptyLast))
	_, err = o.file(region(2))
	require.NoError(t, err)
	require.True(t, o.open, "an end follows")
	require.NoError(t, o.content(new(buffer.Writer), EmptyLast))
	require.False(t, o.open)
	for _, mode := range []sending{sendChunked, sendUntilClose} {
		o.begin(mode, 0)
		_, err = o.file(region(1))
		require.Equal(t, refuse(0, "file in a body without content-length"), err)
	}
	o.begin(sendNothing, 0)
	skip, err = o.file(region(1))
	require.NoError(t, err)
	require.True(t, skip)
}
