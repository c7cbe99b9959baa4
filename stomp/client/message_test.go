package client_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// holder keeps the messages that it gets.
type holder struct {
	client.Subscription
	got []*client.Message
}

func (h *holder) release() {
	for _, m := range h.got {
		m.Release()
	}
	h.got = nil
}

// holding is a connected client whose subscription s1 keeps its messages.
func holding(t *testing.T, version string, ack client.AckMode) (*script, *holder) {
	t.Helper()
	s := connected(t, &client.Client{}, version)
	h := &holder{}
	h.Destination, h.Ack = "/queue/a", ack
	h.Handle = func(_ *pipeline.Context, m *client.Message) {
		m.Retain()
		h.got = append(h.got, m)
	}
	require.NoError(t, s.StartSubscribe(&h.Subscription, nil))
	require.Contains(t, s.got(), "ack:"+ack.String()+"\n")
	t.Cleanup(h.release)
	return s, h
}

// deliver sends messages numbered from to to, to s1.
func (s *script) deliver(from, to int) {
	s.t.Helper()
	for i := from; i <= to; i++ {
		n := strconv.Itoa(i)
		s.says("MESSAGE\nsubscription:s1\nmessage-id:m" + n + "\ndestination:/queue/a\nack:a" + n + "\n\nbody " + n + "^@")
	}
}

func TestAckAndNackSayWhatTheVersionWants(t *testing.T) {
	for version, want := range map[string]string{
		"1.0": "message-id:m1\n\n^@",
		"1.1": "message-id:m1\nsubscription:s1\n\n^@",
		"1.2": "id:a1\n\n^@",
	} {
		t.Run(version, func(t *testing.T) {
			s, h := holding(t, version, client.AckClientIndividual)
			s.deliver(1, 2)
			require.NoError(t, h.got[0].Ack())
			require.Equal(t, "ACK\n"+want, s.got())
			if version == "1.0" {
				require.ErrorIs(t, h.got[1].Nack(), client.ErrVersion)
				require.NoError(t, h.got[1].Ack(), "it is not settled by that")
				return
			}
			require.NoError(t, h.got[1].Nack())
			require.Equal(t, "NACK\n"+strings.ReplaceAll(want, "1\n\n", "2\n\n"), strings.ReplaceAll(s.got(), "message-id:m2\nsubscription:s1", "message-id:m1\nsubscription:s2"))
		})
	}
}

func TestA12ServerWithoutAckHeadersGetsTheMessageID(t *testing.T) {
	s, h := holding(t, "1.2", client.AckClientIndividual)
	s.says("MESSAGE\nsubscription:s1\nmessage-id:a\\cb\ndestination:/queue/a\n\n^@")
	require.NoError(t, h.got[0].Ack())
	require.Equal(t, "ACK\nid:a\\cb\n\n^@", s.got())
}

func TestAMessageIsSettledOnce(t *testing.T) {
	s, h := holding(t, "1.2", client.AckClientIndividual)
	s.deliver(1, 3)
	require.NoError(t, h.got[2].Ack())
	require.ErrorIs(t, h.got[2].Ack(), client.ErrSettled)
	require.ErrorIs(t, h.got[2].Nack(), client.ErrSettled)
	require.NoError(t, h.got[0].Nack())
	require.NoError(t, h.got[1].Ack())
	require.Equal(t, "ACK\nid:a3\n\n^@NACK\nid:a1\n\n^@ACK\nid:a2\n\n^@", s.got())
}

func TestAckClientSettlesAllBefore(t *testing.T) {
	s, h := holding(t, "1.1", client.AckClient)
	s.deliver(1, 4)
	require.NoError(t, h.got[2].Ack())
	require.ErrorIs(t, h.got[0].Ack(), client.ErrSettled)
	require.ErrorIs(t, h.got[1].Nack(), client.ErrSettled)
	require.NoError(t, h.got[3].Nack())
	require.Equal(t, "ACK\nmessage-id:m3\nsubscription:s1\n\n^@NACK\nmessage-id:m4\nsubscription:s1\n\n^@", s.got())
}

func TestAckOfAutoSaysNothing(t *testing.T) {
	s, h := holding(t, "1.2", client.AckAuto)
	s.deliver(1, 1)
	require.NoError(t, h.got[0].Ack())
	require.NoError(t, h.got[0].Nack())
	require.Empty(t, s.got())
}

