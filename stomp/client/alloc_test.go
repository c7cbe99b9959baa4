//go:build !race && !bufdebug

package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

func TestAllocationsOfASend(t *testing.T) {
	s := connected(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: -1, Receive: -1}}, "1.2")
	peer := s.peer()
	send := func() {
		if err := s.StartSend(news("hello"), nil); err != nil {
			t.Error(err)
		}
		s.net.RunPending()
		peer.DiscardWire()
	}
	send()
	require.LessOrEqual(t, testing.AllocsPerRun(200, send), 2.0)
}

func TestAllocationsOfAMessage(t *testing.T) {
	s := connected(t, &client.Client{HeartBeat: stomp.HeartBeat{Send: -1, Receive: -1}}, "1.2")
	sub := &client.Subscription{Destination: "/a", Ack: client.AckAuto, Handle: func(*pipeline.Context, *client.Message) {}}
	require.NoError(t, s.StartSubscribe(sub, nil))
	s.got()
	wire := []byte("MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/a\n\nhello\x00")
	peer := s.peer()
	receive := func() {
		if err := peer.Feed(wire); err != nil {
			t.Error(err)
		}
	}
	receive()
	require.LessOrEqual(t, testing.AllocsPerRun(200, receive), 1.0)
}
