package httpx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestQueryStaysReadableUntilALateAnswer(t *testing.T) {
	var late *httpx.Exchange
	var query *httpx.Params
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		q, err := x.Query()
		late, query = x, q
		return err
	})
	ch.Feed(get("/a?name=J%C3%BCrgen&name=" + strings.Repeat("x", 600)))
	require.Equal(t, "Jürgen", string(query.Get("name")))
	require.NoError(t, late.RespondText(200, ""))
	ch.RunPending()
	require.Contains(t, ch.Wire(), "200 OK")
	require.Equal(t, "Jürgen", string(query.Get("name")))
	ch.Feed(get("/a?b=%"))
	require.Contains(t, ch.Wire(), "400 Bad Request")
	ch.Feed(get("/a"))
	require.Zero(t, query.Len())
	require.NoError(t, late.RespondText(200, ""))
	ch.RunPending()
	_ = ch.Wire()
}

func TestFormIsReadFromTheBody(t *testing.T) {
	serve := func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.ReadForm(httpx.ParamLimits{Count: 2, Bytes: 20}, func(p *httpx.Params, err error) error {
			if err != nil {
				return err
			}
			return x.RespondText(200, string(p.Get("a")))
		})
	}
	for name, c := range map[string]struct {
		contentType, body string
		want              int
	}{
		"a form":          {httpx.FormType, "a=b+c&d=e", 200},
		"too many fields": {httpx.FormType, "a&b&c", 413},
		"too large":       {httpx.FormType, strings.Repeat("a", 21), 413},
		"a bad escape":    {httpx.FormType, "a=%", 400},
		"another type":    {"text/plain", "a=b", 415},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, serve)
			ch.Feed(fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", c.contentType, len(c.body), c.body))
			answer := readAnswer(t, ch.Wire(), "POST")
			require.Equal(t, c.want, answer.StatusCode)
			if c.want == 200 {
				require.Equal(t, "b c", bodyOf(t, answer))
			}
		})
	}
}

func TestRedirectNamesThePlace(t *testing.T) {
	for location, want := range map[string]string{
		"/a?b=c#d":                      "/a?b=c#d",
		"https://h.example:8443/ä b":    "https://h.example:8443/%C3%A4%20b",
		"http://[::1]/":                 "http://[::1]/",
		"/a\r\nSet-Cookie: evil=yes":    "/a%0D%0ASet-Cookie:%20evil=yes",
		"\\\\evil.example/\"quotes\"\t": "%5C%5Cevil.example/%22quotes%22%09",
	} {
		answer := exchangeOne(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.Redirect(303, location)
		}, "GET", "/", "x")
		require.Equal(t, 303, answer.StatusCode)
		require.Equal(t, want, answer.Header.Get("Location"))
	}
}
