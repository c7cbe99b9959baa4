package httpx_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// behind makes a server's pipeline with handlers between codec and f.
func behind(t testing.TB, f httpx.HandlerFunc, handlers ...pipeline.Handler) *pipelinetest.Channel {
	t.Helper()
	return pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{
		Handle: f, Handlers: func(*pipeline.Channel) []pipeline.Handler { return handlers },
	}))
}

func asking(method, accept string, more ...string) string {
	return method + " / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: " + accept + "\r\n" + strings.Join(more, "\r\n") + "\r\n"
}

// answers reads the wire as another implementation does: each answer to a request with that method, its body decoded.
func answers(t testing.TB, wire string, methods ...string) (all []*http.Response, bodies []string) {
	t.Helper()
	in := bufio.NewReader(strings.NewReader(wire))
	for _, method := range methods {
		r, err := http.ReadResponse(in, &http.Request{Method: method})
		require.NoError(t, err, wire)
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		all, bodies = append(all, r), append(bodies, decodeAs(t, r.Header.Get("Content-Encoding"), body))
	}
	_, err := in.ReadByte()
	require.ErrorIs(t, err, io.EOF, "nothing may follow")
	return all, bodies
}

func decodeAs(t testing.TB, coding string, body []byte) string {
	t.Helper()
	if len(body) == 0 {
		return ""
	}
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "deflate":
		r, err = zlib.NewReader(r)
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err == nil {
			defer d.Close()
			r = d
		}
	default:
		require.Empty(t, coding)
	}
	require.NoError(t, err)
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(all)
}

var prosePage = strings.Repeat("a page of text that says the same again and again. ", 60)

// whole answers by a FullResponse with fields.
func whole(body string, fields ...string) httpx.HandlerFunc {
	return func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewFullResponse(200)
		r.SetBodyString(body)
		for i := 0; i < len(fields); i += 2 {
			if err := r.Header.Add(fields[i], fields[i+1]); err != nil {
				return err
			}
		}
		return x.Respond(r)
	}
}

// pieces answers by a stream.
func pieces(t *testing.T, body []string, fields ...string) httpx.HandlerFunc {
	t.Helper()
	return func(_ *pipeline.Context, x *httpx.Exchange) error {
		require.NoError(t, x.Begin(response(t, fields...)))
		for _, p := range body {
			require.NoError(t, x.WriteBytes([]byte(p)))
		}
		return x.End()
	}
}

func TestCompressorTakesWhatTheClientPrefers(t *testing.T) {
	for accept, want := range map[string]string{
		"gzip":                              "gzip",
		"x-gzip":                            "gzip",
		"deflate":                           "deflate",
		"zstd":                              "zstd",
		"gzip, deflate, br, zstd":           "zstd",
		"gzip;q=0.9, deflate;q=1, zstd;q=0": "deflate",
		"*":                                 "zstd",
		"br":                                "",
		"identity, gzip;q=0.5":              "",
		"":                                  "",
	} {
		t.Run(accept, func(t *testing.T) {
			for name, serve := range map[string]httpx.HandlerFunc{
				"whole":  whole(prosePage, "content-type", "text/html"),
				"pieces": pieces(t, strings.SplitAfter(prosePage, "."), "content-type", "text/html"),
			} {
				ch := behind(t, serve, &httpx.Compressor{})
				ch.Feed(asking("GET", accept) + "\r\n")
				wire := ch.Wire()
				all, bodies := answers(t, wire, "GET")
				require.Equal(t, prosePage, bodies[0], name)
				require.Equal(t, want, all[0].Header.Get("Content-Encoding"), name)
				require.Equal(t, "accept-encoding", all[0].Header.Get("Vary"), name)
				if want != "" {
					require.Less(t, len(wire), len(prosePage)/2, name)
				}
			}
		})
	}
}

