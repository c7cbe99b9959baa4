package httpx_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// streaming is a server that answers every request by a stream, and the newest of those.
func streaming(t *testing.T, cfg httpx.EventsConfig) (*pipelinetest.Channel, **httpx.Events) {
	t.Helper()
	events := new(*httpx.Events)
	ch := answering(t, func(_ *pipeline.Context, x *httpx.Exchange) (err error) {
		*events, err = httpx.NewEvents(x, cfg)
		return err
	})
	return ch, events
}

// sent returns the body of what was written so far, chunks joined.
func sent(t *testing.T, ch *pipelinetest.Channel) string {
	t.Helper()
	wire := ch.Wire()
	if !strings.HasPrefix(wire, "HTTP/") {
		wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + wire
	}
	if !strings.HasSuffix(wire, "\r\n0\r\n\r\n") {
		wire += "0\r\n\r\n"
	}
	return bodyOf(t, readAnswer(t, wire, http.MethodGet))
}

func TestEventsReachTheClientAtOnce(t *testing.T) {
	ch, events := streaming(t, httpx.EventsConfig{})
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 41\r\n\r\n")
	head := ch.Wire()
	require.Contains(t, head, "content-type: text/event-stream\r\n")
	require.Contains(t, head, "cache-control: no-store\r\n")
	e := *events
	require.NoError(t, e.Send(httpx.Event{ID: "42", Data: "hello"}))
	ch.RunPending()
	require.Equal(t, "id: 42\ndata: hello\n\n", sent(t, ch))
	require.NoError(t, e.Send(httpx.Event{Data: "a"}))
	require.NoError(t, e.Send(httpx.Event{Data: "b"}))
	ch.RunPending()
	require.Equal(t, "data: a\n\ndata: b\n\n", sent(t, ch))
	require.Error(t, e.Send(httpx.Event{Name: "\n"}))
	require.NoError(t, e.Err())
	e.Close()
	e.Close()
	require.ErrorIs(t, e.Send(httpx.Event{}), httpx.ErrEventsClosed)
	ch.RunPending()
	require.Equal(t, "0\r\n\r\n", ch.Wire())
	ch.AdvanceTime(time.Hour)
	require.Empty(t, ch.Wire())
}

func TestEventsTellWhichTheClientHasSeen(t *testing.T) {
	answer := exchangeOne(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.RespondText(200, "["+x.Request.LastEventID()+"]")
	}, "GET", "/ HTTP/1.1\r\nLast-Event-ID: 41\r\nX:", "x")
	require.Equal(t, "[41]", bodyOf(t, answer))
}

func TestEventsKeepTheConnectionAlive(t *testing.T) {
	ch, events := streaming(t, httpx.EventsConfig{KeepAlive: 10 * time.Second})
	ch.Feed(get("/"))
	_ = ch.Wire()
	ch.AdvanceTime(9 * time.Second)
	require.Empty(t, ch.Wire())
	require.NoError(t, (*events).Send(httpx.Event{Data: "a"}))
	ch.RunPending()
	_ = ch.Wire()
	ch.AdvanceTime(9 * time.Second)
	require.Empty(t, ch.Wire(), "an event counts as a sign of life")
	ch.AdvanceTime(time.Second)
	require.Equal(t, ":\n\n", sent(t, ch))
	ch.AdvanceTime(10 * time.Second)
	require.Equal(t, ":\n\n", sent(t, ch))
	(*events).Close()
	ch.RunPending()
	_ = ch.Wire()
}

func TestEventsCanDoWithoutKeepAlive(t *testing.T) {
	ch, events := streaming(t, httpx.EventsConfig{KeepAlive: -1})
	ch.Feed(get("/"))
	_ = ch.Wire()
	ch.AdvanceTime(20 * time.Second)
	require.Empty(t, ch.Wire())
	require.NoError(t, (*events).Send(httpx.Event{Data: "a"}))
	(*events).Close()
	ch.RunPending()
	require.Equal(t, "data: a\n\n", sent(t, ch))
}

// stuff sends events of a kilobyte each to a client that does not read, until one is not taken.
func stuff(t *testing.T, ch *pipelinetest.Channel, e *httpx.Events) (taken int, err error) {
	t.Helper()
	ch.Block()
	for taken < 1000 {
		if err = e.Send(httpx.Event{Data: fmt.Sprintf("%04d%s", taken, strings.Repeat("x", 1000))}); err != nil {
			break
		}
		taken++
		ch.RunPending()
	}
	return taken, err
}

