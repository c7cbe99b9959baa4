package httpx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// ok answers at once and takes no body.
func ok(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "ok") }

// collect answers when the body is complete.
func collect(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.ReadBody(0, func(_ []byte, err error) error {
		if err != nil {
			return err
		}
		return x.RespondText(200, "got it")
	})
}

const (
	headOfPost    = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"
	headOfChunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
)

func TestDeadlinesOfHeads(t *testing.T) {
	for name, c := range map[string]struct {
		before string // answered at once
		drip   string // an octet each second
		want   []string
		after  time.Duration
	}{
		"the first, from accept on":         {"", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", []string{"408"}, 10 * time.Second},
		"a later one, from its first octet": {get("/"), "GET / HTTP/1.1\r\nHost: x\r\n\r\n", []string{"200", "408"}, 10 * time.Second},
		"of HTTP/1.0":                       {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", []string{"200", "408"}, 10 * time.Second},
		"behind a body":                     {post("/", "3\r\nabc\r\n0\r\n\r\n"), strings.Repeat("G", 40), []string{"200", "408"}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, ok)
			ch.Feed(c.before)
			start := ch.Now()
			for i := 0; i < len(c.drip) && !ch.Channel().Closed(); i++ {
				ch.Feed(c.drip[i : i+1])
				ch.AdvanceTime(time.Second)
			}
			require.True(t, ch.Channel().Closed())
			require.Equal(t, c.want, statuses(ch.Wire()))
			require.Equal(t, c.after, ch.Now().Sub(start).Truncate(time.Second))
		})
	}
}

func TestDeadlineOfAHeadWaitsForTheAnswersBefore(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + get("/2") + "GET /3 HTT")
	ch.AdvanceTime(time.Minute)
	require.Empty(t, ch.Wire())
	ch.Feed("P/1.1\r\nHost: x\r\n\r\n")
	require.Len(t, h.all, 2, "too late")
	for _, x := range h.all {
		ch.AdvanceTime(time.Hour)
		require.NoError(t, x.RespondText(200, ""))
		ch.RunPending()
	}
	require.Equal(t, []string{"200", "200", "408"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

func TestDeadlineOfAHeadDoesNotRunWhileNobodyReads(t *testing.T) {
	var h holder
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: h.serve, MaxQueued: 100}))
	ch.Feed(get("/1") + get("/2") + "GET /3 HTT")
	require.NoError(t, h.all[1].RespondText(200, strings.Repeat("x", 200)))
	ch.RunPending()
	require.False(t, ch.Channel().Reading())
	ch.AdvanceTime(time.Hour)
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	ch.AdvanceTime(9 * time.Second)
	ch.Feed("P/1.1\r\nHost: x\r\n\r\n")
	require.Len(t, h.all, 3)
	require.NoError(t, h.all[2].RespondText(200, ""))
	ch.RunPending()
	require.Len(t, statuses(ch.Wire()), 3)
	require.True(t, ch.Channel().IsOpen())
}

func TestDeadlineOfIdleConnections(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		answers []string
	}{
		"HTTP/1.1":    {get("/"), []string{"200"}},
		"HTTP/1.0":    {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", []string{"200"}},
		"body":        {post("/", "3\r\nabc\r\n0\r\n\r\n"), []string{"200"}},
		"empty lines": {get("/") + "\r\n\r\n\r\n", []string{"200"}},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, ok)
			ch.Feed(c.request)
			for range 10 { // traffic keeps it
				ch.AdvanceTime(59 * time.Second)
				_ = ch.Wire()
				ch.Feed(c.request)
			}
			require.Equal(t, c.answers, statuses(ch.Wire()))
			ch.AdvanceTime(httpx.DefaultIdleTime)
			require.True(t, ch.Channel().IsOpen())
			ch.AdvanceTime(time.Second)
			require.Empty(t, ch.Wire(), "nothing was asked")
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestConnectionsThatOweAnAnswerAreNotIdle(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/"))
	ch.AdvanceTime(time.Hour)
	x := h.all[0]
	require.NoError(t, x.Post(func() { require.NoError(t, x.Begin(httpx.NewResponse(200))) }))
	ch.AdvanceTime(time.Hour)
	require.NoError(t, x.Post(func() { require.NoError(t, x.End()) }))
	ch.AdvanceTime(50 * time.Second)
	require.True(t, ch.Channel().IsOpen())
	ch.AdvanceTime(12 * time.Second)
	require.True(t, ch.Channel().Closed())
}

func TestConnectionsWhoseClientReadsSlowlyAreNotIdle(t *testing.T) {
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.RespondBytes(200, "", make([]byte, 32<<10))
	})
	ch.Block()
	ch.Feed(get("/"))
	for range 60 {
		ch.AcceptBytes(100)
		ch.AdvanceTime(5 * time.Second)
	}
	require.True(t, ch.Channel().IsOpen())
	ch.Unblock()
	ch.AdvanceTime(2 * time.Minute)
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

