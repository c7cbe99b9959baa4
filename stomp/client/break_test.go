package client_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
	"github.com/penstock-go/penstock/stomp/server"
)

// broken plays a short session whose connection breaks after some octets, in one direction, and reports whether it did.
// What was confirmed must have arrived, what was refused must not, and of the rest each frame must end once.
func broken(t *testing.T, resend bool, cut func(peer *embedded.Channel)) bool {
	t.Helper()
	s := pair(t, server.Config{Broker: &broker.Broker{}})
	s.Resend = resend
	e := &ears{}
	e.Destination = "/queue/a"
	e.Handle = func(_ *pipeline.Context, m *client.Message) { e.got = append(e.got, m.Body().String()) }
	b := s.another(&client.Client{})
	require.NoError(t, b.StartSubscribe(&e.Subscription, nil))
	s.net.RunPending()
	peer := s.net.Dialed(address)[0]
	cut(peer)

	work := &client.Subscription{Destination: "/queue/b", Ack: client.AckClientIndividual, Handle: func(_ *pipeline.Context, m *client.Message) { _ = m.Ack() }}
	require.NoError(t, s.StartSubscribe(work, nil))
	ends := map[string]*outcome{}
	for _, body := range []string{"1", "2", "3"} {
		ends[body] = &outcome{}
		if err := s.StartSend(news(body), ends[body].done); err != nil {
			require.ErrorIs(t, err, client.ErrNotConnected)
			ends[body].done(err)
		}
		own := stomp.NewFrame(stomp.CommandSend, stomp.HeaderDestination, "/queue/b")
		own.Body.AppendString("for myself")
		_ = s.StartSend(own, nil)
		s.net.RunPending()
	}
	tx, err := s.Begin()
	committed := &outcome{}
	if err == nil {
		err = errors.Join(tx.StartSend(news("4")), tx.StartSend(news("5")), tx.StartCommit(committed.done))
	}
	if err != nil {
		committed.done(err)
	}
	s.net.RunPending()
	broke := !peer.Channel().IsOpen()
	s.advance(second)
	s.net.RunPending()
	for body, o := range ends {
		require.Equal(t, 1, o.times, body)
		switch {
		case o.err == nil:
			require.Contains(t, e.got, body, "confirmed")
		case errors.Is(o.err, client.ErrUnconfirmed):
			require.False(t, resend, "it was sent again instead")
		default:
			require.ErrorIs(t, o.err, client.ErrNotConnected)
			require.NotContains(t, e.got, body, "not sent")
		}
	}
	require.Equal(t, 1, committed.times)
	require.Equal(t, slices.Contains(e.got, "4"), slices.Contains(e.got, "5"), "all or nothing")
	if committed.err == nil {
		require.Contains(t, e.got, "5")
	}
	require.NotZero(t, s.Version(), "it is connected again")
	require.Zero(t, s.Stats().Unsent)
	return broke
}

func TestABreakAnywhere(t *testing.T) {
	for name, resend := range map[string]bool{"once at most": false, "once at least": true} {
		t.Run("towards the server, "+name, func(t *testing.T) {
			n := 0
			for broken(t, resend, func(peer *embedded.Channel) { peer.ResetWriteAt(peer.Written() + n) }) {
				n += 4
			}
			require.Greater(t, n, 500)
		})
		t.Run("towards the client, "+name, func(t *testing.T) {
			n := 0
			for broken(t, resend, func(peer *embedded.Channel) { peer.ResetAt(int(peer.Channel().BytesRead()) + n) }) {
				n += 4
			}
			require.Greater(t, n, 300)
		})
	}
}
