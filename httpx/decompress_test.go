package httpx_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func encodeAs(t testing.TB, coding, text string) string {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip", "GZip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "zstd":
		e, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		require.NoError(t, err)
		w = e
	default:
		return text
	}
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.String()
}

// upload is a request with a body in some coding; with chunk 0 it has a Content-Length.
func upload(coding, body string, chunk int) string {
	head := "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: " + coding + "\r\n"
	if chunk == 0 {
		return head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	return head + "Transfer-Encoding: chunked\r\n\r\n" + chunked(body, chunk)
}

func chunked(body string, chunk int) string {
	var b strings.Builder
	for len(body) > 0 {
		n := min(chunk, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\nX-After: yes\r\n\r\n"
}

// mirror answers with the body, and with what it knows about it.
func mirror(_ *pipeline.Context, x *httpx.Exchange) error {
	q := x.Request
	about := fmt.Sprintf("%d %q %q ", q.Length, q.Header.Get("content-encoding"), q.Header.Get("content-length"))
	return x.ReadBody(20<<20, func(body []byte, err error) error {
		if err != nil {
			return err
		}
		return x.RespondText(200, about+string(body))
	})
}

func TestDecompressorUndoesTheCoding(t *testing.T) {
	long := noisy(100_000)
	for _, coding := range []string{"gzip", "x-gzip", "GZip", "deflate", "zstd", "identity, gzip"} {
		for _, chunk := range []int{0, 1, 1000, 1 << 20} {
			for _, whole := range []bool{true, false} {
				if !whole && (chunk != 1000 || coding == "x-gzip" || coding == "GZip") {
					continue
				}
				text := long
				if chunk == 1 || !whole {
					text = long[:3000] // each octet is a read of its own
				}
				t.Run(fmt.Sprintf("%s %d %v", coding, chunk, whole), func(t *testing.T) {
					ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: whole}, httpx.Init(httpx.ServerConfig{
						Handle:   mirror,
						Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{&httpx.Decompressor{}} },
					}))
					body := encodeAs(t, strings.TrimPrefix(coding, "identity, "), text)
					ch.Feed(upload(coding, body, chunk) + upload(coding, body, chunk) + get("/"))
					_, bodies := answers(t, ch.Wire(), "POST", "POST", "GET")
					require.Equal(t, []string{`-1 "" "" ` + text, `-1 "" "" ` + text, `0 "" "" `}, bodies)
				})
			}
		}
	}
}

func TestDecompressorPassesOtherBodies(t *testing.T) {
	for name, c := range map[string]struct{ request, want string }{
		"no coding":       {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", `3 "" "3" abc`},
		"identity":        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc", `3 "identity" "3" abc`},
		"no body":         {"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", `0 "gzip" "0" `},
		"an empty stream": {upload("gzip", "", 5), `-1 "" "" `},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, mirror, &httpx.Decompressor{})
			ch.Feed(c.request + c.request)
			_, bodies := answers(t, ch.Wire(), "POST", "POST")
			require.Equal(t, []string{c.want, c.want}, bodies)
		})
	}
}

func TestDecompressorKeepsTrailers(t *testing.T) {
	var after string
	ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.OnBody(func(c *httpx.Content) error {
			defer c.Release()
			if c.Trailer != nil {
				after = string(c.Trailer.Get("x-after"))
				return x.RespondText(200, "")
			}
			return nil
		})
	}, &httpx.Decompressor{})
	ch.Feed(upload("gzip", encodeAs(t, "gzip", "hello"), 3))
	require.Equal(t, "yes", after)
	require.Len(t, statuses(ch.Wire()), 1)
}