func TestCompressorLeavesAnswersAlone(t *testing.T) {
	small := strings.Repeat("x", httpx.DefaultCompressFrom-1)
	text := []string{"content-type", "text/plain"}
	with := func(more ...string) []string { return append(text[:2:2], more...) }
	for name, c := range map[string]struct {
		status int
		body   string
		fields []string
		change func(*httpx.Response)
	}{
		"small":                 {200, small, text, nil},
		"no type":               {200, prosePage, nil, nil},
		"type that is packed":   {200, prosePage, []string{"content-type", "image/png"}, nil},
		"encoded":               {200, prosePage, with("content-encoding", "br"), nil},
		"a part":                {206, prosePage, with("content-range", "bytes 0-1/2"), nil},
		"a part by field":       {200, prosePage, with("Content-Range", "bytes 0-1/2"), nil},
		"not to be transformed": {200, prosePage, with("cache-control", "public, no-transform"), nil},
		"digest":                {200, prosePage, with("Repr-Digest", "sha-256=:AAAA:"), nil},
		"old digest":            {200, prosePage, with("Content-MD5", "AAAA"), nil},
		"identity":              {200, prosePage, text, func(r *httpx.Response) { r.Identity = true }},
		"no content":            {204, "", text, nil},
		"not modified":          {304, "", text, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
				r := httpx.NewFullResponse(c.status)
				r.SetBodyString(c.body)
				for i := 0; i < len(c.fields); i += 2 {
					require.NoError(t, r.Header.Add(c.fields[i], c.fields[i+1]))
				}
				if c.change != nil {
					c.change(&r.Response)
				}
				return x.Respond(r)
			}, &httpx.Compressor{})
			ch.Feed(asking("GET", "gzip") + "\r\n")
			wire := ch.Wire()
			require.True(t, strings.HasSuffix(wire, "\r\n\r\n"+c.body), wire)
			require.NotContains(t, strings.ToLower(wire), "vary")
			require.NotContains(t, wire, "gzip")
		})
	}
}

func TestCompressorChangesTheFields(t *testing.T) {
	for name, c := range map[string]struct {
		fields []string
		want   map[string]string
	}{
		"strong validator":   {[]string{"ETag", `"a"`}, map[string]string{"Etag": `W/"a"`}},
		"weak validator":     {[]string{"etag", `W/"a"`}, map[string]string{"Etag": `W/"a"`}},
		"long validator":     {[]string{"etag", `"` + strings.Repeat("x", 300) + `"`}, map[string]string{"Etag": ""}},
		"ranges":             {[]string{"accept-ranges", "bytes"}, map[string]string{"Accept-Ranges": ""}},
		"vary":               {[]string{"vary", "origin"}, map[string]string{"Vary": "origin|accept-encoding"}},
		"vary already":       {[]string{"vary", "Accept-Encoding"}, map[string]string{"Vary": "Accept-Encoding"}},
		"varies by anything": {[]string{"vary", "*"}, map[string]string{"Vary": "*"}},
		"others stay":        {[]string{"cache-control", "max-age=5", "x-a", "b"}, map[string]string{"Cache-Control": "max-age=5", "X-A": "b"}},
		"length":             {[]string{"content-length", strconv.Itoa(len(prosePage))}, map[string]string{"Content-Encoding": "gzip"}},
	} {
		t.Run(name, func(t *testing.T) {
			fields := append([]string{"content-type", "text/html; charset=utf-8"}, c.fields...)
			for form, serve := range map[string]httpx.HandlerFunc{"whole": whole(prosePage, fields...), "pieces": pieces(t, []string{prosePage}, fields...)} {
				ch := behind(t, serve, &httpx.Compressor{})
				ch.Feed(asking("GET", "gzip") + "\r\n")
				wire := ch.Wire()
				all, bodies := answers(t, wire, "GET")
				require.Equal(t, prosePage, bodies[0])
				for field, want := range c.want {
					require.Equal(t, want, strings.Join(all[0].Header.Values(field), "|"), form)
				}
				if form == "whole" {
					_, body, _ := strings.Cut(wire, "\r\n\r\n")
					require.Equal(t, int64(len(body)), all[0].ContentLength)
				} else {
					require.Equal(t, int64(-1), all[0].ContentLength)
				}
			}
		})
	}
}

