package httpx_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

const appOrigin = "https://app.example"

// corsAnswer sends a request with those lines through c; fields is the answer's access-control fields and Vary.
func corsAnswer(t *testing.T, c httpx.CORS, method string, lines ...string) (answer *http.Response, fields map[string]string) {
	t.Helper()
	middleware, err := c.Middleware()
	require.NoError(t, err)
	ch := answering(t, httpx.Chain(func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewFullResponse(200)
		r.SetBodyString("data")
		if err := r.Header.Add("Vary", "Accept"); err != nil {
			return err
		}
		return x.Reply(r)
	}, middleware))
	ch.Feed(method + " / HTTP/1.1\r\nHost: x\r\n" + strings.Join(append(lines, ""), "\r\n") + "\r\n")
	answer = readAnswer(t, ch.Wire(), method)
	fields = map[string]string{}
	for name, values := range answer.Header {
		if rest, ok := strings.CutPrefix(name, "Access-Control-"); ok {
			require.Len(t, values, 1, name)
			fields[rest] = values[0]
		}
	}
	fields["Vary"] = strings.Join(answer.Header["Vary"], ", ")
	return answer, fields
}

func TestCORSMarksAnswersForOriginsThatAreLetIn(t *testing.T) {
	one := httpx.CORS{Origins: []string{appOrigin, "null"}, Expose: []string{"ETag", "X-Total"}}
	secret := one
	secret.Credentials = true
	dynamic := httpx.CORS{AllowOrigin: func(origin string, r *httpx.Request) bool {
		return strings.HasSuffix(origin, ".example") && string(r.Target()) == "/"
	}}
	for name, c := range map[string]struct {
		cors  httpx.CORS
		lines []string
		want  map[string]string
	}{
		"let in": {one, []string{"Origin: " + appOrigin}, map[string]string{
			"Allow-Origin": appOrigin, "Expose-Headers": "ETag, X-Total", "Vary": "Accept, Origin",
		}},
		"with credentials": {secret, []string{"Origin: " + appOrigin}, map[string]string{
			"Allow-Origin": appOrigin, "Allow-Credentials": "true", "Expose-Headers": "ETag, X-Total", "Vary": "Accept, Origin",
		}},
		"null": {one, []string{"Origin: null"}, map[string]string{
			"Allow-Origin": "null", "Expose-Headers": "ETag, X-Total", "Vary": "Accept, Origin",
		}},
		"not let in":        {one, []string{"Origin: https://evil.example"}, map[string]string{"Vary": "Accept, Origin"}},
		"nearly let in":     {one, []string{"Origin: " + appOrigin + ".evil"}, map[string]string{"Vary": "Accept, Origin"}},
		"in another case":   {one, []string{"Origin: https://APP.example"}, map[string]string{"Vary": "Accept, Origin"}},
		"another port":      {one, []string{"Origin: " + appOrigin + ":8443"}, map[string]string{"Vary": "Accept, Origin"}},
		"no origin":         {one, nil, map[string]string{"Vary": "Accept, Origin"}},
		"empty origin":      {one, []string{"Origin:"}, map[string]string{"Vary": "Accept, Origin"}},
		"two origins":       {one, []string{"Origin: " + appOrigin, "Origin: " + appOrigin}, map[string]string{"Vary": "Accept, Origin"}},
		"nobody":            {httpx.CORS{}, []string{"Origin: " + appOrigin}, map[string]string{"Vary": "Accept, Origin"}},
		"everybody":         {httpx.CORS{Origins: []string{"*"}}, []string{"Origin: x"}, map[string]string{"Allow-Origin": "*", "Vary": "Accept"}},
		"everybody, no one": {httpx.CORS{Origins: []string{"*"}}, nil, map[string]string{"Vary": "Accept"}},
		"by a function":     {dynamic, []string{"Origin: https://a.example"}, map[string]string{"Allow-Origin": "https://a.example", "Vary": "Accept, Origin"}},
		"not by a function": {dynamic, []string{"Origin: https://a.test"}, map[string]string{"Vary": "Accept, Origin"}},
	} {
		t.Run(name, func(t *testing.T) {
			answer, got := corsAnswer(t, c.cors, "GET", c.lines...)
			require.Equal(t, 200, answer.StatusCode)
			require.Equal(t, c.want, got)
		})
	}
}

