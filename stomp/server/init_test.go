package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestConnectionsOfOneInitShareABroker(t *testing.T) {
	init := server.Init(server.Config{})
	a, b := pipelinetest.NewInit(t, pipelinetest.Config{}, init), pipelinetest.NewInit(t, pipelinetest.Config{}, init)
	a.Feed("CONNECT\naccept-version:1.2\nhost:h\n\n\x00SUBSCRIBE\nid:1\ndestination:/topic/a\n\n\x00")
	b.Feed("CONNECT\naccept-version:1.2\nhost:h\n\n\x00SEND\ndestination:/topic/a\n\nhello\x00")
	a.RunPending()
	require.Contains(t, a.Wire(), "\n\nhello\x00")
	require.Contains(t, b.Wire(), "CONNECTED\n")
}