func TestCompressorDoesNotChangeWhatOthersHold(t *testing.T) {
	shared := httpx.NewFullResponse(200)
	defer shared.Release()
	shared.SetBodyString(prosePage)
	require.NoError(t, shared.Header.Add("content-type", "text/plain"))
	ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		shared.Retain()
		return x.Respond(shared)
	}, &httpx.Compressor{})
	ch.Feed(asking("GET", "gzip") + "\r\n" + asking("GET", "br") + "\r\n" + asking("GET", "deflate") + "\r\n")
	all, bodies := answers(t, ch.Wire(), "GET", "GET", "GET")
	require.Equal(t, []string{prosePage, prosePage, prosePage}, bodies)
	require.Equal(t, "gzip", all[0].Header.Get("Content-Encoding"))
	require.Empty(t, all[1].Header.Get("Content-Encoding"))
	require.Equal(t, "deflate", all[2].Header.Get("Content-Encoding"))
	require.Equal(t, 1, shared.Header.Len())
}

func TestCompressorSendsTheOriginalWhenThatIsShorter(t *testing.T) {
	noise := make([]byte, 3000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	for _, accept := range []string{"gzip", "deflate", "zstd"} {
		ch := behind(t, whole(string(noise), "content-type", "text/plain", "etag", `"a"`), &httpx.Compressor{})
		ch.Feed(asking("GET", accept) + "\r\n")
		all, bodies := answers(t, ch.Wire(), "GET")
		require.Equal(t, string(noise), bodies[0])
		require.Empty(t, all[0].Header.Get("Content-Encoding"))
		require.Equal(t, `"a"`, all[0].Header.Get("Etag"))
		require.Equal(t, "accept-encoding", all[0].Header.Get("Vary"))
	}
}

func TestCompressorAnswersHEADAsGET(t *testing.T) {
	fields := []string{"content-type", "text/html", "etag", `"a"`}
	length := slices.Concat(fields, []string{"content-length", strconv.Itoa(len(prosePage))})
	for name, serve := range map[string]httpx.HandlerFunc{
		"whole":                  whole(prosePage, fields...),
		"whole, with its length": whole("", length...),
		"pieces":                 pieces(t, []string{prosePage}, length...),
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, serve, &httpx.Compressor{})
			ch.Feed(asking("HEAD", "gzip") + "\r\n" + asking("HEAD", "") + "\r\n")
			all, _ := answers(t, ch.Wire(), "HEAD", "HEAD")
			require.Equal(t, "gzip", all[0].Header.Get("Content-Encoding"))
			require.Equal(t, `W/"a"`, all[0].Header.Get("Etag"))
			require.Equal(t, int64(-1), all[0].ContentLength, "nobody knows")
			require.Equal(t, int64(len(prosePage)), all[1].ContentLength)
			require.Equal(t, `"a"`, all[1].Header.Get("Etag"))
			for _, r := range all {
				require.Equal(t, "accept-encoding", r.Header.Get("Vary"))
			}
		})
	}
}

func TestCompressorDoesNotCompressForHTTP10(t *testing.T) {
	ch := behind(t, whole(prosePage, "content-type", "text/html"), &httpx.Compressor{})
	ch.Feed("GET / HTTP/1.0\r\nAccept-Encoding: gzip\r\nConnection: keep-alive\r\n\r\n")
	all, bodies := answers(t, ch.Wire(), "GET")
	require.Equal(t, prosePage, bodies[0])
	require.Equal(t, int64(len(prosePage)), all[0].ContentLength)
	require.True(t, ch.Channel().IsOpen())
}