func TestEventsForASlowClientEndTheStream(t *testing.T) {
	ch, events := streaming(t, httpx.EventsConfig{MaxQueued: 8 << 10})
	ch.Feed(get("/"))
	_ = ch.Wire()
	taken, err := stuff(t, ch, *events)
	require.ErrorIs(t, err, httpx.ErrEventsFull)
	require.Less(t, taken, 200)
	require.ErrorIs(t, (*events).Send(httpx.Event{}), httpx.ErrEventsFull)
	ch.AdvanceTime(20 * time.Second) // no keep-alive is added
	ch.Unblock()
	ch.RunPending()
	wire := ch.Wire()
	require.Equal(t, taken, strings.Count(wire, "data: "), "what was taken arrives")
	require.True(t, strings.HasSuffix(wire, "\r\n0\r\n\r\n"))
}

func TestEventsForASlowClientAreDropped(t *testing.T) {
	ch, events := streaming(t, httpx.EventsConfig{MaxQueued: 8 << 10, DropWhenFull: true})
	ch.Feed(get("/"))
	_ = ch.Wire()
	taken, err := stuff(t, ch, *events)
	require.ErrorIs(t, err, httpx.ErrEventsFull)
	require.NoError(t, (*events).Err())
	ch.Unblock()
	ch.RunPending()
	require.NoError(t, (*events).Send(httpx.Event{Data: "again"}))
	(*events).Close()
	ch.RunPending()
	wire := ch.Wire()
	require.Equal(t, taken+1, strings.Count(wire, "data: "))
	require.Contains(t, wire, "data: again\n\n")
}

func TestEventsNoticeThatTheClientHasLeft(t *testing.T) {
	gone := 0
	ch, events := streaming(t, httpx.EventsConfig{Gone: func() { gone++ }})
	ch.Feed(get("/"))
	_ = ch.Wire()
	ch.PeerClose()
	ch.RunPending()
	require.Equal(t, 1, gone)
	require.ErrorIs(t, (*events).Send(httpx.Event{}), httpx.ErrGone)
	require.ErrorIs(t, (*events).Err(), httpx.ErrGone)
	(*events).Close()
	require.Zero(t, ch.PendingTimers())
}

func TestEventsAreNotSentToHEAD(t *testing.T) {
	ch, events := streaming(t, httpx.EventsConfig{})
	ch.Feed("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + get("/"))
	require.Len(t, statuses(ch.Wire()), 2)
	require.NoError(t, (*events).Send(httpx.Event{Data: "a"}))
	(*events).Close()
	ch.RunPending()
	require.Equal(t, "data: a\n\n", sent(t, ch))
}

func TestEventsComeFromManyGoroutines(t *testing.T) {
	ch, events := streaming(t, httpx.EventsConfig{MaxQueued: 1 << 20})
	ch.Feed(get("/"))
	e := *events
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 50 {
				_ = e.Send(httpx.Event{Data: fmt.Sprintf("%d %d", i, n)})
			}
		})
	}
	wg.Wait()
	e.Close()
	ch.RunPending()
	answer := readAnswer(t, ch.Wire(), http.MethodGet)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	last := map[string]int{}
	for line := range strings.Lines(string(body)) {
		var i string
		var n int
		if _, err := fmt.Sscanf(line, "data: %s %d", &i, &n); err == nil {
			require.Equal(t, last[i], n, "events of one goroutine keep their order")
			last[i]++
		}
	}
	require.Equal(t, map[string]int{"0": 50, "1": 50, "2": 50, "3": 50}, last)
}

func TestEventsThatTheChannelRefusesEndTheConnection(t *testing.T) {
	cfg := pipelinetest.Config{Whole: true}
	cfg.Options = pipeline.Options{WriteHigh: 2 << 10, WriteLow: 1 << 10, HardCap: 4 << 10}
	var events *httpx.Events
	ch := pipelinetest.NewInit(t, cfg, httpx.Init(httpx.ServerConfig{Handle: func(_ *pipeline.Context, x *httpx.Exchange) (err error) {
		events, err = httpx.NewEvents(x, httpx.EventsConfig{})
		return err
	}}))
	ch.Feed(get("/"))
	_ = ch.Wire()
	require.NoError(t, events.Send(httpx.Event{Data: strings.Repeat("x", 8<<10)}))
	ch.RunPending()
	ch.ExpectError(pipeline.ErrOutboundFull)
	require.True(t, ch.Channel().Closed())
	require.ErrorIs(t, events.Err(), pipeline.ErrOutboundFull)
}