func TestCORSAnswersPreflights(t *testing.T) {
	const askMethod = "Access-Control-Request-Method: PUT"
	const askHeaders = "Access-Control-Request-Headers: x-a,x-b"
	const askPrivate = "Access-Control-Request-Private-Network: true"
	const vary = "Access-Control-Request-Method, Access-Control-Request-Headers"
	full := httpx.CORS{
		Origins: []string{appOrigin}, Methods: []string{"GET", "PUT"}, Headers: []string{"Content-Type", "X-A"},
		Credentials: true, MaxAge: 10 * time.Minute, PrivateNetwork: true,
	}
	every := httpx.CORS{Origins: []string{"*"}, Headers: []string{"*"}, MaxAge: -1}
	for name, c := range map[string]struct {
		cors   httpx.CORS
		lines  []string
		status int
		want   map[string]string
	}{
		"everything": {full, []string{"Origin: " + appOrigin, askMethod, askHeaders, askPrivate}, 204, map[string]string{
			"Allow-Origin": appOrigin, "Allow-Credentials": "true", "Allow-Methods": "GET, PUT", "Allow-Headers": "Content-Type, X-A",
			"Max-Age": "600", "Allow-Private-Network": "true", "Vary": "Origin, " + vary + ", Access-Control-Request-Private-Network",
		}},
		"any origin, any header": {every, []string{"Origin: x", askMethod, askHeaders}, 204, map[string]string{
			"Allow-Origin": "*", "Allow-Methods": "GET, HEAD, POST", "Allow-Headers": "x-a,x-b", "Max-Age": "0", "Vary": vary,
		}},
		"no header asked for": {every, []string{"Origin: x", askMethod, askPrivate}, 204, map[string]string{
			"Allow-Origin": "*", "Allow-Methods": "GET, HEAD, POST", "Max-Age": "0", "Vary": vary,
		}},
		"not let in": {full, []string{"Origin: https://evil.example", askMethod, askHeaders}, 403, map[string]string{
			"Vary": "Origin, " + vary + ", Access-Control-Request-Private-Network",
		}},
		"no preflight": {every, []string{"Origin: x"}, 200, map[string]string{"Allow-Origin": "*", "Vary": "Accept"}},
		"no origin":    {every, []string{askMethod}, 200, map[string]string{"Vary": "Accept"}},
	} {
		t.Run(name, func(t *testing.T) {
			answer, got := corsAnswer(t, c.cors, "OPTIONS", c.lines...)
			require.Equal(t, c.status, answer.StatusCode)
			require.Equal(t, c.want, got)
		})
	}
}

func TestCORSRefusesWhatIsContradictory(t *testing.T) {
	for name, c := range map[string]httpx.CORS{
		"credentials for everybody":  {Origins: []string{appOrigin, "*"}, Credentials: true},
		"a method that injects":      {Methods: []string{"GET\r\nX: y"}},
		"a header that is a list":    {Headers: []string{"a, b"}},
		"an exposed one that is not": {Expose: []string{""}},
	} {
		_, err := c.Middleware()
		require.Error(t, err, name)
	}
}

func TestCORSMarksErrorsToo(t *testing.T) {
	middleware, err := httpx.CORS{Origins: []string{appOrigin}}.Middleware()
	require.NoError(t, err)
	var r httpx.Router
	ch := answering(t, httpx.Chain(r.Serve, middleware))
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\nOrigin: " + appOrigin + "\r\n\r\n")
	answer := readAnswer(t, ch.Wire(), "GET")
	require.Equal(t, 404, answer.StatusCode)
	require.Equal(t, appOrigin, answer.Header.Get("Access-Control-Allow-Origin"))
}
