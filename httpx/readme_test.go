package httpx_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/httpx/websocket"
)

// octets is an amount that the README gives in KiB or MiB.
type octets int

// plain writes an amount as the README does.
func plain(amount any) string {
	switch a := amount.(type) {
	case octets:
		if a%(1<<20) == 0 {
			return fmt.Sprintf("%d MiB", a>>20)
		}
		return fmt.Sprintf("%d KiB", a>>10)
	case time.Duration:
		return fmt.Sprintf("%d s", a/time.Second)
	case int:
		if a >= 1000 {
			return fmt.Sprintf("%d,%03d", a/1000, a%1000)
		}
		return strconv.Itoa(a)
	}
	return fmt.Sprint(amount)
}

// The README's table of limits is a promise.
func TestTheReadmeHasTheLimitsOfHTTP(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for what, defaults := range map[string][]any{
		"HTTP: start line, head, fields": {octets(httpx.DefaultLine), octets(httpx.DefaultHead), httpx.DefaultFields},
		"HTTP: requests that wait for an answer, octets of answers that wait for their turn": {
			httpx.DefaultMaxPending, octets(httpx.DefaultMaxQueued),
		},
		"HTTP: octets of an unwanted body that are read to keep the connection": {octets(httpx.DefaultMaxDiscard)},
		"HTTP: first request, any head, body stall, idle between requests": {
			"10 s", httpx.DefaultHeadTime, httpx.DefaultBodyStall, httpx.DefaultIdleTime,
		},
		"HTTP: slowest body, after":  {plain(httpx.DefaultBodyRate) + " B/s", httpx.DefaultBodyGrace},
		"HTTP: collected body":       {octets(httpx.DefaultReadBody)},
		"HTTP forms: values, octets": {httpx.DefaultParams, octets(httpx.DefaultParamBytes)},
		"HTTP multipart: parts, head and fields of a part, octets in all": {
			httpx.DefaultParts, octets(httpx.DefaultPartHead), httpx.DefaultPartFields, octets(httpx.DefaultFormBytes),
		},
		"HTTP client: connecting, answer's head, body stall": {
			httpx.DefaultConnectTimeout, httpx.DefaultHeadTimeout, httpx.DefaultBodyTimeout,
		},
		"HTTP client: connections per host, idle ones per host and in all, waiting requests per host": {
			httpx.DefaultMaxConnsPerHost, httpx.DefaultMaxIdlePerHost, httpx.DefaultMaxIdle, httpx.DefaultMaxWaiting,
		},
		"net/http handlers that run at a time": {nethttp.DefaultMaxRunning},
		"open static files":                    {httpx.DefaultMaxOpenFiles},
		"WebSocket: frame, message, fragments": {
			octets(websocket.DefaultFrame), octets(websocket.DefaultMessage), websocket.DefaultFragments,
		},
		"WebSocket: close handshake, idle, control frames in 10 s": {
			websocket.DefaultCloseWithin, websocket.DefaultIdle, websocket.DefaultMaxControl,
		},
	} {
		values := make([]string, len(defaults))
		for i, d := range defaults {
			values[i] = plain(d)
		}
		require.Contains(t, string(readme), "| "+what+" | "+strings.Join(values, ", ")+" |")
	}
}
