package httpx_test

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// lastYear is when the files of the tests were written; their clock begins later.
var lastYear = embedded.DefaultStart().AddDate(-1, 0, 0)

// tree makes a directory with those files, and a server of it.
func tree(t *testing.T, files map[string]string) (*httpx.Files, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		require.NoError(t, os.Chtimes(path, lastYear, lastYear))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	f := httpx.NewFiles(root)
	t.Cleanup(func() {
		require.NoError(t, root.Close())
		require.Zero(t, f.OpenFiles(), "files still open")
	})
	return f, dir
}

func publicFiles(t *testing.T) *httpx.Files {
	t.Helper()
	f, _ := tree(t, map[string]string{
		"index.html": "<p>home", "a.txt": "0123456789", "sub/index.html": "<p>sub", "sub/ü b.css": "css", "empty.txt": "",
		"dir/file": "in dir", ".secret": "no", "sub/.git/config": "no", ".well-known/acme/token": "yes", "a%2Fb": "percent",
	})
	return f
}

// ask sends a request with those lines to f.
func ask(t *testing.T, f *httpx.Files, method, target string, lines ...string) *http.Response {
	t.Helper()
	ch := answering(t, f.Serve)
	ch.Feed(method + " " + target + " HTTP/1.1\r\nHost: x\r\n" + strings.Join(append(lines, ""), "\r\n") + "\r\n")
	return readAnswer(t, ch.Wire(), method)
}

func TestFilesAreServed(t *testing.T) {
	f := publicFiles(t)
	for target, want := range map[string]struct{ body, contentType string }{
		"/":                       {"<p>home", "text/html; charset=utf-8"},
		"/?a=b":                   {"<p>home", "text/html; charset=utf-8"},
		"/index.html":             {"<p>home", "text/html; charset=utf-8"},
		"/a.txt":                  {"0123456789", "text/plain; charset=utf-8"},
		"/%61.txt":                {"0123456789", "text/plain; charset=utf-8"},
		"/sub/":                   {"<p>sub", "text/html; charset=utf-8"},
		"/sub/%C3%BC%20b.css":     {"css", "text/css; charset=utf-8"},
		"/empty.txt":              {"", "text/plain; charset=utf-8"},
		"/dir/file":               {"in dir", "application/octet-stream"},
		"/.well-known/acme/token": {"yes", "application/octet-stream"},
		"/a%252Fb":                {"percent", "application/octet-stream"},
		"http://x/a.txt":          {"0123456789", "text/plain; charset=utf-8"},
	} {
		t.Run(target, func(t *testing.T) {
			answer := ask(t, f, "GET", target)
			require.Equal(t, 200, answer.StatusCode)
			require.Equal(t, want.body, bodyOf(t, answer))
			require.Equal(t, want.contentType, answer.Header.Get("Content-Type"))
			require.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
			require.Equal(t, "bytes", answer.Header.Get("Accept-Ranges"))
			require.Equal(t, lastYear.Format(http.TimeFormat), answer.Header.Get("Last-Modified"))
			require.Regexp(t, `^"[0-9a-z]+-[0-9a-z]+"$`, answer.Header.Get("Etag"))
			head := ask(t, f, "HEAD", target)
			require.Equal(t, 200, head.StatusCode)
			require.EqualValues(t, len(want.body), head.ContentLength)
			require.Equal(t, answer.Header, head.Header)
		})
	}
}

func TestFilesThatAreHiddenOrNotThereAreNotFound(t *testing.T) {
	f := publicFiles(t)
	for _, target := range []string{
		"/nothing", "/dir/", "/a.txt/", "/a.txt/b", "/.secret", "/sub/.git/config", "/sub/.git/", "/sub/.well-known/a", "/.well-known",
		"/..", "/../a.txt", "/sub/../a.txt", "/./a.txt", "//a.txt", "//", "/sub//index.html", "/%2e%2e/a.txt", "/%2e/a.txt", "/sub%2Findex.html",
		"/sub%5Cindex.html", "/sub\\index.html", "/a.txt%00", "/%zz", "/a%", "/" + strings.Repeat("a/", 100), "/" + strings.Repeat("a", 300),
		"urn:a",
	} {
		if target == "/.well-known" {
			require.Equal(t, 301, ask(t, f, "GET", target).StatusCode)
			continue
		}
		require.Equal(t, 404, ask(t, f, "GET", target).StatusCode, target)
	}
	f.DotFiles = true
	require.Equal(t, 200, ask(t, f, "GET", "/.secret").StatusCode)
	require.Equal(t, 404, ask(t, f, "GET", "/../.secret").StatusCode)
}