func TestDecompressorAnswersWhatItCanNotRead(t *testing.T) {
	bomb := strings.Repeat("\x00", 1<<20)
	good := encodeAs(t, "gzip", noisy(5000))
	for name, c := range map[string]struct {
		coding, body string
		want         int
	}{
		"bytes beyond the cap":   {"gzip", encodeAs(t, "gzip", bomb), 413},
		"the same for zstd":      {"zstd", encodeAs(t, "zstd", bomb), 413},
		"the same for deflate":   {"deflate", encodeAs(t, "deflate", bomb), 413},
		"damaged":                {"gzip", good[:100] + "xxxxxxxxx" + good[109:], 400},
		"not even begun":         {"zstd", "this is plain text", 400},
		"cut short":              {"gzip", good[:len(good)-1], 400},
		"something behind":       {"deflate", encodeAs(t, "deflate", "hello") + "more", 400},
		"unknown coding":         {"br", "abc", 415},
		"several codings":        {"gzip, zstd", "abc", 415},
		"empty names are no two": {"gzip, ,", good, 200},
	} {
		t.Run(name, func(t *testing.T) {
			for _, chunk := range []int{0, 4000} {
				ch := behind(t, mirror, &httpx.Decompressor{})
				ch.Feed(get("/") + upload(c.coding, c.body, chunk) + get("/"))
				all, _ := answers(t, ch.Wire(), "GET", "POST", "GET")
				require.Equal(t, 200, all[0].StatusCode)
				require.Equal(t, c.want, all[1].StatusCode)
				require.Equal(t, 200, all[2].StatusCode, "the rest of the body is out of the way")
				if c.want == 415 {
					require.Equal(t, "gzip, deflate, zstd", all[1].Header.Get("Accept-Encoding"))
				}
			}
		})
	}
	require.NoError(t, goleak.Find())
}

func TestDecompressorTellsWhoTakesTheBody(t *testing.T) {
	damaged := encodeAs(t, "deflate", noisy(200_000)) + "more"
	t.Run("by ReadBody", func(t *testing.T) {
		var got error
		ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.ReadBody(0, func(_ []byte, err error) error {
				got = err
				return x.RespondText(202, "never mind")
			})
		}, &httpx.Decompressor{})
		ch.Feed(upload("deflate", damaged, 1000))
		require.Equal(t, []string{"202"}, statuses(ch.Wire()))
		var bad *httpx.Error
		require.ErrorAs(t, got, &bad)
		require.Equal(t, 400, bad.Status)
		var corrupted *codec.CorruptedError
		require.ErrorAs(t, got, &corrupted)
		require.ErrorContains(t, got, "httpx: 400 bad content-encoding: codec: ")
	})
	t.Run("by OnBody", func(t *testing.T) {
		n := 0
		ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.OnBody(func(c *httpx.Content) error {
				n += c.Len()
				c.Release()
				return nil
			})
		}, &httpx.Decompressor{})
		ch.Feed(upload("deflate", damaged, 1000) + get("/"))
		require.Equal(t, []string{"400"}, statuses(ch.Wire())[:1])
		require.Positive(t, n)
		require.LessOrEqual(t, n, 200_000)
	})
	t.Run("who has begun to answer", func(t *testing.T) {
		ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
			require.NoError(t, x.Begin(httpx.NewResponse(200)))
			return x.OnBody(func(c *httpx.Content) error { return x.Write(c) })
		}, &httpx.Decompressor{})
		ch.Feed(upload("deflate", damaged, 1000))
		ch.ExpectError(codec.ErrCorrupted)
		require.False(t, strings.HasSuffix(ch.Wire(), "0\r\n\r\n"), "the client can tell")
		require.True(t, ch.Channel().Closed())
	})
	t.Run("nobody, when it is not wanted", func(t *testing.T) {
		ch := behind(t, ok, &httpx.Decompressor{})
		ch.Feed(upload("deflate", damaged, 1000) + get("/"))
		require.Equal(t, []string{"200", "200"}, statuses(ch.Wire()))
	})
	t.Run("who has not asked yet", func(t *testing.T) {
		var h holder
		ch := behind(t, h.serve, &httpx.Decompressor{})
		ch.Feed(upload("gzip", "not gzip at all", 1000))
		require.Equal(t, []string{"400"}, statuses(ch.Wire()))
		require.ErrorIs(t, h.all[0].OnBody(nil), httpx.ErrBodyTaken)
	})
}

