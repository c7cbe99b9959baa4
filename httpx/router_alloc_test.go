//go:build !race && !bufdebug

package httpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestRoutingCostsNoAllocation(t *testing.T) {
	var r httpx.Router
	for _, p := range []string{
		"/", "/about", "GET /users/{id}/posts/{post}", "/files/{path...}", "api.example.com/v1/{kind}/{id}", "POST /users/{id}/posts/{post}",
	} {
		require.NoError(t, r.Handle(p, func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.Reply(httpx.NewFullResponse(204))
		}))
	}
	ch := answering(t, r.Serve)
	for name, input := range map[string]string{
		"static":         get("/about"),
		"two values":     get("/users/1/posts/2"),
		"an escape":      get("/users/%41/posts/2"),
		"a rest":         get("/files/a/b/c"),
		"everything":     get("/somewhere/else"),
		"a host":         "GET /v1/a/b HTTP/1.1\r\nHost: API.example.com:8080\r\n\r\n",
		"another method": "POST /users/1/posts/2 HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			octets := []byte(input)
			round := func() {
				if err := ch.Embedded.Feed(octets); err != nil {
					t.Fatal(err)
				}
				ch.DiscardWire()
			}
			for range 50 {
				round()
			}
			require.Zero(t, testing.AllocsPerRun(200, round))
		})
	}
}
