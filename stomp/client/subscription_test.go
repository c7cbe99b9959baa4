package client_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// ears is a Subscription that notes what it takes.
type ears struct {
	client.Subscription
	got []string
}

func listen(destination string) *ears {
	e := &ears{}
	e.Destination = destination
	e.Handle = func(_ *pipeline.Context, m *client.Message) { e.got = append(e.got, m.Body().String()) }
	return e
}

func TestSubscribeWaitsForTheReceipt(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	e := listen("/topic/a")
	e.Headers = stomp.Headers{{Name: "selector", Value: "a:b"}}
	made := s.elsewhere(func() error { return s.Subscribe(t.Context(), &e.Subscription) })
	require.Equal(t, "SUBSCRIBE\nid:s1\ndestination:/topic/a\nack:auto\nselector:a\\cb\nreceipt:r2\n\n^@", s.sends())
	s.says("MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/topic/a\n\nearly^@RECEIPT\nreceipt-id:r2\n\n^@")
	require.NoError(t, s.result(made))
	require.Equal(t, []string{"early"}, e.got)
	require.ErrorIs(t, s.StartSubscribe(&e.Subscription, nil), client.ErrUsed)
}

func TestSubscriptionsMadeBeforeConnectAreMadeByIt(t *testing.T) {
	s := newScript(t, &client.Client{})
	e := listen("/a")
	require.NoError(t, s.Subscribe(t.Context(), &e.Subscription))
	s.begin()
	s.login("1.2")
	require.Equal(t, "SUBSCRIBE\nid:s1\ndestination:/a\nack:auto\nreceipt:r2\n\n^@", s.got())
}

func TestSubscribeWaitsForAConnectionThatIsComing(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	e := listen("/a")
	made := s.elsewhere(func() error { return s.Subscribe(t.Context(), &e.Subscription) })
	s.sends()
	s.peer().PeerReset()
	s.net.RunPending()
	require.Empty(t, made)
	s.advance(second)
	s.login("1.2")
	require.Equal(t, "SUBSCRIBE\nid:s1\ndestination:/a\nack:auto\nreceipt:r3\n\n^@", s.got())
	s.says("RECEIPT\nreceipt-id:r3\n\n^@")
	require.NoError(t, s.result(made))
}

func TestASubscriptionThatIsRefusedIsNotMadeAgain(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	e := listen("/secret")
	e.OnEnd = func(error) { t.Error("Subscribe has told it") }
	made := s.elsewhere(func() error { return s.Subscribe(t.Context(), &e.Subscription) })
	s.sends()
	s.says("ERROR\nreceipt-id:r2\nmessage:forbidden\n\n^@")
	var refused *client.ServerError
	require.ErrorAs(t, s.result(made), &refused)
	require.Zero(t, s.Stats().Subscriptions)
	require.ErrorIs(t, e.StartUnsubscribe(nil), client.ErrEnded)
	s.peer().PeerClose()
	s.net.RunPending()
	s.advance(second)
	s.login("1.2")
	require.Empty(t, s.got())
}

func TestASubscriptionThatIsRefusedAtAReconnectEnds(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var end outcome
	e, other := listen("/a"), listen("/b")
	e.OnEnd = end.done
	require.NoError(t, s.StartSubscribe(&e.Subscription, nil))
	require.NoError(t, s.StartSubscribe(&other.Subscription, nil))
	s.got()
	s.says("RECEIPT\nreceipt-id:r2\n\n^@RECEIPT\nreceipt-id:r4\n\n^@")
	s.peer().PeerReset()
	s.net.RunPending()
	s.advance(second)
	s.login("1.2")
	require.Contains(t, s.got(), "receipt:r5\n")
	s.says("ERROR\nreceipt-id:r5\nmessage:no more\n\n^@")
	require.Equal(t, 1, end.times)
	require.EqualError(t, end.err, `stomp/client: the server refused: "no more"`)
	s.peer().PeerClose()
	s.net.RunPending()
	s.advance(second)
	s.login("1.2")
	require.Equal(t, "SUBSCRIBE\nid:s3\ndestination:/b\nack:auto\nreceipt:r7\n\n^@", s.got())
}

