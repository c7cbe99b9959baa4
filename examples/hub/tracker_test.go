package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// listed are the protocols of the connections that h knows.
func listed(h *hub) []string {
	var list []string
	for _, c := range h.report().Connections {
		list = append(list, c.Protocol)
	}
	return list
}

func TestConnectionsAreListedWhileTheyLast(t *testing.T) {
	h := mustHub(t)
	require.Empty(t, listed(h))
	first := pipelinetest.NewInit(t, pipelinetest.Config{}, h.open)
	require.Equal(t, []string{"unknown"}, listed(h))
	second := pipelinetest.NewInit(t, pipelinetest.Config{}, h.open)
	require.Len(t, listed(h), 2)
	first.Feed("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Contains(t, first.Wire(), " 404 ")
	second.Feed("CONNECT\naccept-version:1.2\nhost:x\n\n\x00")
	require.ElementsMatch(t, []string{"HTTP", "STOMP"}, listed(h))
	first.PeerClose()
	first.RunPending()
	require.Equal(t, []string{"STOMP"}, listed(h))
	second.Feed("DISCONNECT\n\n\x00")
	second.PeerClose()
	second.RunPending()
	require.Empty(t, listed(h))
	require.Equal(t, map[string]int{"HTTP": 1, "STOMP": 1}, h.report().Seen)
}

func TestThePipelineIsShownAsItIsNow(t *testing.T) {
	h := mustHub(t)
	ch := pipelinetest.NewInit(t, pipelinetest.Config{}, h.open)
	shown := func() string { return h.report().Connections[0].Pipeline }
	require.Contains(t, shown(), "handlers.Detect")
	ch.Feed("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NotContains(t, shown(), "handlers.Detect")
	require.Contains(t, shown(), "httpx.RequestDecoder")
}

// below notes the events that reach the end of a pipeline.
type below struct{ events []any }

func (b *below) HandleEvent(_ *pipeline.Context, event any) error {
	b.events = append(b.events, event)
	return nil
}

func TestOtherEventsPass(t *testing.T) {
	var last below
	ch := pipelinetest.New(t, &tracker{hub: mustHub(t)}, &last)
	ch.Pipeline().FireEvent(handlers.DetectedEvent{Protocol: "HTTP"})
	ch.Pipeline().FireEvent("something else")
	require.Equal(t, []any{"something else"}, last.events)
}