func TestDecompressorStopsWhenNobodyWantsMore(t *testing.T) {
	text := noisy(1 << 20)
	body := encodeAs(t, "gzip", text)
	var got strings.Builder
	var x *httpx.Exchange
	calls := 0
	ch := behind(t, func(_ *pipeline.Context, e *httpx.Exchange) error {
		if e.Request.Method == httpx.MethodGet {
			return e.RespondText(200, "behind")
		}
		x = e
		return x.OnBody(func(c *httpx.Content) error {
			defer c.Release()
			got.Write(c.Bytes())
			calls++
			x.PauseBody()
			if c.Last {
				return x.RespondText(200, "")
			}
			return nil
		})
	}, &httpx.Decompressor{})
	ch.Feed(upload("gzip", body, 1<<16) + get("/"))
	for i := 1; got.Len() < len(text); i++ {
		require.Equal(t, i, calls)
		require.NoError(t, x.Post(x.ResumeBody))
		ch.RunPending()
	}
	require.NoError(t, x.Post(x.ResumeBody))
	ch.RunPending()
	require.Equal(t, text, got.String())
	require.Equal(t, []string{"200", "200"}, statuses(ch.Wire()))
}

func TestDecompressorGivesOneMessageForEachReadRequest(t *testing.T) {
	text := noisy(200_000)
	var got strings.Builder
	messages, ended := 0, false
	take := pipeline.OnRead(func(_ *pipeline.Context, msg any) error {
		messages++
		switch m := msg.(type) {
		case *httpx.Request:
			m.Release()
		case *httpx.Content:
			got.Write(m.Bytes())
			ended = m.Last
			m.Release()
		}
		return nil
	})
	ch := pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true, SkipCheck: true},
		codec.NewDecoder[any](httpx.NewRequestDecoder(httpx.DecoderConfig{}, nil)), &httpx.Decompressor{}, take)
	require.NoError(t, ch.Channel().Post(func() { ch.Pipeline().Channel().Pipeline().Get(ch.Pipeline().Names()[0]).SetAutoRead(false) }))
	ch.RunPending()
	ch.Feed(upload("gzip", encodeAs(t, "gzip", text), 10_000))
	require.Zero(t, messages)
	for !ended {
		before := messages
		require.NoError(t, ch.Channel().Post(ch.Pipeline().Read))
		ch.RunPending()
		require.GreaterOrEqual(t, messages, before)
		require.LessOrEqual(t, messages, before+64)
	}
	require.Equal(t, text, got.String())
}

func TestDecompressorDoesNotDisturbContinue(t *testing.T) {
	var h holder
	ch := behind(t, h.serve, &httpx.Decompressor{})
	body := encodeAs(t, "zstd", "hello")
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: zstd\r\nExpect: 100-continue\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n")
	require.Empty(t, ch.Wire())
	require.NoError(t, h.all[0].Post(func() { require.NoError(t, mirror(nil, h.all[0])) }))
	ch.RunPending()
	require.Equal(t, []string{"100"}, statuses(ch.Wire()))
	ch.Feed(body)
	require.True(t, strings.HasSuffix(ch.Wire(), "hello"))
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: br\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
	require.Equal(t, []string{"415"}, statuses(ch.Wire()), "no 100 for what is refused")
	require.Len(t, h.all, 1)
}

func TestDecompressorLeavesUnknownCodingsToOthers(t *testing.T) {
	ch := behind(t, mirror, &httpx.Decompressor{PassUnknown: true})
	ch.Feed(upload("br", "abc", 0))
	_, bodies := answers(t, ch.Wire(), "POST")
	require.Equal(t, `3 "br" "3" abc`, bodies[0])
}

func TestDecompressorCapCanBeSet(t *testing.T) {
	text := strings.Repeat("x", 300_000)
	for name, c := range map[string]struct {
		limit codec.Cap
		want  string
	}{
		"default": {codec.Cap{}, "413"}, "higher ratio": {codec.Cap{MaxRatio: 2000}, "200"},
		"fewer bytes": {codec.Cap{MaxRatio: 2000, MaxBytes: 299_999}, "413"},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, mirror, &httpx.Decompressor{Cap: c.limit})
			ch.Feed(upload("gzip", encodeAs(t, "gzip", text), 0))
			require.Equal(t, []string{c.want}, statuses(ch.Wire()))
		})
	}
}

