package httpx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// converse sends octets to a server in memory and prints the status, some fields and the body of its answer.
func converse(handle httpx.HandlerFunc, request string, fields ...string) {
	ch, err := embedded.NewInit(embedded.Config{}, httpx.Init(httpx.ServerConfig{Handle: handle}))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ch.FeedString(strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		fmt.Println(err)
	}
	head, body, _ := strings.Cut(string(ch.AppendWire(nil)), "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	fmt.Println(strings.TrimPrefix(lines[0], "HTTP/1.1 "))
	for _, line := range lines[1:] {
		for _, name := range fields {
			if strings.HasPrefix(strings.ToLower(line), name+":") {
				fmt.Println(line)
			}
		}
	}
	if body != "" {
		fmt.Println(strings.TrimSpace(body))
	}
}

// Routes by method and path; values of the path are read by name.
func ExampleRouter() {
	var r httpx.Router
	for pattern, f := range map[string]httpx.HandlerFunc{
		"GET /users/{id}": func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.RespondText(200, "user "+x.PathValue("id"))
		},
		"GET /users/me": func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.RespondText(200, "you")
		},
	} {
		if err := r.Handle(pattern, f); err != nil {
			fmt.Println(err)
		}
	}
	converse(r.Serve, "GET /users/7 HTTP/1.1\nHost: a\n\n")
	converse(r.Serve, "GET /users/me HTTP/1.1\nHost: a\n\n")
	converse(r.Serve, "DELETE /users/me HTTP/1.1\nHost: a\n\n", "allow")
	// Output:
	// 200 OK
	// user 7
	// 200 OK
	// you
	// 405 Method Not Allowed
	// allow: GET, HEAD
	// Method Not Allowed
}

// Middleware of this package and of one's own around a router.
func ExampleChain() {
	letIn, err := httpx.CORS{Origins: []string{"https://app.example"}}.Middleware()
	if err != nil {
		fmt.Println(err)
		return
	}
	noSniffing := func(next httpx.HandlerFunc) httpx.HandlerFunc {
		return func(ctx *pipeline.Context, x *httpx.Exchange) error {
			x.OnAnswer(func(r *httpx.Response) { _ = r.Header.Set("x-content-type-options", "nosniff") })
			return next(ctx, x)
		}
	}
	var r httpx.Router
	converse(httpx.Chain(r.Serve, noSniffing, letIn), "GET /nothing HTTP/1.1\nHost: a\nOrigin: https://app.example\n\n",
		"access-control-allow-origin", "x-content-type-options")
	// Output:
	// 404 Not Found
	// access-control-allow-origin: https://app.example
	// x-content-type-options: nosniff
	// Not Found
}

// An upload is passed on as it arrives, whatever its size.
func ExampleNewMultipart() {
	upload := func(_ *pipeline.Context, x *httpx.Exchange) error {
		form, err := httpx.NewMultipart(x.Request)
		if err != nil {
			return err
		}
		var title string
		octets := 0
		form.Value = func(p *httpx.Part, value []byte) error {
			if p.Name == "title" {
				title = string(value)
			}
			return nil
		}
		form.Data = func(_ *httpx.Part, data buffer.Slice) error {
			octets += data.Len()
			data.Release()
			return nil
		}
		form.Done = func() error { return x.RespondText(200, fmt.Sprintf("%s: %d octets", title, octets)) }
		return x.OnBody(form.Take)
	}
	converse(upload, `POST / HTTP/1.1
Host: a
Content-Type: multipart/form-data; boundary=x
Content-Length: 147

--x
Content-Disposition: form-data; name="title"

Holidays
--x
Content-Disposition: form-data; name="file"; filename="a.txt"

hello
--x--
`)
	// Output:
	// 200 OK
	// Holidays: 5 octets
}

// A page that shows what happens while it happens.
func ExampleNewEvents() {
	converse(func(_ *pipeline.Context, x *httpx.Exchange) error {
		events, err := httpx.NewEvents(x, httpx.EventsConfig{})
		if err != nil {
			return err
		}
		if err := events.Send(httpx.Event{ID: "1", Name: "price", Data: "42"}); err != nil {
			return err
		}
		events.Close()
		return nil
	}, "GET / HTTP/1.0\nHost: a\n\n", "content-type")
	// Output:
	// 200 OK
	// content-type: text/event-stream
	// id: 1
	// event: price
	// data: 42
}

// The files of a directory below a path.
func ExampleNewFiles() {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = root.Close() }()

	files := httpx.NewFiles(root)
	files.Param = "path"
	var r httpx.Router
	if err := r.Handle("/static/{path...}", files.Serve); err != nil {
		fmt.Println(err)
	}
	converse(r.Serve, "GET /static/hello.txt HTTP/1.1\nHost: a\nRange: bytes=1-3\n\n", "content-type", "content-range")
	// Output:
	// 206 Partial Content
	// content-range: bytes 1-3/5
	// content-type: text/plain; charset=utf-8
	// ell
}

// A session cookie that no script can read and no other site makes a browser send.
func ExampleHeader_AddCookie() {
	var h httpx.Header
	err := h.AddCookie(&httpx.SetCookie{
		Name: "__Host-session", Value: "s3cr3t", Path: "/", MaxAge: time.Hour,
		Secure: true, HTTPOnly: true, SameSite: httpx.SameSiteStrict,
	})
	fmt.Println(string(h.Get("set-cookie")), err)
	// Output: __Host-session=s3cr3t; Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Strict <nil>
}
