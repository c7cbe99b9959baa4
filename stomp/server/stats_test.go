package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestSubscriptionsShowTheirBacklog(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:x ack:client prefetch-count:2", "")
	p.frame("A", "SUBSCRIBE destination:/temp-queue/b id:y", "")
	p.publish("/topic/a", "12345", "12345", "12345")
	p.pump()
	list := p.session("A").Subscriptions()
	require.Equal(t, server.SubscriptionStats{
		ID: "x", Destination: "/topic/a", Ack: "client",
		Broker: broker.ConsumerStats{Backlog: 1, BacklogBytes: 13, Unsettled: 2, Delivered: 2},
	}, list[0])
	require.Equal(t, server.SubscriptionStats{
		ID: "y", Destination: "/temp-queue/b", Ack: "auto", Broker: broker.ConsumerStats{Credit: 256},
	}, list[1])
}

func TestStatsCount(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:x", "")
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "SEND destination:/topic/a", "x")
	p.frame("A", "SEND destination:/temp-topic/a", "x")
	require.Equal(t, server.Stats{
		Frames: 5, Messages: 1, Subscriptions: 1, Transactions: 1, Temporaries: 1,
	}, p.session("A").Stats())
}
