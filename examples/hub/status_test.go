package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx/websocket"
)

func TestDestinationsAreShownWithTheirBacklogs(t *testing.T) {
	h := mustHub(t)
	addr := serve(t, h)
	c := dialTCP(t, addr)
	c.ask(hello, "CONNECTED\n")
	for i := range 3 {
		c.ask(fmt.Sprintf("SEND\ndestination:/queue/<work>\nreceipt:%d\n\nxx", i), "RECEIPT\n")
	}
	c.ask("SUBSCRIBE\nid:1\ndestination:/topic/a.*\nreceipt:r\n\n", "RECEIPT\n")
	other := dialTCP(t, addr)
	other.ask(hello, "CONNECTED\n")
	other.ask("SUBSCRIBE\nid:2\ndestination:/queue/<work>\nack:client-individual\nprefetch-count:1\n\n", "MESSAGE\n")

	_, body := get(t, "http://"+addr+"/status.json")
	var status struct {
		Broker       broker.Stats
		Destinations []struct {
			Name, Kind          string
			Consumers, Messages int
			Unsettled           int
			Bytes               int
			Wildcard            bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &status))
	require.Len(t, status.Destinations, 2)
	queue, topic := status.Destinations[0], status.Destinations[1]
	require.Equal(t, "/queue/<work> queue", queue.Name+" "+queue.Kind)
	require.Equal(t, []int{1, 3, 1}, []int{queue.Consumers, queue.Messages, queue.Unsettled})
	require.Equal(t, "/topic/a.* topic", topic.Name+" "+topic.Kind)
	require.True(t, topic.Wildcard)
	require.EqualValues(t, 3, status.Broker.Published)
	require.Equal(t, 3, status.Broker.Messages)

	_, shown := get(t, "http://"+addr+"/")
	require.Contains(t, shown, "<tr><td>/queue/&lt;work&gt;<td>queue<td>1<td>2<td>")
	require.NotContains(t, shown, "<work>")
}

func TestManyDestinationsAreNotAllShown(t *testing.T) {
	h := mustHub(t)
	for i := range maxDestinations + 10 {
		_, err := h.broker.Publish(broker.NewMessage(fmt.Sprintf("/queue/%03d", i)))
		require.NoError(t, err)
	}
	list := h.report().Destinations
	require.Len(t, list, maxDestinations)
	require.True(t, slices.IsSortedFunc(list, func(a, b broker.DestinationStats) int { return strings.Compare(a.Name, b.Name) }))
	require.Equal(t, maxDestinations+10, h.report().Broker.Destinations)
	h.broker.Close()
}

func TestAReportOfNothingIsWhole(t *testing.T) {
	text, err := json.Marshal(mustHub(t).report())
	require.NoError(t, err)
	for _, part := range []string{`"connections":[]`, `"destinations":[]`, `"seen":{}`, `"shared":{`} {
		require.Contains(t, string(text), part)
	}
}

func TestAConnectionThatIsGoneStaysGone(t *testing.T) {
	h := mustHub(t)
	addr := serve(t, h)
	for range 20 {
		b := browse(t, addr, "v12.stomp")
		require.NoError(t, b.Send(&websocket.Close{Code: websocket.CodeNormal}, nil))
		require.Eventually(t, b.Closed, 10*time.Second, time.Millisecond)
	}
	require.Eventually(t, func() bool { return len(h.report().Connections) == 0 }, 10*time.Second, time.Millisecond)
}