func TestFilesBehindLinksStayInside(t *testing.T) {
	f, dir := tree(t, map[string]string{"in/a.txt": "inside"})
	outside := filepath.Join(t.TempDir(), "outside.txt")
	require.NoError(t, os.WriteFile(outside, []byte("outside"), 0o600))
	for link, to := range map[string]string{
		"good.txt": filepath.Join("in", "a.txt"), "abs.txt": outside, "up.txt": filepath.Join("..", "..", "etc", "passwd"),
		"loop": "loop", "out": filepath.Dir(outside), "dangling": "nothing",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	require.Equal(t, "inside", bodyOf(t, ask(t, f, "GET", "/good.txt")))
	for _, target := range []string{"/abs.txt", "/up.txt", "/loop", "/out/outside.txt", "/out/", "/dangling"} {
		require.Equal(t, 404, ask(t, f, "GET", target).StatusCode, target)
	}
}

func TestFilesOfADirectoryNeedItsSlash(t *testing.T) {
	f := publicFiles(t)
	answer := ask(t, f, "GET", "/sub?a=b")
	require.Equal(t, 301, answer.StatusCode)
	require.Equal(t, "/sub/?a=b", answer.Header.Get("Location"))
	require.Equal(t, 404, ask(t, f, "GET", "//sub").StatusCode)
}

func TestFilesAreOnlyRead(t *testing.T) {
	answer := ask(t, publicFiles(t), "DELETE", "/a.txt")
	require.Equal(t, 405, answer.StatusCode)
	require.Equal(t, "GET, HEAD", answer.Header.Get("Allow"))
}

func TestFilesAreServedBelowAPattern(t *testing.T) {
	f := publicFiles(t)
	f.Param = "path"
	var r httpx.Router
	require.NoError(t, r.Handle("/static/{path...}", f.Serve))
	require.NoError(t, r.Handle("/other", f.Serve))
	for target, want := range map[string]int{
		"/static/": 200, "/static/a.txt": 200, "/static/sub/": 200, "/static/sub": 301, "/static/sub%2Findex.html": 404, "/other": 404,
	} {
		answer := exchangeOne(t, r.Serve, "GET", target, "x")
		require.Equal(t, want, answer.StatusCode, target)
		if want == 301 {
			require.Equal(t, "/static/sub/", answer.Header.Get("Location"))
		}
	}
}

func TestFilesAreSentOnlyWhenTheyHaveChanged(t *testing.T) {
	f := publicFiles(t)
	f.CacheControl = "max-age=60"
	first := ask(t, f, "GET", "/a.txt")
	tag, modified := first.Header.Get("Etag"), first.Header.Get("Last-Modified")
	for line, want := range map[string]int{
		"If-None-Match: " + tag:               304,
		"If-Modified-Since: " + modified:      304,
		`If-None-Match: "other"`:              200,
		`If-Match: "other"`:                   412,
		"If-Match: " + tag:                    200,
		"If-Unmodified-Since: " + modified:    200,
		"If-None-Match: " + tag + "\r\nX: y":  304,
		"If-Modified-Since: Thu, 01 Jan 1970": 200,
	} {
		answer := ask(t, f, "GET", "/a.txt", line)
		require.Equal(t, want, answer.StatusCode, line)
		if want == 304 {
			require.Equal(t, tag, answer.Header.Get("Etag"))
			require.Equal(t, "max-age=60", answer.Header.Get("Cache-Control"))
			require.Empty(t, bodyOf(t, answer))
		}
	}
}

func TestFilesThatWereJustWrittenHaveAWeakTag(t *testing.T) {
	f, dir := tree(t, map[string]string{"a": "x", "b": "x"})
	now := embedded.DefaultStart()
	require.NoError(t, os.Chtimes(filepath.Join(dir, "a"), now, now))
	answer := ask(t, f, "GET", "/a")
	require.True(t, strings.HasPrefix(answer.Header.Get("Etag"), "W/"))
	require.Equal(t, now.Format(http.TimeFormat), answer.Header.Get("Last-Modified"))
	require.Equal(t, 200, ask(t, f, "GET", "/a", "Range: bytes=0-0", "If-Range: "+answer.Header.Get("Etag")).StatusCode)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "b"), now.Add(time.Hour), now.Add(time.Hour)))
	answer = ask(t, f, "GET", "/b")
	require.Empty(t, answer.Header.Get("Last-Modified"), "a time in the future says nothing")
}

