//go:build !race && !bufdebug

package httpx_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// hello answers in the cheapest way.
func hello(_ *pipeline.Context, x *httpx.Exchange) error {
	r := httpx.NewFullResponse(200)
	r.SetBodyString("Hello, World!")
	return x.Reply(r)
}

func TestDateDeadlinesAndKeepAliveCostNoAllocation(t *testing.T) {
	ch := answeringAs(t, httpx.ServerConfig{
		Handle: hello, Name: "penstock", KeepAlive: httpx.KeepAlive{MaxAge: time.Hour, MaxRequests: 1 << 40},
	})
	for name, pieces := range map[string][]string{
		"whole":    {get("/")},
		"in two":   {"GET / HT", "TP/1.1\r\nHost: x\r\n\r\n"},
		"a body":   {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n", "a", "bc"},
		"a second": {get("/"), "", get("/")},
	} {
		t.Run(name, func(t *testing.T) {
			octets := make([][]byte, len(pieces))
			for i := range pieces {
				octets[i] = []byte(pieces[i])
			}
			round := func() {
				for _, p := range octets {
					if len(p) == 0 {
						ch.AdvanceTime(time.Second) // the date is made anew, deadlines are looked at
						continue
					}
					if err := ch.Embedded.Feed(p); err != nil {
						t.Fatal(err)
					}
				}
				ch.DiscardWire()
			}
			for range 70 {
				round()
			}
			require.Zero(t, testing.AllocsPerRun(200, round))
		})
	}
}

// dropping takes what comes and forgets it.
func dropping(ch *pipeline.Channel) error {
	return ch.Pipeline().AddLast(pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { return nil }))
}

// An idle connection has the codec, the Server with its timers, and nothing of the requests that it has served.
func TestIdleConnectionsTakeLittleMemory(t *testing.T) {
	const n = 1000
	bare := idleBytes(t, n, dropping)
	served := idleBytes(t, n, httpx.Init(httpx.ServerConfig{Handle: hello}))
	t.Logf("an idle connection of HTTP takes %d bytes more than one with one small handler", served-bare)
	require.Less(t, served-bare, 3<<10)
}

// idleBytes returns what each of n connections of one loop takes that have served a request each.
func idleBytes(t *testing.T, n int, init func(*pipeline.Channel) error) int {
	t.Helper()
	network := embedded.NewNetwork(embedded.Config{})
	network.Listen("server", init)
	request := []byte(get("/"))
	memory := func() int {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int(stats.HeapAlloc)
	}
	before := memory()
	for range n {
		client, err := network.Dial(t.Context(), "server", dropping)
		require.NoError(t, err)
		require.NoError(t, client.Send(buffer.FromBytes(request), nil))
		network.RunPending()
	}
	after := memory()
	_, err := network.Finish()
	require.NoError(t, err)
	return (after - before) / n
}
