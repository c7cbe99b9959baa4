package nethttp_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// content is what ServeContent serves.
var content = sync.OnceValue(func() string {
	var b strings.Builder
	for i := range 30_000 {
		_, _ = fmt.Fprintf(&b, "%05d\n", i)
	}
	return b.String()
})

func serveContent(*journal) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "a.txt", time.Unix(1_000_000, 0), strings.NewReader(content()))
	}
}

// serveFile serves a file, which goes out without a copy.
func serveFile(*journal) http.HandlerFunc {
	dir, err := os.MkdirTemp("", "nethttp")
	if err != nil {
		return func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
	name := filepath.Join(dir, "a.txt")
	err = os.WriteFile(name, []byte(content()), 0o600)
	if err == nil {
		err = os.Chtimes(name, time.Unix(1_000_000, 0), time.Unix(1_000_000, 0))
	}
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() { _ = os.RemoveAll(dir) }()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		http.ServeFile(w, r, name)
	}
}

// zipped is a middleware that compresses what next writes.
func zipped(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Vary", "Accept-Encoding")
		z := gzip.NewWriter(w)
		next(zipWriter{w, z}, r)
		_ = z.Close()
	}
}

type zipWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (w zipWriter) Write(p []byte) (int, error)       { return w.z.Write(p) }
func (w zipWriter) Unwrap() http.ResponseWriter       { return w.ResponseWriter }
func (w zipWriter) WriteString(s string) (int, error) { return io.WriteString(w.z, s) }

func libraryRows() []row {
	withField := func(field string) string { return "GET /a.txt HTTP/1.1\r\nHost: x\r\n" + field + "\r\n\r\n" }
	mux := func(*journal) http.HandlerFunc {
		m := http.NewServeMux()
		m.HandleFunc("GET /item/{id}", func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, "%s %s", r.PathValue("id"), r.Pattern)
		})
		m.HandleFunc("POST /item/{id}", func(http.ResponseWriter, *http.Request) {})
		return m.ServeHTTP
	}
	form := func(*journal) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			err := r.ParseMultipartForm(1 << 10)
			f, head, err2 := r.FormFile("file")
			if err != nil || err2 != nil {
				_, _ = fmt.Fprint(w, err, err2)
				return
			}
			n, _ := io.Copy(io.Discard, f)
			_, _ = fmt.Fprintf(w, "%s %s %d", r.FormValue("name"), head.Filename, n)
		}
	}
	slow := func(*journal) http.HandlerFunc {
		return http.TimeoutHandler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
			20*time.Millisecond, "too slow").ServeHTTP
	}
	quick := func(*journal) http.HandlerFunc {
		return http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-A", "1")
			_, _ = io.WriteString(w, "in time")
		}), patience, "too slow").ServeHTTP
	}
	limited := func(j *journal) http.HandlerFunc { return http.MaxBytesHandler(counts(j), 100).ServeHTTP }
	return []row{
		{name: "ServeContent", handler: serveContent, request: plainGet},
		{name: "ServeContent, HEAD", handler: serveContent, request: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "ServeContent, a range", handler: serveContent, request: withField("Range: bytes=100-50000")},
		{name: "ServeContent, the end", handler: serveContent, request: withField("Range: bytes=-7")},
		{name: "ServeContent, no such range", handler: serveContent, request: withField("Range: bytes=900000-")},
		{name: "ServeContent, not modified", handler: serveContent, request: withField("If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT")},
		{name: "ServeFile", handler: serveFile, request: withField("X-A: 1")},
		{name: "ServeFile, HTTP/1.0", handler: serveFile, request: "GET /a.txt HTTP/1.0\r\n\r\n"},
		{name: "ServeFile, HEAD", handler: serveFile, request: "HEAD /a.txt HTTP/1.1\r\nHost: x\r\n\r\n", method: "HEAD"},
		{name: "ServeFile, a range", handler: serveFile, request: withField("Range: bytes=7-130006")},
		{name: "ServeFile, a small range", handler: serveFile, request: withField("Range: bytes=7-70")},
		{name: "TimeoutHandler in time", handler: quick, request: plainGet},
		{name: "TimeoutHandler too late", handler: slow, request: plainGet},
		{name: "MaxBytesHandler, small enough", handler: limited, method: "POST", request: announcedPost(100, 100)},
		{name: "MaxBytesHandler, too large", handler: limited, method: "POST", request: announcedPost(1000, 1000)},
		{name: "MaxBytesHandler, chunked and too large", handler: limited, method: "POST", request: chunkedPost(2)},
		{name: "gzip by a middleware", handler: func(j *journal) http.HandlerFunc { return zipped(writes(content())(j)) }, request: plainGet},
		{name: "gzip of little", handler: func(j *journal) http.HandlerFunc { return zipped(writes("hello")(j)) }, request: plainGet},
		{name: "ServeMux", handler: mux, request: "GET /item/7 HTTP/1.1\r\nHost: x\r\n\r\n"},
		{name: "ServeMux, wrong method", handler: mux, request: "DELETE /item/7 HTTP/1.1\r\nHost: x\r\n\r\n"},
		{name: "ServeMux, nothing there", handler: mux, request: "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"},
		{name: "ServeMux, CONNECT", handler: mux, request: "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", method: "GET"},
		{name: "redirect", handler: func(*journal) http.HandlerFunc { return http.RedirectHandler("/there", http.StatusFound).ServeHTTP }, request: plainGet},
		{name: "http.Error", handler: of(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no", http.StatusInternalServerError)
		}), request: plainGet},
		{name: "cookies", handler: of(func(w http.ResponseWriter, r *http.Request) {
			c, err := r.Cookie("a")
			if err == nil {
				http.SetCookie(w, &http.Cookie{Name: c.Name, Value: c.Value + "!", Path: "/"})
			}
			http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
		}), request: withField("Cookie: a=1; c=3")},
		{name: "multipart form with a file on disk", handler: form, method: "POST", request: multipartPost()},
	}
}

func multipartPost() string {
	var b bytes.Buffer
	b.WriteString("--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nvalue\r\n" +
		"--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.bin\"\r\n\r\n")
	b.WriteString(strings.Repeat("f", 50_000))
	b.WriteString("\r\n--B--\r\n")
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=B\r\nContent-Length: %d\r\n\r\n%s", b.Len(), b.String())
}
