package nethttp_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline"
)

func TestBodyThatNobodyReadsStopsTheReading(t *testing.T) {
	for name, request := range map[string]string{
		"announced": fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 16<<20),
		"chunked":   "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1000000\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			block := make(chan struct{})
			var n int64
			b := handling(t, func(_ http.ResponseWriter, r *http.Request) {
				<-block
				n, _ = io.Copy(io.Discard, r.Body)
			})
			b.Feed(request)
			b.Feed(strings.Repeat("x", 16<<20))
			require.Greater(t, b.Unread(), 15<<20, "64 KiB, and one read more, are here")
			close(block)
			b.until(func() bool { return b.Unread() == 0 })
			if name == "chunked" {
				b.Feed("\r\n0\r\n\r\n")
			}
			b.over()
			require.EqualValues(t, 16<<20, n)
		})
	}
}

func TestBodyComesAsItArrives(t *testing.T) {
	parts := make(chan string)
	b := handling(t, func(_ http.ResponseWriter, r *http.Request) {
		p := make([]byte, 100)
		for {
			n, err := r.Body.Read(p)
			parts <- string(p[:n])
			if err != nil {
				return
			}
		}
	})
	b.Feed("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
	require.Equal(t, "abc", <-parts)
	b.Feed("2\r\nde\r\n")
	require.Equal(t, "de", <-parts)
	b.Feed("0\r\n\r\n")
	require.Empty(t, <-parts)
	b.over()
}

func TestBodyOfNoRoomReadsNothing(t *testing.T) {
	b := handling(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := r.Body.Read(nil)
		_, _ = fmt.Fprint(w, n, err)
		all, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprint(w, string(all), err)
	})
	b.Feed(announcedPost(3, 3))
	require.Equal(t, "0 <nil>bbb<nil>", body(b.over()))
}

func TestBodySendsContinueAtTheFirstReadOnly(t *testing.T) {
	block := make(chan struct{})
	b := handling(t, func(w http.ResponseWriter, r *http.Request) {
		<-block
		n, err := io.Copy(w, r.Body)
		_, _ = fmt.Fprint(w, n, err)
	})
	b.Feed(announcedPost(3, 0, expects))
	require.Empty(t, b.Wire())
	close(block)
	b.until(func() bool { return b.wire.String() == "HTTP/1.1 100 Continue\r\n\r\n" })
	b.Feed("abc")
	require.True(t, strings.HasSuffix(b.over(), "abc3 <nil>"))
}

func TestBodyOfAClientThatLeaves(t *testing.T) {
	var got error
	var n int64
	b := handling(t, func(_ http.ResponseWriter, r *http.Request) { n, got = io.Copy(io.Discard, r.Body) })
	b.Feed(announcedPost(100, 50))
	b.PeerClose()
	b.over()
	require.ErrorIs(t, got, io.ErrUnexpectedEOF)
	require.EqualValues(t, 50, n, "what came before is there")
}

func TestBodyIsClosedBehindTheHandler(t *testing.T) {
	leak := make(chan io.Reader, 1)
	b := handling(t, func(_ http.ResponseWriter, r *http.Request) { leak <- r.Body })
	b.Feed(announcedPost(10, 10))
	b.over()
	_, err := (<-leak).Read(make([]byte, 1))
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
}

func TestBodyReadThatWaitsEndsWithTheHandler(t *testing.T) {
	ended := make(chan error, 1)
	b := handling(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		reading := make(chan struct{})
		go func() {
			close(reading)
			_, err := io.ReadAll(r.Body)
			ended <- err
		}()
		<-reading
	})
	b.Feed(announcedPost(10, 5))
	b.over()
	require.ErrorIs(t, <-ended, http.ErrBodyReadAfterClose)
}

func TestBodyReadDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var took time.Duration
		var first, second error
		var n int
		b := handling(t, func(w http.ResponseWriter, r *http.Request) {
			c := http.NewResponseController(w)
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			_, first = io.ReadAll(r.Body)
			took = time.Since(began)
			_ = c.SetReadDeadline(time.Time{})
			n, second = io.ReadFull(r.Body, make([]byte, 5))
		})
		b.Feed(announcedPost(10, 5))
		synctest.Wait()
		synctestSleep(time.Minute)
		require.ErrorIs(t, first, os.ErrDeadlineExceeded)
		require.Equal(t, time.Minute, took)
		b.Feed("hello")
		b.over()
		require.NoError(t, second, "without the deadline it goes on")
		require.Equal(t, 5, n)
	})
}

