package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/client"
)

func TestClientLogsInSendsAndReceives(t *testing.T) {
	s := newScript(t, &client.Client{Login: "guest", Passcode: "secret", Host: "/"})
	s.begin()
	require.Equal(t, "CONNECT\naccept-version:1.0,1.1,1.2\nhost:/\nlogin:guest\npasscode:secret\nheart-beat:10000,10000\n\n^@", s.got())
	s.says("CONNECTED\nversion:1.2\nserver:test/1\n\n^@")
	require.Equal(t, []string{"connected, version 1.2"}, s.status)

	var got []string
	var made, sent outcome
	sub := &client.Subscription{Destination: "/queue/a", Ack: client.AckClientIndividual, Prefetch: 5, Handle: func(_ *pipeline.Context, m *client.Message) {
		got = append(got, m.ID()+" "+m.Body().String())
		require.NoError(t, m.Ack())
	}}
	require.NoError(t, s.StartSubscribe(sub, made.done))
	require.Equal(t, "SUBSCRIBE\nid:s1\ndestination:/queue/a\nack:client-individual\nprefetch-count:5\nreceipt:r2\n\n^@", s.got())
	require.Zero(t, made.times)
	s.says("RECEIPT\nreceipt-id:r2\n\n^@")
	made.require(t, nil)

	require.NoError(t, s.StartSend(news("hello"), sent.done))
	require.Equal(t, "SEND\ndestination:/queue/a\nreceipt:r3\ncontent-length:5\n\nhello^@", s.got())
	s.says("MESSAGE\nsubscription:s1\nmessage-id:m1\ndestination:/queue/a\nack:a1\n\nhello^@RECEIPT\nreceipt-id:r3\n\n^@")
	sent.require(t, nil)
	require.Equal(t, []string{"m1 hello"}, got)
	require.Equal(t, "ACK\nid:a1\n\n^@", s.got())

	var closed outcome
	s.StartClose(closed.done)
	require.Equal(t, "DISCONNECT\nreceipt:r4\n\n^@", s.got())
	require.Zero(t, closed.times)
	s.says("RECEIPT\nreceipt-id:r4\n\n^@")
	closed.require(t, nil)
	require.Equal(t, []string{"connected, version 1.2", "closed"}, s.status)
}
