package main

import (
	"io"
	"net/http"
	"net/http/httputil"
	"net/http/pprof"
	"net/url"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run serves h on a free port for the length of the test and gives its URL.
func run(t *testing.T, h http.Handler) string {
	t.Helper()
	server := newServer(h)
	require.NoError(t, server.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context()) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.NoError(t, <-served)
	})
	return "http://" + server.Addrs()[0].String()
}

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer http.DefaultClient.CloseIdleConnections()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer, string(body)
}

func TestChiRoutes(t *testing.T) {
	base := run(t, routes())
	answer, body := get(t, base+"/hello/you")
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, "Hello, you!\n", body)
	_, body = get(t, base+"/count")
	require.Equal(t, "0\n1\n2\n", body)
	answer, _ = get(t, base+"/nothing")
	require.Equal(t, 404, answer.StatusCode)
}

func TestOtherHandlersOfTheStandardInterfaceRunUnchanged(t *testing.T) {
	gin.SetMode(gin.TestMode)
	g := gin.New()
	g.POST("/upper/:word", func(c *gin.Context) {
		body, err := io.ReadAll(c.Request.Body)
		if err != nil {
			c.Status(400)
			return
		}
		c.JSON(200, gin.H{c.Param("word"): strings.ToUpper(string(body))})
	})
	e := echo.New()
	e.POST("/upper/:word", func(c echo.Context) error {
		body, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		return c.JSON(200, map[string]string{c.Param("word"): strings.ToUpper(string(body))})
	})
	for name, h := range map[string]http.Handler{"gin": g, "echo": e} {
		t.Run(name, func(t *testing.T) {
			backend := run(t, h)
			target, err := url.Parse(backend)
			require.NoError(t, err)
			for kind, base := range map[string]string{"itself": backend, "by a proxy": run(t, httputil.NewSingleHostReverseProxy(target))} {
				answer, err := http.Post(base+"/upper/said", "text/plain", strings.NewReader(strings.Repeat("hello", 5000)))
				require.NoError(t, err)
				body, err := io.ReadAll(answer.Body)
				require.NoError(t, err)
				require.NoError(t, answer.Body.Close())
				require.Equal(t, 200, answer.StatusCode, kind)
				require.JSONEq(t, `{"said":"`+strings.Repeat("HELLO", 5000)+`"}`, string(body), kind)
			}
			http.DefaultClient.CloseIdleConnections()
			http.DefaultTransport.(*http.Transport).CloseIdleConnections() // those of the proxy
		})
	}
}

func TestPprofRunsUnchanged(t *testing.T) {
	answer, body := get(t, run(t, http.HandlerFunc(pprof.Index))+"/debug/pprof/")
	require.Equal(t, 200, answer.StatusCode)
	require.Contains(t, body, "goroutine")
}