func TestCompressorPairsPipelinedAnswers(t *testing.T) {
	ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		if err := x.Interim(httpx.NewResponse(103)); err != nil {
			return err
		}
		return whole(prosePage, "content-type", "text/html")(nil, x)
	}, &httpx.Compressor{})
	var input strings.Builder
	var want []string
	for i := range 40 {
		accept := []string{"gzip", "", "deflate", "zstd", "br"}[i%5]
		want = append(want, strings.TrimPrefix(accept, "br"))
		input.WriteString(asking("GET", accept) + "\r\n")
	}
	ch.Feed(input.String())
	in := bufio.NewReader(strings.NewReader(ch.Wire()))
	for _, coding := range want {
		r, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		require.Equal(t, 103, r.StatusCode)
		r, err = http.ReadResponse(in, nil)
		require.NoError(t, err)
		require.Equal(t, coding, r.Header.Get("Content-Encoding"))
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		require.Equal(t, prosePage, decodeAs(t, coding, body))
	}
}

func TestCompressorAnswerThatIsRefusedGivesItsPlaceToTheNext(t *testing.T) {
	bad := true
	ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewFullResponse(200)
		r.SetBodyString("hello")
		if bad {
			require.NoError(t, r.Header.Add("content-length", "4"))
		} else {
			r.SetBodyString(prosePage)
			require.NoError(t, r.Header.Add("content-type", "text/html"))
		}
		bad = !bad
		return x.Respond(r)
	}, &httpx.Compressor{})
	ch.Feed(asking("GET", "br") + "\r\n" + asking("GET", "gzip") + "\r\n")
	all, bodies := answers(t, ch.Wire(), "GET", "GET")
	require.Equal(t, 500, all[0].StatusCode)
	require.Equal(t, "gzip", all[1].Header.Get("Content-Encoding"))
	require.Equal(t, prosePage, bodies[1])
}

func TestCompressorDelaysNoEvents(t *testing.T) {
	for _, history := range []bool{false, true} {
		for _, accept := range []string{"gzip", "deflate", "zstd"} {
			t.Run(accept, func(t *testing.T) {
				var h holder
				ch := behind(t, h.serve, &httpx.Compressor{History: history})
				ch.Feed(asking("GET", accept) + "\r\n")
				x := h.all[0]
				require.NoError(t, x.Post(func() { require.NoError(t, x.Begin(response(t, "content-type", "text/event-stream"))) }))
				ch.RunPending()
				wire := ch.Wire()
				for range 5 {
					require.NoError(t, x.Post(func() {
						require.NoError(t, x.WriteBytes([]byte("data: one\n")))
						require.NoError(t, x.WriteBytes([]byte("\n")))
					}))
					ch.RunPending()
					event := ch.Wire()
					require.NotEmpty(t, event)
					require.Equal(t, 1, strings.Count(event, "\r\n")/2, "one chunk for a batch: %q", event)
					wire += event
				}
				require.NoError(t, x.Post(func() { require.NoError(t, x.End()) }))
				ch.RunPending()
				_, bodies := answers(t, wire+ch.Wire(), "GET")
				require.Equal(t, strings.Repeat("data: one\n\n", 5), bodies[0])
			})
		}
	}
}

