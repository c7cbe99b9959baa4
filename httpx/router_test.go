package httpx_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// routed makes a router whose routes answer with their pattern and the values of those names.
func routed(t testing.TB, names []string, patterns ...string) *httpx.Router {
	t.Helper()
	var r httpx.Router
	for _, p := range patterns {
		require.NoError(t, r.Handle(p, tell(names)))
	}
	return &r
}

func tell(names []string) httpx.HandlerFunc {
	return func(_ *pipeline.Context, x *httpx.Exchange) error {
		text := x.Pattern()
		for _, name := range names {
			if value := x.PathValue(name); value != "" {
				text += " " + name + "=" + value
			}
		}
		r := httpx.NewFullResponse(200)
		if err := r.Header.Add("x-route", text); err != nil {
			return err
		}
		return x.Reply(r)
	}
}

// exchangeOne sends one request and returns the answer as the standard library reads it.
func exchangeOne(t testing.TB, serve httpx.HandlerFunc, method, target, host string) *http.Response {
	t.Helper()
	ch := answering(t, serve)
	ch.Feed(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
	return readAnswer(t, ch.Wire(), method)
}

func TestRouterChoosesTheMostSpecificPattern(t *testing.T) {
	r := routed(t, []string{"id", "post", "path"},
		"/", "/{$}", "/about", "GET /users/{id}", "/users/{id}", "GET /users/me", "GET /users/{id}/posts/{post}", "/files/{path...}",
		"/files/readme", "h.example/about", "/a%2Fb/c", "[::1]/about", "CONNECT proxy.example/", "GET /tree/", "POST /form",
	)
	for request, want := range map[string]string{
		"GET / x":                                   "/{$}",
		"GET /nothing x":                            "/",
		"GET /about x":                              "/about",
		"POST /about x":                             "/about",
		"GET /about H.Example:8080":                 "h.example/about",
		"GET /about h.example.":                     "h.example/about",
		"GET /other h.example":                      "/",
		"GET /about [::1]:80":                       "[::1]/about",
		"GET http://h.example/about x":              "h.example/about",
		"GET http://x/users/7?a=/b x":               "GET /users/{id} id=7",
		"GET http://h.example:80 x":                 "/{$}",
		"GET /users/me x":                           "GET /users/me",
		"PUT /users/me x":                           "/users/{id} id=me",
		"GET /users/you x":                          "GET /users/{id} id=you",
		"HEAD /users/you x":                         "GET /users/{id} id=you",
		"DELETE /users/you x":                       "/users/{id} id=you",
		"GET /users/a%2fb%20c x":                    "GET /users/{id} id=a/b c",
		"GET /users/%2e%2e x":                       "GET /users/{id} id=..",
		"GET /%75sers/%6de x":                       "GET /users/me",
		"GET /users/1/posts/2?q=3 x":                "GET /users/{id}/posts/{post} id=1 post=2",
		"GET /files/ x":                             "/files/{path...}",
		"GET /files/a/b/ x":                         "/files/{path...} path=a/b/",
		"GET /files/readme x":                       "/files/readme",
		"GET /files/readme/more x":                  "/files/{path...} path=readme/more",
		"GET /a%2fb/c x":                            "/a%2Fb/c",
		"GET /a/b/c x":                              "/",
		"CONNECT proxy.example:443 x":               "CONNECT proxy.example/",
		"CONNECT other.example:443 other.example":   "/{$}",
		"GET /tree/a/b x":                           "GET /tree/",
		"GET /" + strings.Repeat("%61", 200) + " x": "/",
	} {
		t.Run(request, func(t *testing.T) {
			parts := strings.Fields(request)
			answer := exchangeOne(t, r.Serve, parts[0], parts[1], parts[2])
			require.Equal(t, 200, answer.StatusCode)
			require.Equal(t, want, answer.Header.Get("X-Route"))
		})
	}
}

func TestRouterKeepsManyValues(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	r := routed(t, names, "/{a}/{b}/{c}/{d}/{e}/{f}/{g...}", "/{a}/{b}/{c}/{d}/{e}/x")
	answer := exchangeOne(t, r.Serve, "GET", "/1/2/3/4/5/6/7/8", "x")
	require.Equal(t, "/{a}/{b}/{c}/{d}/{e}/{f}/{g...} a=1 b=2 c=3 d=4 e=5 f=6 g=7/8", answer.Header.Get("X-Route"))
	answer = exchangeOne(t, r.Serve, "GET", "/1/2/3/4/5/x", "x")
	require.Equal(t, "/{a}/{b}/{c}/{d}/{e}/x a=1 b=2 c=3 d=4 e=5", answer.Header.Get("X-Route"))
}

func TestRouterRedirectsToTheProperPath(t *testing.T) {
	r := routed(t, nil, "POST /files/", "GET /files/", "HEAD /files/", "/a", "/x/b/{$}", "/\\evil/b/{$}", "/%2Fevil/b/{$}", "GET /only")
	for request, want := range map[string]string{
		"GET /files":              "301 /files/",
		"HEAD /files?a=b":         "301 /files/?a=b",
		"POST /files?":            "308 /files/?",
		"GET //a":                 "301 /a",
		"PUT /./x/../a?q=%20\\":   "308 /a?q=%20%5C",
		"GET /x//files/../b":      "301 /x/b/",
		"GET /\\evil/b":           "301 /%5Cevil/b/",
		"GET /%2Fevil/b":          "301 /%2Fevil/b/",
		"GET //evil.example/../a": "301 /a",
		"GET http://x/files":      "301 /files/",
		"GET //nothing":           "404 ",
		"POST //only":             "405 ",
		"GET /files/../nothing":   "404 ",
	} {
		t.Run(request, func(t *testing.T) {
			method, target, _ := strings.Cut(request, " ")
			answer := exchangeOne(t, r.Serve, method, target, "x")
			require.Equal(t, want, fmt.Sprintf("%d %s", answer.StatusCode, answer.Header.Get("Location")))
		})
	}
	r.RedirectStatus = 307
	require.Equal(t, 307, exchangeOne(t, r.Serve, "GET", "/files", "x").StatusCode)
}

func TestRouterTellsTheMethodsThatAreAllowed(t *testing.T) {
	r := routed(t, nil, "GET /a", "POST /a", "DELETE /{x}", "PUT h/a", "PATCH /tree/")
	for request, want := range map[string]string{
		"TRACE /a x":     "DELETE, GET, HEAD, POST",
		"OPTIONS /a x":   "DELETE, GET, HEAD, POST",
		"OPTIONS /a h":   "DELETE, GET, HEAD, POST, PUT",
		"GET /b x":       "DELETE",
		"GET /tree x":    "DELETE, PATCH",
		"GET /tree/a x":  "PATCH",
		"get /a x":       "DELETE, GET, HEAD, POST",
		"GET /tree//a x": "PATCH",
	} {
		t.Run(request, func(t *testing.T) {
			parts := strings.Fields(request)
			answer := exchangeOne(t, r.Serve, parts[0], parts[1], parts[2])
			require.Equal(t, 405, answer.StatusCode)
			require.Equal(t, want, answer.Header.Get("Allow"))
		})
	}
	r.NotAllowed = func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "own") }
	answer := exchangeOne(t, r.Serve, "PUT", "/a", "x")
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, "DELETE, GET, HEAD, POST", answer.Header.Get("Allow"))
}

