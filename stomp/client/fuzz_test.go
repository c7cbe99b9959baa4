package client_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/client"
)

// Whatever a server sends, each call ends once, nothing panics, and nothing is left over, which newScript checks.
func FuzzClientSurvivesItsServer(f *testing.F) {
	for _, seed := range []string{
		"RECEIPT\nreceipt-id:r2\n\n\x00MESSAGE\nsubscription:s1\nmessage-id:1\nack:1\ndestination:/a\n\nbody\x00",
		"RECEIPT\nreceipt-id:r3\n\n\x00RECEIPT\nreceipt-id:r3\n\n\x00RECEIPT\nreceipt-id:r2\n\n\x00RECEIPT\nreceipt-id:r5\n\n\x00",
		"ERROR\nreceipt-id:r3\nmessage:no\n\n\x00RECEIPT\nreceipt-id:r2\n\n\x00",
		"\n\n\r\nMESSAGE\nsubscription:s1\n\n\x00MESSAGE\n\n\x00",
		"CONNECTED\nversion:1.1\n\n\x00",
		"MESSAGE\nsubscription:s1\ncontent-length:99999999999999999999\n\n",
	} {
		f.Add("1.2", "0,0", seed)
		f.Add("1.0", "5000,5000", seed)
	}
	f.Fuzz(func(t *testing.T, version, beats, wire string) {
		if strings.ContainsAny(version+beats, "\x00\n") || len(wire) > 10_000 {
			return
		}
		s := newScript(t, &client.Client{})
		var made, sent, committed, closed outcome
		sub := &client.Subscription{Destination: "/a", Ack: client.AckClient, Handle: func(_ *pipeline.Context, m *client.Message) {
			m.Retain()
			_ = m.Ack()
			m.Release()
		}}
		require.NoError(t, s.StartSubscribe(sub, nil))
		s.begin()
		play := func(wire string) {
			_ = s.peer().FeedString(wire) // it may have closed
			s.net.RunPending()
		}
		play("CONNECTED\nversion:" + version + "\nheart-beat:" + beats + "\n\n\x00")
		second := &client.Subscription{Destination: "/b", Handle: sub.Handle}
		require.NoError(t, s.StartSubscribe(second, made.done))
		accepted := s.StartSend(news("x"), sent.done) == nil
		tx, err := s.Begin()
		if err == nil {
			err = tx.StartCommit(committed.done)
		}
		play(wire)
		s.StartClose(closed.done)
		play(wire)
		s.advance(client.DefaultCloseTimeout)
		require.Equal(t, 1, closed.times)
		require.Equal(t, 1, made.times)
		if accepted {
			require.Equal(t, 1, sent.times)
		}
		if err == nil {
			require.Equal(t, 1, committed.times)
		}
		require.Zero(t, s.Stats().Unsent)
	})
}
