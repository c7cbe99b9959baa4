package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// consumer connects A by a version and gives it messages 1 to n.
func consumer(t *testing.T, version, headers string, n int) *peers {
	t.Helper()
	p := newPeers(t)
	p.connect("A", version)
	p.frame("A", "SUBSCRIBE destination:/queue/a id:s "+headers, "")
	for i := range n {
		p.publish("/queue/a", fmt.Sprint(i+1))
	}
	p.pump()
	return p
}

// ackFor is the ACK or NACK frame of a version for message n, which is the n-th delivery, too.
func ackFor(command, version string, n int) string {
	return map[string]string{
		"1.0": fmt.Sprintf("%s message-id:%d", command, n),
		"1.1": fmt.Sprintf("%s message-id:%d subscription:s", command, n),
		"1.2": fmt.Sprintf("%s id:1-%d", command, n),
	}[version]
}

// left tells which messages another consumer gets when A is gone.
func left(p *peers) string {
	p.t.Helper()
	p.frame("A", "DISCONNECT", "")
	p.got("A")
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/queue/a id:1", "")
	return strings.ReplaceAll(strings.Join(p.got("B"), ","), "MESSAGE 1 ", "")
}

func TestClientAckIsCumulative(t *testing.T) {
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		t.Run(version, func(t *testing.T) {
			p := consumer(t, version, "ack:client", 5)
			require.Len(t, p.got("A"), 5)
			p.frame("A", ackFor("ACK", version, 3)+" receipt:r", "")
			require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
			require.Equal(t, uint64(3), p.broker.Stats().Acknowledged)
			require.Equal(t, "again 4,again 5", left(p))
		})
	}
}

func TestIndividualAckIsForOneMessage(t *testing.T) {
	for _, version := range []string{"1.1", "1.2"} {
		t.Run(version, func(t *testing.T) {
			p := consumer(t, version, "ack:client-individual", 5)
			for _, n := range []int{4, 2} {
				p.frame("A", ackFor("ACK", version, n), "")
			}
			require.Equal(t, uint64(2), p.broker.Stats().Acknowledged)
			require.Equal(t, "again 1,again 3,again 5", left(p))
		})
	}
}

func TestNackBringsMessagesAgain(t *testing.T) {
	for _, version := range []string{"1.1", "1.2"} {
		t.Run(version+" individual", func(t *testing.T) {
			p := consumer(t, version, "ack:client-individual", 3)
			p.got("A")
			p.frame("A", ackFor("NACK", version, 2), "")
			require.Equal(t, []string{"MESSAGE s again 2"}, p.got("A"))
			require.Equal(t, 3, p.session("A").Subscriptions()[0].Broker.Unsettled)
		})
		t.Run(version+" cumulative", func(t *testing.T) {
			p := consumer(t, version, "ack:client", 3)
			p.got("A")
			p.frame("A", ackFor("NACK", version, 2), "")
			require.ElementsMatch(t, []string{"MESSAGE s again 1", "MESSAGE s again 2"}, p.got("A"))
		})
		t.Run(version+" without requeue", func(t *testing.T) {
			p := consumer(t, version, "ack:client-individual", 3)
			p.got("A")
			p.frame("A", ackFor("NACK", version, 2)+" requeue:false", "")
			p.frame("A", ackFor("NACK", version, 1)+" requeue:true", "")
			require.Equal(t, []string{"MESSAGE s again 1"}, p.got("A"))
			require.Equal(t, uint64(1), p.broker.Stats().Dead)
		})
	}
}

func TestNackEndsAtTheBrokersLimit(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxDeliveries = 3
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:1 ack:client-individual", "")
	p.publish("/topic/a", "x")
	p.pump()
	for range 3 {
		f := p.take("A")
		p.frame("A", "NACK id:"+f.Headers.Get("ack"), "")
	}
	require.Empty(t, p.got("A"))
	require.Equal(t, uint64(1), p.broker.Stats().Dead)
}

func TestAckReturnsCredit(t *testing.T) {
	for mode, want := range map[string]int{"client": 3, "client-individual": 1} {
		p := consumer(t, "1.2", "prefetch-count:3 ack:"+mode, 9)
		require.Len(t, p.got("A"), 3)
		p.frame("A", "ACK id:1-3", "")
		require.Len(t, p.got("A"), want)
	}
}