func TestFilesAreServedInRanges(t *testing.T) {
	f := publicFiles(t)
	tag := ask(t, f, "GET", "/a.txt").Header.Get("Etag")
	for name, c := range map[string]struct {
		method string
		lines  []string
		status int
		body   string
		ranges string
	}{
		"one":                  {"GET", []string{"Range: bytes=2-4"}, 206, "234", "bytes 2-4/10"},
		"the end":              {"GET", []string{"Range: bytes=-2"}, 206, "89", "bytes 8-9/10"},
		"behind the end":       {"GET", []string{"Range: bytes=10-"}, 416, "", "bytes */10"},
		"no range":             {"GET", []string{"Range: lines=1"}, 200, "0123456789", ""},
		"the same file":        {"GET", []string{"Range: bytes=2-4", "If-Range: " + tag}, 206, "234", "bytes 2-4/10"},
		"another file":         {"GET", []string{"Range: bytes=2-4", `If-Range: "x"`}, 200, "0123456789", ""},
		"HEAD has no ranges":   {"HEAD", []string{"Range: bytes=2-4"}, 200, "", ""},
		"unchanged goes first": {"GET", []string{"Range: bytes=2-4", "If-None-Match: " + tag}, 304, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ask(t, f, c.method, "/a.txt", c.lines...)
			require.Equal(t, c.status, answer.StatusCode)
			require.Equal(t, c.body, bodyOf(t, answer))
			require.Equal(t, c.ranges, answer.Header.Get("Content-Range"))
		})
	}
	require.Equal(t, 416, ask(t, f, "GET", "/empty.txt", "Range: bytes=0-").StatusCode)
}

func TestFilesAreServedInSeveralRanges(t *testing.T) {
	answer := ask(t, publicFiles(t), "GET", "/a.txt", "Range: bytes=0-1,8-,3-4")
	require.Equal(t, 206, answer.StatusCode)
	kind, params, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/byteranges", kind)
	r := multipart.NewReader(answer.Body, params["boundary"])
	for _, want := range [][2]string{{"bytes 0-1/10", "01"}, {"bytes 8-9/10", "89"}, {"bytes 3-4/10", "34"}} {
		p, err := r.NextPart()
		require.NoError(t, err)
		body, err := io.ReadAll(p)
		require.NoError(t, err)
		require.Equal(t, want, [2]string{p.Header.Get("Content-Range"), string(body)})
		require.Equal(t, "text/plain; charset=utf-8", p.Header.Get("Content-Type"))
	}
	_, err = r.NextPart()
	require.ErrorIs(t, err, io.EOF)
}

func TestFilesHaveCompressedCopies(t *testing.T) {
	f, dir := tree(t, map[string]string{
		"a.js": "plain", "a.js.gz": "gzipped", "a.js.zst": "zstandard", "b.js": "plain", "b.js.gz": "gzipped", "c.js": "plain", "c.js.gz": "old",
	})
	f.Precompressed = []string{"zstd", "gzip", "br"}
	older := lastYear.Add(-time.Second)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "c.js.gz"), older, older))
	tags := map[string]string{}
	for _, c := range []struct{ target, accept, body, coding string }{
		{"/a.js", "gzip, zstd", "zstandard", "zstd"},
		{"/a.js", "gzip, zstd;q=0.5", "gzipped", "gzip"},
		{"/a.js", "br", "plain", ""},
		{"/a.js", "identity", "plain", ""},
		{"/b.js", "gzip, zstd, br", "gzipped", "gzip"},
		{"/c.js", "gzip", "plain", ""},
		{"/a.js", "", "plain", ""},
	} {
		answer := ask(t, f, "GET", c.target, "Accept-Encoding: "+c.accept)
		require.Equal(t, c.body, bodyOf(t, answer))
		require.Equal(t, c.coding, answer.Header.Get("Content-Encoding"))
		require.Equal(t, "Accept-Encoding", answer.Header.Get("Vary"))
		require.Equal(t, "text/javascript; charset=utf-8", answer.Header.Get("Content-Type"))
		if other, ok := tags[answer.Header.Get("Etag")]; ok && strings.HasPrefix(other, c.target) {
			require.Equal(t, c.target+c.coding, other, "another coding has another tag")
		}
		tags[answer.Header.Get("Etag")] = c.target + c.coding
	}
	require.Equal(t, "ndard", bodyOf(t, ask(t, f, "GET", "/a.js", "Accept-Encoding: zstd", "Range: bytes=4-")))
}