func TestBodyOfFullDuplexOutlivesTheAnswer(t *testing.T) {
	duplex := func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		writeAll(w, "answer")
	}
	t.Run("and the connection goes on", func(t *testing.T) {
		b := handling(t, duplex)
		b.Feed(announcedPost(1000, 10))
		require.Equal(t, "answer", body(b.over()))
		b.Feed(strings.Repeat("b", 990) + plainGet)
		require.Equal(t, 2, strings.Count(b.over(), "answer"))
	})
	t.Run("chunked and short", func(t *testing.T) {
		b := handling(t, duplex)
		b.Feed(chunkedPost(100) + plainGet)
		b.over()
		require.Equal(t, 2, strings.Count(b.over(), "answer"))
	})
	t.Run("chunked and endless", func(t *testing.T) {
		b := handling(t, duplex)
		b.Feed(strings.TrimSuffix(chunkedPost(1), "0\r\n\r\n"))
		b.over()
		for range 300 {
			if b.Channel.Channel().Closed() || b.FINSent() {
				break
			}
			b.Feed("400\r\n" + strings.Repeat("c", 1024) + "\r\n")
		}
		require.True(t, b.FINSent(), "after 256 KiB the connection is closed")
		require.Equal(t, "answer", body(b.over()))
	})
}

func TestBodyOfAWholeRequest(t *testing.T) {
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprint(w, string(all), errors.Is(err, io.EOF), r.ContentLength)
	})}
	ch := newBenchWith(t, b, httpx.ServerConfig{Handlers: aggregating})
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
	require.Equal(t, "hellofalse 5", body(ch.over()))
}

func TestBodyWithBrokenFramingBehindTheBeginOfTheAnswer(t *testing.T) {
	var got error
	b := handling(t, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.EnableFullDuplex()
		_ = c.Flush()
		_, got = io.ReadAll(r.Body)
	})
	b.Feed("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
	b.until(func() bool { return b.wire.Len() > 0 })
	b.Feed("nonsense\r\n")
	b.AdvanceTime(31 * time.Second) // the codec waits for the rest as for one that is late
	b.over()
	require.ErrorIs(t, got, io.ErrUnexpectedEOF)
	require.True(t, b.Channel.Channel().Closed())
}

func TestBodyThatTheDecompressorCannotRead(t *testing.T) {
	var n int64
	var got error
	b := newBenchWith(t, &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, got = io.Copy(io.Discard, r.Body)
		http.Error(w, "damaged", http.StatusUnprocessableEntity)
	})}, httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler {
		return []pipeline.Handler{&httpx.Decompressor{}}
	}})
	b.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\nnot gzip ...")
	require.Contains(t, b.over(), "422 Unprocessable Entity")
	require.Zero(t, n)
	var broken *httpx.BodyError
	require.ErrorAs(t, got, &broken)
}

func TestBodyIsInflatedByTheDecompressor(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	writeAll(z, content())
	require.NoError(t, z.Close())
	var n, length int64
	b := newBenchWith(t, &nethttp.Bridge{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		length = r.ContentLength
		n, _ = io.Copy(io.Discard, r.Body)
	})}, httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler {
		return []pipeline.Handler{&httpx.Decompressor{}}
	}})
	b.Feed(fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", zipped.Len(), zipped.String()))
	require.Contains(t, b.over(), "200 OK")
	require.EqualValues(t, len(content()), n)
	require.EqualValues(t, -1, length)
}

func TestBodyOfTinyChunksTakesLittleMemory(t *testing.T) {
	block := make(chan struct{})
	var n int64
	b := handling(t, func(_ http.ResponseWriter, r *http.Request) {
		<-block
		n, _ = io.Copy(io.Discard, r.Body)
	})
	b.Feed("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	b.Feed(strings.Repeat("1\r\na\r\n", 1<<17))
	require.Greater(t, b.Unread(), 400_000, "of 768 KiB; the decoder holds what was read, as it came")
	close(block)
	b.until(func() bool { return b.Unread() == 0 })
	b.Feed("0\r\n\r\n")
	b.over()
	require.EqualValues(t, 1<<17, n)
}