func TestAutoSubscriptionsHaveNothingToAcknowledge(t *testing.T) {
	for version, problem := range map[string]string{
		"1.0": "no such message or subscription", "1.1": "acknowledges by itself",
	} {
		p := consumer(t, version, "ack:auto", 1)
		_, has := p.take("A").Headers.Lookup("ack")
		require.False(t, has)
		p.frame("A", ackFor("ACK", version, 1), "")
		p.refused("A", problem)
	}
}

// A message that is settled is settled; but nobody acknowledges what was never given out.
func TestAckOfWhatIsSettledDoesNothing(t *testing.T) {
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		t.Run(version, func(t *testing.T) {
			p := consumer(t, version, "ack:client", 3)
			p.got("A")
			for _, n := range []int{2, 2, 1} {
				p.frame("A", ackFor("ACK", version, n)+" receipt:r", "")
			}
			require.Equal(t, []string{"RECEIPT r", "RECEIPT r", "RECEIPT r"}, p.got("A"))
			require.Equal(t, uint64(2), p.broker.Stats().Acknowledged)
			p.frame("A", ackFor("ACK", version, 4), "")
			p.refused("A", "no such message")
		})
	}
}

func TestAckNeedsWhatTheVersionAsksFor(t *testing.T) {
	for frame, c := range map[string][2]string{
		"ACK":                              {"1.0", "ACK without message-id"},
		"ACK id:1":                         {"1.1", "ACK without message-id"},
		"ACK message-id:1":                 {"1.1", "ACK without subscription"},
		"NACK message-id:1":                {"1.1", "NACK without subscription"},
		"ACK message-id:1 subscription:no": {"1.1", "no such message or subscription"},
		"ACK message-id:x subscription:s":  {"1.1", "no such message"},
		"ACK message-id:1 subscription:s":  {"1.2", "ACK without id"},
		"ACK id:1-":                        {"1.2", "no such message"},
		"ACK id:1-0":                       {"1.2", "no such message"},
		"ACK id:2-1":                       {"1.2", "no such message"},
		"ACK id:1-1 transaction:none":      {"1.2", "no such transaction"},
	} {
		t.Run(frame, func(t *testing.T) {
			p := consumer(t, c[0], "ack:client", 1)
			p.frame("A", frame, "")
			p.refused("A", c[1])
			require.Zero(t, p.broker.Stats().Acknowledged)
		})
	}
}

// In 1.0 an ACK names a message only: it is for the oldest subscription that has it.
func TestOldAcksFindTheirSubscription(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.0")
	for _, id := range []string{"1", "2", "3"} {
		p.frame("A", "SUBSCRIBE destination:/topic/a ack:client id:"+id, "")
	}
	p.publish("/topic/a", "x")
	p.pump()
	unsettled := func() (list []int) {
		for _, s := range p.session("A").Subscriptions() {
			list = append(list, s.Broker.Unsettled)
		}
		return list
	}
	require.Equal(t, []int{1, 1, 1}, unsettled())
	p.frame("A", "ACK message-id:1", "")
	require.Equal(t, []int{0, 1, 1}, unsettled())
	p.frame("A", "ACK message-id:1 subscription:3", "")
	require.Equal(t, []int{0, 1, 0}, unsettled())
	p.frame("A", "ACK message-id:1", "")
	require.Equal(t, []int{0, 0, 0}, unsettled())
	p.frame("A", "ACK message-id:1 receipt:r", "")
	require.Equal(t, "RECEIPT r", p.got("A")[3])
}

func TestAckIDsOfTwoSubscriptionsDoNotMix(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	for _, id := range []string{"a", "b"} {
		p.frame("A", "SUBSCRIBE destination:/topic/a ack:client id:"+id, "")
	}
	p.publish("/topic/a", "x")
	p.pump()
	seen := map[string]string{}
	for range 2 {
		f := p.take("A")
		seen[strings.Clone(f.Headers.Get("subscription"))] = strings.Clone(f.Headers.Get("ack"))
	}
	require.NotEqual(t, seen["a"], seen["b"])
	p.frame("A", "ACK id:"+seen["b"], "")
	subs := p.session("A").Subscriptions()
	require.Equal(t, 1, subs[0].Broker.Unsettled)
	require.Zero(t, subs[1].Broker.Unsettled)
}