func TestRouterAnswersWhatNoPatternMatches(t *testing.T) {
	var r httpx.Router
	require.Equal(t, 404, exchangeOne(t, r.Serve, "GET", "/a", "x").StatusCode)
	require.Equal(t, 204, exchangeOne(t, r.Serve, "OPTIONS", "*", "x").StatusCode)
	require.Equal(t, 400, exchangeOne(t, r.Serve, "GET", "urn:a", "x").StatusCode)
	require.Equal(t, 400, exchangeOne(t, r.Serve, "GET", "/a%zz", "x").StatusCode)
	require.Equal(t, 400, exchangeOne(t, r.Serve, "GET", "/a%4", "x").StatusCode)
	require.Equal(t, 404, exchangeOne(t, r.Serve, "CONNECT", "a:1", "x").StatusCode)
	r.NotFound = func(_ *pipeline.Context, x *httpx.Exchange) error {
		if x.Pattern() != "" || x.PathValue("a") != "" {
			return errors.New("a route was taken")
		}
		return x.RespondText(410, "gone")
	}
	require.Equal(t, 410, exchangeOne(t, r.Serve, "GET", "/a", "x").StatusCode)
}

func TestRouterRefusesWhatConflicts(t *testing.T) {
	r := routed(t, nil, "/a/{x}")
	err := r.Handle("/{x}/a", tell(nil))
	var wrong *httpx.PatternError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "/a/{x}", wrong.Other)
	require.EqualError(t, err, `httpx: pattern "/{x}/a" conflicts with "/a/{x}": both match some requests, and each matches others that the other does not`)
	require.ErrorAs(t, r.Handle("/b/{x", tell(nil)), &wrong)
	require.ErrorAs(t, r.Handle("/c", nil), &wrong)
	require.Equal(t, 404, exchangeOne(t, r.Serve, "GET", "/c", "x").StatusCode)
}

