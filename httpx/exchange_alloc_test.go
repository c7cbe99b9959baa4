//go:build !race && !bufdebug

package httpx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestExchangeReplyCostsNoAllocation(t *testing.T) {
	var header httpx.Header
	require.NoError(t, header.Add("content-type", "text/plain"))
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := httpx.NewFullResponse(200)
		r.Header.AddAll(&header)
		r.SetBodyString("Hello, World!")
		return x.Reply(r)
	})
	for name, input := range map[string]string{"one": get("/"), "sixteen": strings.Repeat(get("/"), 16)} {
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
			require.Zero(t, testing.AllocsPerRun(500, round))
		})
	}
}