func TestClientsThatSayNothingAreClosedWithoutAWord(t *testing.T) {
	ch := answering(t, ok)
	ch.AdvanceTime(handlers.DefaultReadyWithin - 1)
	require.True(t, ch.Channel().IsOpen())
	ch.AdvanceTime(1)
	require.Empty(t, ch.Wire())
	require.True(t, ch.Channel().Closed())
}

func TestDeadlinesOfBodies(t *testing.T) {
	const sec = time.Second
	for name, c := range map[string]struct {
		head  string
		piece string
		every time.Duration
		until time.Duration // 0 = it is fast enough
	}{
		"nothing comes":                    {headOfPost, "", sec, 5 * sec},
		"an octet each second":             {headOfPost, "x", sec, 5 * sec},
		"less than the rate":               {headOfPost, strings.Repeat("x", 230), sec, 5 * sec},
		"the rate":                         {headOfPost, strings.Repeat("x", 250), sec, 0},
		"the rate, with long pauses":       {headOfPost, strings.Repeat("x", 250*29), 29 * sec, 0},
		"chunk lines an octet at a time":   {headOfChunked, "0", sec, 5 * sec},
		"long extensions are no content":   {headOfChunked, strings.Repeat("1;eeeeeee\r\nx\r\n", 200), sec, 5 * sec},
		"chunks of one octet":              {headOfChunked, strings.Repeat("1\r\nx\r\n", 230), sec, 5 * sec},
		"enough chunks of one octet":       {headOfChunked, strings.Repeat("1\r\nx\r\n", 250), sec, 0},
		"trailers an octet at a time":      {headOfChunked + "1\r\nx\r\n0\r\n", "a", sec, 5 * sec},
		"plenty, then nothing":             {headOfPost + strings.Repeat("x", 50_000), "", sec, 30 * sec},
		"plenty, then trailers":            {headOfChunked + "c350\r\n" + strings.Repeat("x", 50_000) + "\r\n0\r\n", "a", sec, 30 * sec},
		"plenty, then an octet now & then": {headOfPost + strings.Repeat("x", 50_000), "x", 20 * sec, 209 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, collect)
			ch.Feed(c.head)
			var passed time.Duration
			for passed < 300*sec && ch.Channel().IsOpen() {
				ch.Feed(c.piece)
				for i := time.Duration(0); i < c.every && ch.Channel().IsOpen(); i += sec {
					ch.AdvanceTime(sec)
					passed += sec
				}
			}
			if c.until == 0 {
				require.True(t, ch.Channel().IsOpen() || statuses(ch.Wire())[0] == "200")
				return
			}
			require.Equal(t, []string{"408"}, statuses(ch.Wire()))
			require.Equal(t, c.until, passed.Truncate(sec))
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestBodiesThatNobodyTakesHaveTime(t *testing.T) {
	var x *httpx.Exchange
	taken := 0
	ch := answering(t, func(_ *pipeline.Context, e *httpx.Exchange) error {
		x = e
		return x.OnBody(func(c *httpx.Content) error {
			defer c.Release()
			taken += c.Len()
			x.PauseBody()
			return nil
		})
	})
	ch.Feed(headOfPost + strings.Repeat("x", 10))
	for range 50 {
		ch.AdvanceTime(time.Hour)
		require.NoError(t, x.Post(x.ResumeBody))
		ch.RunPending()
		ch.AdvanceTime(50 * time.Millisecond)
		ch.Feed(strings.Repeat("x", 12))
	}
	require.Equal(t, 10+50*12, taken, "240 in each second that we read")
	require.True(t, ch.Channel().IsOpen())
	require.NoError(t, x.Post(x.ResumeBody))
	ch.RunPending()
	ch.AdvanceTime(6 * time.Second)
	require.Equal(t, []string{"408"}, statuses(ch.Wire()))
}

func TestClientsThatWaitForContinueHaveTime(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
	ch.AdvanceTime(time.Hour)
	x := h.all[0]
	require.NoError(t, x.Post(func() { require.NoError(t, collect(nil, x)) }))
	ch.AdvanceTime(4 * time.Second)
	require.Equal(t, []string{"100"}, statuses(ch.Wire()))
	ch.Feed(strings.Repeat("x", 1999))
	ch.AdvanceTime(29 * time.Second)
	require.Equal(t, []string{"408"}, statuses(ch.Wire()), "time counts once they may send")
}

func TestDeadlineOfABodyWaitsForTheAnswersBefore(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + headOfPost)
	ch.AdvanceTime(time.Minute)
	require.Empty(t, ch.Wire())
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	require.Equal(t, []string{"200", "408"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
	var gone error
	h.all[1].OnGone(func(cause error) { gone = cause })
	require.ErrorIs(t, gone, httpx.ErrGone)
}

func TestAnAnswerGivenBeforeThe408IsSentInItsPlace(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/1") + headOfPost)
	ch.AdvanceTime(time.Minute)
	require.NoError(t, h.all[1].RespondText(403, "no"))
	require.NoError(t, h.all[0].RespondText(200, ""))
	ch.RunPending()
	require.Equal(t, []string{"200", "403"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

func TestDeadlineOfABodyBehindTheBeginningOfItsAnswerCloses(t *testing.T) {
	for name, wait := range map[string]bool{"at its turn": false, "behind another": true} {
		t.Run(name, func(t *testing.T) {
			var h holder
			ch := answering(t, h.serve)
			if wait {
				ch.Feed(get("/1"))
			}
			ch.Feed(headOfPost)
			x := h.all[len(h.all)-1]
			require.NoError(t, x.Post(func() {
				require.NoError(t, x.Begin(httpx.NewResponse(200)))
				require.NoError(t, x.WriteBytes([]byte("some")))
			}))
			ch.AdvanceTime(time.Minute)
			if wait {
				require.Empty(t, ch.Wire())
				require.NoError(t, h.all[0].RespondText(204, ""))
				ch.AdvanceTime(time.Minute)
				require.Equal(t, []string{"204", "200"}, statuses(ch.Wire()))
			} else {
				wire := ch.Wire()
				require.Equal(t, []string{"200"}, statuses(wire))
				require.True(t, strings.HasSuffix(wire, "4\r\nsome\r\n"), "the client can tell that it is not complete")
			}
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestABodyThatNobodyWantsHasTheSameDeadlines(t *testing.T) {
	ch := answering(t, ok)
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n")
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	ch.AdvanceTime(5 * time.Second)
	require.Empty(t, ch.Wire())
	require.True(t, ch.Channel().Closed())
}

func TestDeadlinesCanBeSet(t *testing.T) {
	const sec = time.Second
	limits := httpx.Deadlines{Ready: 40 * sec, Head: 30 * sec, Idle: 20 * sec, BodyStall: 8 * sec, BodyRate: 1000, BodyGrace: 6 * sec}
	for name, c := range map[string]struct {
		feed string
		want time.Duration
	}{
		"ready": {"", 40 * sec},
		"head":  {get("/") + "G", 30 * sec},
		"idle":  {get("/"), 21 * sec},
		"rate":  {headOfPost + strings.Repeat("x", 5999), 6 * sec},
		"stall": {headOfPost + strings.Repeat("x", 9000), 8 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answeringAs(t, httpx.ServerConfig{Handle: ok, Deadlines: limits})
			if strings.Contains(c.feed, "POST") {
				ch = answeringAs(t, httpx.ServerConfig{Handle: collect, Deadlines: limits})
			}
			ch.Feed(c.feed)
			ch.AdvanceTime(c.want - 1)
			require.True(t, ch.Channel().IsOpen())
			ch.AdvanceTime(1)
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestEveryDeadlineHasADefault(t *testing.T) {
	for name, c := range map[string]struct {
		feed string
		want time.Duration
	}{
		"ready": {"", 10 * time.Second},
		"head":  {get("/") + "G", 10 * time.Second},
		"idle":  {get("/"), 61 * time.Second},
		"rate":  {headOfPost, 5 * time.Second},
		"stall": {headOfPost + strings.Repeat("x", 9000), 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			serve := ok
			if strings.Contains(c.feed, "POST") {
				serve = collect
			}
			ch := answeringAs(t, httpx.ServerConfig{Handle: serve, Deadlines: httpx.Deadlines{
				Ready: -1, Head: -1, Idle: -1, BodyStall: -1, BodyRate: -1, BodyGrace: -1,
			}})
			ch.Feed(c.feed)
			ch.AdvanceTime(c.want - 1)
			require.True(t, ch.Channel().IsOpen())
			ch.AdvanceTime(1)
			require.True(t, ch.Channel().Closed())
		})
	}
}

func TestBodiesThatAreAllowedToBeSlow(t *testing.T) {
	got := 0
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		if string(x.Request.Target()) == "/slow" {
			x.AllowSlowBody()
		}
		return x.OnBody(func(c *httpx.Content) error {
			defer c.Release()
			got += c.Len()
			if c.Last {
				return x.RespondText(200, "")
			}
			return nil
		})
	})
	ch.Feed("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n")
	for range 30 {
		ch.AdvanceTime(time.Hour)
		ch.Feed("x")
	}
	require.Equal(t, 30, got)
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	ch.Feed("POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n")
	ch.AdvanceTime(5 * time.Second)
	require.Equal(t, []string{"408"}, statuses(ch.Wire()), "the next one is not")
}
