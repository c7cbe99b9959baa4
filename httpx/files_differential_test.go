package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFilesAnswerAsTheStandardLibraryDoes draws conditions and ranges for one file. Ranges of another grammar are not
// among them: there they are refused, here ignored, as RFC 9110, 14.2, lets a server choose.
func TestFilesAnswerAsTheStandardLibraryDoes(t *testing.T) {
	const content = "0123456789abcdefghij"
	f, _ := tree(t, map[string]string{"a.txt": content})
	tag := ask(t, f, "GET", "/a.txt").Header.Get("Etag")
	tags := []string{tag, `"other"`, "W/" + tag, "*", `"other", ` + tag, "junk", `"other" junk`}
	before, after := lastYear.AddDate(0, 0, -1).Format(http.TimeFormat), lastYear.AddDate(0, 0, 1).Format(http.TimeFormat)
	dates := []string{lastYear.Format(http.TimeFormat), before, after, "never"}
	ranges := []string{
		"bytes=0-4", "bytes=5-", "bytes=-3", "bytes=20-", "bytes=19-25", "bytes=0-0,-1", "bytes=0-4,30-40",
		"bytes=0-,0-", "bytes=0-9,10-19",
	}
	rapid.Check(t, func(rt *rapid.T) {
		method := rapid.SampledFrom([]string{"GET", "GET", "HEAD"}).Draw(rt, "method")
		request := httptest.NewRequest(method, "/a.txt", nil)
		var lines []string
		for name, values := range map[string][]string{
			"If-Match": tags, "If-None-Match": tags, "If-Modified-Since": dates, "If-Unmodified-Since": dates, "If-Range": append(dates, tags[:3]...),
			"Range": ranges,
		} {
			if rapid.IntRange(0, 2).Draw(rt, name) == 0 {
				value := rapid.SampledFrom(values).Draw(rt, "value of "+name)
				request.Header.Set(name, value)
				lines = append(lines, name+": "+value)
			}
		}
		w := httptest.NewRecorder()
		w.Header().Set("Etag", tag)
		http.ServeContent(w, request, "a.txt", lastYear, strings.NewReader(content))
		theirs, ours := w.Result(), ask(t, f, method, "/a.txt", lines...)
		if method == http.MethodHead && (theirs.StatusCode == 206 || theirs.StatusCode == 416) {
			require.Equal(t, 200, ours.StatusCode, "RFC 9110, 14.2: Range is for GET")
			return
		}
		require.Equal(t, theirs.StatusCode, ours.StatusCode, "%q", lines)
		require.Equal(t, theirs.Header.Get("Content-Range"), ours.Header.Get("Content-Range"), "%q", lines)
		kind, _, several := strings.Cut(ours.Header.Get("Content-Type"), "; boundary=")
		if ours.StatusCode < 300 && !several {
			require.Equal(t, bodyOf(t, theirs), bodyOf(t, ours), "%q", lines)
		}
		if several {
			require.Equal(t, "multipart/byteranges", kind)
			require.True(t, strings.HasPrefix(theirs.Header.Get("Content-Type"), kind))
		}
	})
}