func TestFilesOfOtherTypes(t *testing.T) {
	f := publicFiles(t)
	f.ContentType = func(name string) string { return "x/" + strings.TrimPrefix(name, "dir/") }
	f.Index = "a.txt"
	require.Equal(t, "x/file", ask(t, f, "GET", "/dir/file").Header.Get("Content-Type"))
	require.Equal(t, "x/a.txt", ask(t, f, "GET", "/").Header.Get("Content-Type"))
	require.Equal(t, 404, ask(t, f, "GET", "/sub/").StatusCode)
	f.ContentType = func(string) string { return "a\r\nX: y" }
	require.Equal(t, 500, ask(t, f, "GET", "/a.txt").StatusCode)
}

func TestFilesThatChangeWhileTheyAreSent(t *testing.T) {
	const size = 2 << 20
	f, dir := tree(t, map[string]string{"big": strings.Repeat("x", size)})
	ch := answering(t, f.Serve)
	ch.Block()
	ch.Feed(get("/big"))
	require.Equal(t, 1, f.OpenFiles())
	require.NoError(t, os.Truncate(filepath.Join(dir, "big"), size/2))
	ch.Unblock()
	ch.RunPending()
	ch.ExpectError(io.ErrUnexpectedEOF)
	require.True(t, ch.Channel().Closed())
	require.Less(t, len(ch.Wire()), size)
}

func TestFilesAreSentAsTheClientReads(t *testing.T) {
	var content strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&content, "%09d\n", i)
	}
	f, _ := tree(t, map[string]string{"big": content.String(), "small": "hello"})
	ch := answering(t, f.Serve)
	ch.Block()
	ch.Feed(get("/big") + get("/small"))
	require.Less(t, ch.Channel().Pending(), 512<<10)
	require.LessOrEqual(t, f.OpenFiles(), 2)
	ch.Unblock()
	ch.RunPending()
	wire := ch.Wire()
	head, rest, _ := strings.Cut(wire, "\r\n\r\n")
	require.Contains(t, strings.ToLower(head), "content-length: 2000000")
	require.True(t, strings.HasPrefix(rest, content.String()))
	require.True(t, strings.HasSuffix(rest, "\r\n\r\nhello"))
}

func TestFilesAreClosedWhenTheClientLeaves(t *testing.T) {
	f, _ := tree(t, map[string]string{"big": strings.Repeat("x", 2<<20)})
	ch := answering(t, f.Serve)
	ch.Block()
	ch.Feed(get("/big") + get("/big"))
	require.NotZero(t, f.OpenFiles())
	ch.PeerReset()
	ch.RunPending()
	require.Zero(t, f.OpenFiles())
}

func TestFilesThatAreOpenAreLimited(t *testing.T) {
	f, _ := tree(t, map[string]string{"big": strings.Repeat("x", 2<<20), "small": "hello"})
	f.MaxOpen = 2
	slow := answering(t, f.Serve)
	slow.Block()
	slow.Feed(get("/big"))
	slower := answering(t, f.Serve)
	slower.Block()
	slower.Feed(get("/big"))
	require.Equal(t, 2, f.OpenFiles())
	require.Equal(t, 503, ask(t, f, "GET", "/small").StatusCode)
	slow.Unblock()
	slow.RunPending()
	_ = slow.Wire()
	require.Equal(t, 200, ask(t, f, "GET", "/small").StatusCode)
	slower.Unblock()
	slower.RunPending()
	_ = slower.Wire()
	require.Zero(t, f.OpenFiles())
}

func TestFilesWithAFieldThatCannotBeFail(t *testing.T) {
	f := publicFiles(t)
	tag := ask(t, f, "GET", "/a.txt").Header.Get("Etag")
	f.CacheControl = "a\r\nX: y"
	require.Equal(t, 500, ask(t, f, "GET", "/a.txt").StatusCode)
	require.Equal(t, 500, ask(t, f, "GET", "/a.txt", "If-None-Match: "+tag).StatusCode)
	require.Equal(t, 416, ask(t, f, "GET", "/a.txt", "Range: bytes=99-").StatusCode)
}

func TestFilesFitChannelsThatHoldLittle(t *testing.T) {
	content := strings.Repeat("0123456789", 20_000)
	f, _ := tree(t, map[string]string{"big": content})
	cfg := pipelinetest.Config{Whole: true}
	cfg.Options = pipeline.Options{WriteHigh: 2 << 10, WriteLow: 1 << 10, HardCap: 8 << 10}
	ch := pipelinetest.NewInit(t, cfg, httpx.Init(httpx.ServerConfig{Handle: f.Serve}))
	ch.Feed("GET /big HTTP/1.1\r\nHost: x\r\nRange: bytes=0-99999,100000-199999\r\n\r\n" + get("/big"))
	ch.RunPending()
	wire := ch.Wire()
	require.Contains(t, wire, content[:100_000]+"\r\n--")
	require.True(t, strings.HasSuffix(wire, content))
}