func TestCompressorKeepsTrailers(t *testing.T) {
	for name, serve := range map[string]httpx.HandlerFunc{
		"whole": func(_ *pipeline.Context, x *httpx.Exchange) error {
			r := httpx.NewFullResponse(200)
			r.SetBodyString(prosePage)
			r.Trailer = &httpx.Header{}
			require.NoError(t, r.Trailer.Add("x-sum", "7"))
			require.NoError(t, r.Header.Add("content-type", "text/plain"))
			return x.Respond(r)
		},
		"large": func(_ *pipeline.Context, x *httpx.Exchange) error {
			r := httpx.NewFullResponse(200)
			r.SetBody([]byte(strings.Repeat(prosePage, 200)))
			r.Trailer = &httpx.Header{}
			require.NoError(t, r.Trailer.Add("x-sum", "7"))
			require.NoError(t, r.Header.Add("content-type", "text/plain"))
			return x.Respond(r)
		},
		"pieces": func(_ *pipeline.Context, x *httpx.Exchange) error {
			require.NoError(t, x.Begin(response(t, "content-type", "text/plain")))
			last := httpx.NewContent(buffer.FromString(prosePage).ReadSlice(10))
			last.Last, last.Trailer = true, &httpx.Header{}
			require.NoError(t, last.Trailer.Add("x-sum", "7"))
			return x.Write(last)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, serve, &httpx.Compressor{})
			ch.Feed(asking("GET", "gzip") + "\r\n")
			ch.RunPending()
			all, _ := answers(t, ch.Wire(), "GET")
			require.Equal(t, "7", all[0].Trailer.Get("X-Sum"))
		})
	}
}

func TestCompressorTellsWhenAPieceHasLeft(t *testing.T) {
	s := &streams{}
	var outcome *pipelinetest.Outcome
	var ch *pipelinetest.Channel
	s.answer = func() []any { return []any{response(t, "content-type", "text/plain")} }
	c := &httpx.Compressor{}
	cfg := httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{c, s} }}
	ch = pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, &installs{cfg})
	ch.Feed(asking("GET", "gzip") + "\r\n")
	ch.Block()
	p, outcome := ch.Watch()
	b := buffer.FromString(prosePage)
	ch.Pipeline().WriteWith(httpx.NewContent(b.ReadSlice(b.Len())), p)
	b.Release()
	ch.RunPending()
	require.False(t, outcome.Done)
	ch.Unblock()
	ch.RunPending()
	require.True(t, outcome.Done)
	p, outcome = ch.Watch()
	ch.Pipeline().WriteWith(httpx.EmptyLast, p)
	ch.RunPending()
	require.True(t, outcome.Done)
	_, bodies := answers(t, ch.Wire(), "GET")
	require.Equal(t, prosePage, bodies[0])
}

func TestCompressorSettings(t *testing.T) {
	for name, c := range map[string]struct {
		c    *httpx.Compressor
		kind string
		want string
	}{
		"codings in order":  {&httpx.Compressor{Codings: []string{"deflate", "gzip"}}, "text/plain", "deflate"},
		"no coding fits":    {&httpx.Compressor{Codings: []string{"gzip"}, Types: []string{"text/html"}}, "text/plain", ""},
		"exact type":        {&httpx.Compressor{Types: []string{"image/png"}}, "image/PNG", "zstd"},
		"whole type":        {&httpx.Compressor{Types: []string{"image/"}}, "image/png; a=b", "zstd"},
		"suffix":            {&httpx.Compressor{Types: []string{"+cbor"}}, "application/a+cbor", "zstd"},
		"not the beginning": {&httpx.Compressor{Types: []string{"text/"}}, "text", ""},
		"larger only":       {&httpx.Compressor{MinBytes: len(prosePage) + 1}, "text/plain", ""},
		"level":             {&httpx.Compressor{Level: 9}, "application/problem+json", "zstd"},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, whole(prosePage, "content-type", c.kind), c.c)
			ch.Feed(asking("GET", "gzip, deflate, zstd") + "\r\n")
			all, bodies := answers(t, ch.Wire(), "GET")
			require.Equal(t, prosePage, bodies[0])
			require.Equal(t, c.want, all[0].Header.Get("Content-Encoding"))
		})
	}
	for name, c := range map[string]*httpx.Compressor{
		"coding": {Codings: []string{"br"}}, "level": {Level: 10},
	} {
		t.Run("wrong "+name, func(t *testing.T) {
			ch := behind(t, ok, c)
			require.Error(t, ch.CheckErr())
		})
	}
}