func TestDecompressorInFrontOfAnAggregator(t *testing.T) {
	for name, c := range map[string]struct{ coding, body, want string }{
		"good":    {"gzip", encodeAs(t, "gzip", "hello"), "200"},
		"damaged": {"gzip", "hello", "400"},
		"unknown": {"br", "hello", "415"},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, mirror, &httpx.Decompressor{}, &httpx.Aggregator{})
			ch.Feed(get("/") + upload(c.coding, c.body, 2))
			wire := ch.Wire()
			require.Equal(t, []string{"200", c.want}, statuses(wire))
			require.Equal(t, c.want != "200", ch.Channel().Closed())
			if c.want == "200" {
				require.True(t, strings.HasSuffix(wire, "hello"), wire)
			}
		})
	}
}

func TestDecompressorOfResponses(t *testing.T) {
	text := noisy(50_000)
	body := encodeAs(t, "gzip", text)
	head := func(status string, fields string) string {
		return "HTTP/1.1 " + status + " X\r\nContent-Encoding: gzip\r\n" + fields + "\r\n"
	}
	fixed := "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	for name, c := range map[string]struct{ wire, want string }{
		"fixed":         {head("200", fixed) + body, text},
		"chunked":       {head("200", "Transfer-Encoding: chunked\r\n") + chunked(body, 1000), text},
		"until close":   {head("200", "") + body, text},
		"interim first": {"HTTP/1.1 103 X\r\n\r\n" + head("200", fixed) + body, text},
		"a part":        {head("206", fixed) + body, body},
		"unknown":       {"HTTP/1.1 200 X\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nabc", "abc"},
		"damaged":       {head("200", "Content-Length: 20\r\n") + "hello, this is no gzip"[:20], ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			ended := 0
			var failed error
			take := pipeline.OnRead(func(_ *pipeline.Context, msg any) error {
				if m, ok := msg.(*httpx.Content); ok && failed == nil {
					got.Write(m.Bytes())
					if m.Last {
						ended++
					}
				}
				if m, ok := msg.(interface{ Release() }); ok {
					m.Release()
				}
				return nil
			})
			ch := pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true, SkipCheck: true},
				codec.NewDecoder[any](httpx.NewResponseDecoder(httpx.DecoderConfig{}, nil)), &httpx.Decompressor{}, take,
				errorTaker(func(err error) { failed = err }))
			ch.Feed(c.wire)
			ch.PeerClose()
			ch.RunPending()
			require.Equal(t, c.want, got.String())
			if name == "damaged" {
				var bad *httpx.Error
				require.ErrorAs(t, failed, &bad)
				require.Zero(t, bad.Status)
				require.ErrorIs(t, failed, codec.ErrCorrupted)
				return
			}
			require.NoError(t, failed)
			require.Equal(t, 1, ended)
		})
	}
}

// errorTaker takes errors.
type errorTaker func(err error)

func (f errorTaker) HandleError(_ *pipeline.Context, err error) error {
	f(err)
	return nil
}

func TestDecompressorLeavesNothingBehind(t *testing.T) {
	body := encodeAs(t, "gzip", noisy(100_000))
	for name, end := range map[string]func(ch *pipelinetest.Channel){
		"left":   func(ch *pipelinetest.Channel) { ch.PeerClose() },
		"reset":  func(ch *pipelinetest.Channel) { ch.PeerReset() },
		"closed": func(ch *pipelinetest.Channel) { ch.Channel().CloseWith(pipeline.CloseNow, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, pause := range []bool{false, true} {
				ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
					return x.OnBody(func(c *httpx.Content) error {
						c.Release()
						if pause && name != "left" { // which nobody would see
							x.PauseBody()
						}
						return nil
					})
				}, &httpx.Decompressor{})
				ch.Feed(upload("gzip", body[:len(body)-10], 1000))
				end(ch)
				ch.RunPending()
				require.True(t, ch.Channel().Closed())
				for err := ch.CheckErr(); err != nil; err = ch.CheckErr() {
					require.ErrorIs(t, err, pipeline.ErrReset)
				}
			}
			require.NoError(t, goleak.Find())
		})
	}
}