func TestASubscriptionThatCannotBeEncodedIsRefused(t *testing.T) {
	s := connected(t, &client.Client{}, "1.1")
	var made outcome
	e := listen("/a\x00")
	require.NoError(t, s.StartSubscribe(&e.Subscription, made.done))
	require.Empty(t, s.got())
	made.require(t, stomp.ErrUnencodable)
	require.Zero(t, s.Stats().Subscriptions)
}

func TestMessagesComeUntilTheReceiptOfUnsubscribe(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	e := listen("/a")
	e.EndHeaders = stomp.Headers{{Name: "durable", Value: "true"}}
	require.NoError(t, s.StartSubscribe(&e.Subscription, nil))
	s.got()
	s.says("RECEIPT\nreceipt-id:r2\n\n^@")
	ended := s.elsewhere(func() error { return e.Unsubscribe(t.Context()) })
	require.Equal(t, "UNSUBSCRIBE\nid:s1\ndurable:true\nreceipt:r3\n\n^@", s.sends())
	require.ErrorIs(t, e.StartUnsubscribe(nil), client.ErrEnded)
	require.Zero(t, s.Stats().Subscriptions)
	message := "MESSAGE\nsubscription:s1\nmessage-id:1\ndestination:/a\n\nx^@"
	s.says(message + "RECEIPT\nreceipt-id:r3\n\n^@" + message)
	require.NoError(t, s.result(ended))
	require.Equal(t, []string{"x"}, e.got)
	require.Equal(t, uint64(1), s.Stats().UnknownMessages)
}

func TestUnsubscribeWithoutAConnectionForgets(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	e := listen("/a")
	var made, ended outcome
	require.NoError(t, s.StartSubscribe(&e.Subscription, made.done))
	s.got()
	s.peer().PeerReset()
	s.net.RunPending()
	require.NoError(t, e.StartUnsubscribe(ended.done))
	ended.require(t, nil)
	made.require(t, client.ErrEnded)
	s.advance(second)
	s.login("1.2")
	require.Empty(t, s.got())
}

func TestUnsubscribeOfNothing(t *testing.T) {
	e := listen("/a")
	require.ErrorIs(t, e.StartUnsubscribe(nil), client.ErrEnded)
	require.ErrorIs(t, e.Unsubscribe(t.Context()), client.ErrEnded)
}

func TestWaitingForAReceiptEndsWithTheParent(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	e := listen("/a")
	parent, cancel := context.WithCancelCause(t.Context())
	made := s.elsewhere(func() error { return s.Subscribe(parent, &e.Subscription) })
	s.sends()
	cancel(errRefused)
	require.ErrorIs(t, s.result(made), errRefused)
	require.Equal(t, "UNSUBSCRIBE\nid:s1\nreceipt:r3\n\n^@", s.got(), "it has ended")

	e = listen("/b")
	require.NoError(t, s.StartSubscribe(&e.Subscription, nil))
	require.ErrorIs(t, s.result(s.elsewhere(func() error { return e.Unsubscribe(parent) })), errRefused)
}

func TestAnUnsubscribeThatIsCutShortHasEndedTheSubscription(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	e := listen("/a")
	var ended outcome
	require.NoError(t, s.StartSubscribe(&e.Subscription, nil))
	s.got()
	require.NoError(t, e.StartUnsubscribe(ended.done))
	s.got()
	s.peer().PeerReset()
	s.net.RunPending()
	ended.require(t, client.ErrUnconfirmed)
	s.advance(second)
	s.login("1.2")
	require.Empty(t, s.got())
}

func TestSubscriptionsAreLimited(t *testing.T) {
	s := connected(t, &client.Client{MaxSubscriptions: 1}, "1.2")
	first := listen("/a")
	require.NoError(t, s.StartSubscribe(&first.Subscription, nil))
	second := listen("/b")
	require.ErrorIs(t, s.StartSubscribe(&second.Subscription, nil), client.ErrBusy)
	require.NoError(t, first.StartUnsubscribe(nil))
	s.got()
	s.says("RECEIPT\nreceipt-id:r3\n\n^@")
	require.NoError(t, s.StartSubscribe(&second.Subscription, nil))
}

func TestASubscriptionNeedsADestinationAndAHandler(t *testing.T) {
	c := &client.Client{}
	require.Error(t, c.StartSubscribe(&client.Subscription{Destination: "/a"}, nil))
	require.Error(t, c.StartSubscribe(&client.Subscription{Handle: listen("").Handle}, nil))
}