func TestRouterTakesRoutesWhileItServes(t *testing.T) {
	var r httpx.Router
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { _ = r.Handle(fmt.Sprintf("/%d", i), tell(nil)) })
		wg.Go(func() {
			ch := answering(t, r.Serve)
			ch.Feed(get("/0"))
			_ = ch.Wire()
		})
	}
	wg.Wait()
	for i := range 50 {
		require.Equal(t, 200, exchangeOne(t, r.Serve, "GET", fmt.Sprintf("/%d", i), "x").StatusCode)
	}
}

// TestRouterChoosesWhatTheStandardLibraryChooses draws sets of patterns and requests to them.
func TestRouterChoosesWhatTheStandardLibraryChooses(t *testing.T) {
	names := []string{"x0", "x1", "x2", "z"}
	rapid.Check(t, func(rt *rapid.T) {
		var ours httpx.Router
		mux := http.NewServeMux()
		for range rapid.IntRange(1, 8).Draw(rt, "patterns") {
			p := httpx.DrawPattern(rt)
			if ours.Handle(p, tell(names)) != nil {
				continue
			}
			mux.HandleFunc(p, func(w http.ResponseWriter, q *http.Request) {
				text := p
				for _, name := range names {
					if value := q.PathValue(name); value != "" {
						text += " " + name + "=" + value
					}
				}
				w.Header().Set("X-Route", text)
			})
		}
		for range 8 {
			method := rapid.SampledFrom([]string{"GET", "GET", "HEAD", "POST", "PUT"}).Draw(rt, "method")
			host := rapid.SampledFrom([]string{"h", "i:80", "j"}).Draw(rt, "host")
			var target strings.Builder
			for range rapid.IntRange(0, 4).Draw(rt, "depth") {
				target.WriteString("/" + rapid.SampledFrom([]string{"a", "b", "c", "%61", "a%2Fb", "", ".", ".."}).Draw(rt, "segment"))
			}
			if target.Len() == 0 || rapid.Bool().Draw(rt, "slash") {
				target.WriteByte('/')
			}
			requireSameRoute(t, exchangeOne(t, ours.Serve, method, target.String(), host), mux, method, target.String(), host)
		}
	})
}

func requireSameRoute(t *testing.T, ours *http.Response, mux *http.ServeMux, method, target, host string) {
	t.Helper()
	ask := func(target string) *http.Response {
		q := httptest.NewRequest(method, target, nil)
		q.Host = host
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, q)
		return w.Result()
	}
	theirs := ask(target)
	escaped := strings.Contains(target, "%") // escapes are lost or escaped again there
	at := fmt.Sprintf("%s %s %s", method, target, host)
	if theirs.StatusCode == http.StatusTemporaryRedirect {
		location := theirs.Header.Get("Location")
		if 300 <= ours.StatusCode && ours.StatusCode < 400 {
			require.True(t, escaped || location == ours.Header.Get("Location"), at)
			return
		}
		if escaped {
			location = strings.ReplaceAll(location, "%25", "%")
		}
		theirs = ask(location) // there, paths are redirected even to where nothing is
	}
	require.Equal(t, theirs.StatusCode, ours.StatusCode, at)
	require.Equal(t, theirs.Header.Get("X-Route"), ours.Header.Get("X-Route"), at)
	require.Equal(t, theirs.Header.Get("Allow"), ours.Header.Get("Allow"), at)
}
