package httpx

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequestsWaitInOrderThroughEveryGrowth(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var s State
	var model []exchange
	for range 5000 {
		if random.IntN(5) < 3 {
			e := exchange(random.IntN(1<<5)) &^ exchangeUpgrade
			s.push(e)
			model = append(model, e)
		} else if len(model) > 0 {
			require.Equal(t, model[0], s.peek())
			s.pop()
			model = model[1:]
		}
		require.Equal(t, len(model), s.Pending())
	}
}

func TestFewPipelinedRequestsNeedNoMemory(t *testing.T) {
	var s State
	s.push(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for range len(s.first) - 1 {
			s.push(0)
		}
		for range len(s.first) - 1 {
			s.pop()
		}
	}))
}

func TestNothingWaitsInANewState(t *testing.T) {
	var s State
	require.Zero(t, s.Pending())
	require.Zero(t, s.peek())
	s.pop()
	require.Zero(t, s.Pending())
	require.False(t, s.Closing() || s.Finished() || s.Switched())
}

func TestExchangeRemembersWhatAnAnswerNeeds(t *testing.T) {
	for head, want := range map[string]exchange{
		getWith():                    exchangeKeepAlive,
		getWith("Connection: close"): 0,
		"HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n":           exchangeHead | exchangeOld | exchangeKeepAlive,
		"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n":                     exchangeConnect | exchangeUpgrade | exchangeKeepAlive,
		getWith("Connection: Upgrade", "Upgrade: websocket"):          exchangeUpgrade | exchangeKeepAlive,
		"GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n": exchangeOld,
	} {
		r := decodeHead(t, head)
		require.Equal(t, want, exchangeOf(r), "%q", head)
		r.Release()
	}
}

func TestTheIncompleteRequestIsNotAheadOfItself(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte(getRequest + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab"))
	require.Equal(t, 2, c.state.Pending())
	require.Equal(t, 1, c.state.ahead())
	c.feed([]byte("c"))
	require.Equal(t, 2, c.state.ahead())
	c.feed([]byte(postChunked + "0\r\n"))
	require.Equal(t, 2, c.state.ahead())
	c.feed([]byte("\r\n"))
	require.Equal(t, 3, c.state.ahead())
	c.feed([]byte(postChunked + "x\r\n"))
	require.Equal(t, 400, c.close().status)
	require.Equal(t, 4, c.state.Pending())
	require.Equal(t, 3, c.state.ahead())
}

func TestNothingIsDecodedWhenTheServerHasStopped(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte(getRequest))
	c.state.stopped = true
	c.feed([]byte(getRequest + getRequest))
	require.Equal(t, 1, c.state.Pending())
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NewFullResponse(200))
	require.Empty(t, c.close().leftover)
}
