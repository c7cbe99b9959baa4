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