func TestMessagesOfALostConnectionAreStale(t *testing.T) {
	s, h := holding(t, "1.2", client.AckClient)
	s.deliver(1, 2)
	require.NoError(t, h.got[1].Ack())
	s.peer().PeerReset()
	s.net.RunPending()
	require.ErrorIs(t, h.got[0].Ack(), client.ErrStale)
	s.advance(second)
	s.login("1.2")
	require.ErrorIs(t, h.got[0].Ack(), client.ErrStale)
	s.got()
	s.deliver(3, 3)
	require.NoError(t, h.got[2].Ack(), "another connection counts anew")
	require.Equal(t, "ACK\nid:a3\n\n^@", s.got())
	s.StartClose(nil)
	require.ErrorIs(t, h.got[2].Nack(), client.ErrSettled)
}

func TestNothingIsSettledBehindDISCONNECT(t *testing.T) {
	s, h := holding(t, "1.2", client.AckClientIndividual)
	s.StartClose(nil)
	require.Contains(t, s.got(), "DISCONNECT")
	s.deliver(1, 1)
	require.Len(t, h.got, 1, "what the server has sent is taken")
	require.ErrorIs(t, h.got[0].Ack(), client.ErrClosed)
	require.Empty(t, s.got())
}

func TestAMessageLastsUntilItsLastRelease(t *testing.T) {
	s, h := holding(t, "1.2", client.AckClientIndividual)
	s.deliver(1, 1)
	m := h.got[0]
	h.got = nil
	s.says(strings.Repeat("MESSAGE\nsubscription:none\n\n^@", 50)) // memory would be used again by now
	done := s.elsewhere(func() error {
		require.Equal(t, "/queue/a", m.Destination())
		require.Equal(t, "m1", m.ID())
		require.Equal(t, "a1", m.Header("ack"))
		require.Len(t, m.Headers(), 4)
		require.Equal(t, stomp.CommandMessage, m.Frame().Command)
		require.Equal(t, "body 1", m.Body().String())
		require.Same(t, &h.Subscription, m.Subscription())
		err := m.Ack()
		m.Retain()
		m.Release()
		m.Release()
		return err
	})
	require.NoError(t, s.result(done))
	require.Equal(t, "ACK\nid:a1\n\n^@", s.got())
	require.Panics(t, func() { m.Release() })
	require.Panics(t, func() { m.Retain() })
}

func TestMessagesOfNoSubscriptionGoToOnMessage(t *testing.T) {
	var got []string
	s := connected(t, &client.Client{OnMessage: func(_ *pipeline.Context, m *client.Message) {
		require.Nil(t, m.Subscription())
		require.NoError(t, m.Ack())
		got = append(got, m.Header("subscription")+" "+m.Body().String())
	}}, "1.1")
	s.says("MESSAGE\nsubscription:/temp-queue/x\nmessage-id:1\ndestination:/queue/x\n\nanswer^@")
	require.Equal(t, []string{"/temp-queue/x answer"}, got)
	require.Zero(t, s.Stats().UnknownMessages)
	require.Empty(t, s.got())
}

func TestMessagesOfNoSubscriptionAreDroppedAndCounted(t *testing.T) {
	s := connected(t, &client.Client{}, "1.1")
	s.says("MESSAGE\nsubscription:s9\nmessage-id:1\ndestination:/a\n\nx^@MESSAGE\nmessage-id:2\ndestination:/a\n\nx^@")
	require.Equal(t, uint64(2), s.Stats().UnknownMessages)
	require.Empty(t, s.status)
}

func TestA10ServerMayNameTheDestinationOnly(t *testing.T) {
	s := connected(t, &client.Client{}, "1.0")
	a, b := listen("/a"), listen("/b")
	require.NoError(t, s.StartSubscribe(&a.Subscription, nil))
	require.NoError(t, s.StartSubscribe(&b.Subscription, nil))
	s.says("MESSAGE\nmessage-id:1\ndestination:/b\n\nx^@MESSAGE\nmessage-id:2\ndestination:/c\n\nx^@")
	require.Empty(t, a.got)
	require.Equal(t, []string{"x"}, b.got)
	require.Equal(t, uint64(1), s.Stats().UnknownMessages)
}
