package server_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestTransactionsTakeEffectAtCommit(t *testing.T) {
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		t.Run(version, func(t *testing.T) {
			p := consumer(t, version, "ack:client", 3)
			p.got("A")
			p.frame("A", "BEGIN transaction:t receipt:1", "")
			p.frame("A", ackFor("ACK", version, 2)+" transaction:t receipt:2", "")
			p.frame("A", "SEND destination:/queue/b transaction:t receipt:3", "x")
			require.Equal(t, []string{"RECEIPT 1", "RECEIPT 2", "RECEIPT 3"}, p.got("A"))
			s := p.broker.Stats()
			require.Equal(t, uint64(3), s.Published)
			require.Zero(t, s.Acknowledged)
			require.Equal(t, 1, p.session("A").Stats().Transactions)
			p.frame("A", "COMMIT transaction:t receipt:4", "")
			require.Equal(t, []string{"RECEIPT 4"}, p.got("A"))
			s = p.broker.Stats()
			require.Equal(t, uint64(4), s.Published)
			require.Equal(t, uint64(2), s.Acknowledged)
			require.Zero(t, p.session("A").Stats().Transactions)
			require.Equal(t, "again 3", left(p))
		})
	}
}

func TestAbortLeavesEverythingAsItWas(t *testing.T) {
	p := consumer(t, "1.2", "ack:client-individual prefetch-count:4", 4)
	p.got("A")
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "ACK id:1-3 transaction:t", "")
	p.frame("A", "ACK id:1-1 transaction:t", "")
	p.frame("A", "NACK id:1-2 transaction:t", "")
	p.frame("A", "SEND destination:/queue/b transaction:t", "x")
	p.frame("A", "ABORT transaction:t receipt:r", "")
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
	require.Equal(t, uint64(4), p.broker.Stats().Published)
	for _, n := range []string{"1", "2", "3", "4"} { // they can be settled as before
		p.frame("A", "ACK id:1-"+n, "")
	}
	require.Equal(t, uint64(4), p.broker.Stats().Acknowledged)
	require.Empty(t, p.got("A"))
}

func TestCreditComesBackAtCommit(t *testing.T) {
	p := consumer(t, "1.2", "ack:client prefetch-count:2", 6)
	require.Len(t, p.got("A"), 2)
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "ACK id:1-2 transaction:t", "")
	require.Empty(t, p.got("A"))
	p.frame("A", "COMMIT transaction:t", "")
	require.Equal(t, []string{"MESSAGE s 3", "MESSAGE s 4"}, p.got("A"))
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "NACK id:1-4 transaction:t requeue:false", "")
	p.frame("A", "COMMIT transaction:t", "")
	require.Equal(t, []string{"MESSAGE s 5", "MESSAGE s 6"}, p.got("A"))
	require.Equal(t, uint64(2), p.broker.Stats().Dead)
}

func TestNackInATransactionComesAgainAtCommit(t *testing.T) {
	p := consumer(t, "1.2", "ack:client-individual", 2)
	p.got("A")
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "NACK id:1-1 transaction:t", "")
	require.Empty(t, p.got("A"))
	p.frame("A", "COMMIT transaction:t", "")
	require.Equal(t, []string{"MESSAGE s again 1"}, p.got("A"))
}

func TestTransactionsAreUniqueAndLimited(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	for i := range server.DefaultMaxTransactions {
		p.frame("A", "BEGIN transaction:"+strconv.Itoa(i), "")
	}
	p.frame("A", "ABORT transaction:3", "")
	p.frame("A", "BEGIN transaction:3", "")
	require.Empty(t, p.got("A"))
	p.frame("A", "BEGIN transaction:more receipt:r", "")
	p.refused("A", "too many transactions")
	p.connect("B", "1.2")
	p.frame("B", "BEGIN transaction:1", "")
	p.frame("B", "BEGIN transaction:1", "")
	p.refused("B", "transaction exists already")
}

func TestATransactionIsGoneAfterItsEnd(t *testing.T) {
	for _, end := range []string{"COMMIT", "ABORT"} {
		for _, frame := range []string{"COMMIT", "ABORT", "SEND destination:/topic/a"} {
			p := newPeers(t)
			p.connect("A", "1.2")
			p.frame("A", "BEGIN transaction:t", "")
			p.frame("A", end+" transaction:t", "")
			p.frame("A", frame+" transaction:t", "")
			p.refused("A", "no such transaction")
		}
	}
}

func TestActionsAreLimited(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "BEGIN transaction:t", "")
	p.send("A", strings.Repeat("SEND\ndestination:/queue/a\ntransaction:t\n\nx\x00", server.DefaultMaxActions))
	require.Empty(t, p.got("A"))
	p.frame("A", "SEND destination:/queue/a transaction:t", "x")
	p.refused("A", "too many actions")
	require.Zero(t, p.broker.Stats().Published)
}

func TestACumulativeAckCountsEveryMessage(t *testing.T) {
	p := newPeers(t)
	p.cfg.MaxActions = 3
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client", "")
	p.publish("/queue/a", "1", "2", "3", "4")
	p.pump()
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "ACK id:1-3 transaction:t receipt:r", "")
	require.Equal(t, "RECEIPT r", p.got("A")[4])
	p.frame("A", "ACK id:1-4 transaction:t", "")
	p.refused("A", "too many actions")
	require.Zero(t, p.broker.Stats().Acknowledged)
	require.Equal(t, 4, p.broker.Stats().Messages)
}

func TestTransactionsOfASessionShareTheirBytes(t *testing.T) {
	p := newPeers(t)
	p.cfg.MaxTransactionBytes = 10_000
	p.connect("A", "1.2")
	body := strings.Repeat("x", 4000)
	for _, tx := range []string{"1", "2"} {
		p.frame("A", "BEGIN transaction:"+tx, "")
		p.frame("A", "SEND destination:/queue/a transaction:"+tx, body)
	}
	p.frame("A", "ABORT transaction:1", "")
	p.frame("A", "BEGIN transaction:3", "")
	p.frame("A", "SEND destination:/queue/a transaction:3", body)
	require.Empty(t, p.got("A"))
	p.frame("A", "SEND destination:/queue/a transaction:2", body)
	p.refused("A", "transactions are too large")
}

func TestTransactionsEndWithTheSession(t *testing.T) {
	for name, end := range map[string]func(p *peers){
		"disconnect": func(p *peers) { p.frame("A", "DISCONNECT", "") },
		"error":      func(p *peers) { p.frame("A", "SEND", "") },
		"reset":      func(p *peers) { p.reset("A") },
	} {
		t.Run(name, func(t *testing.T) {
			p := consumer(t, "1.2", "ack:client", 2)
			p.frame("A", "BEGIN transaction:t", "")
			p.frame("A", "ACK id:1-2 transaction:t", "")
			p.frame("A", "SEND destination:/queue/b transaction:t", "x")
			end(p)
			require.True(t, p.closed("A"))
			s := p.broker.Stats()
			require.Zero(t, s.Acknowledged)
			require.Equal(t, 2, s.Messages)
			require.Zero(t, s.Unsettled)
		})
	}
}

func TestDeliveriesOfATransactionOutliveTheirSubscription(t *testing.T) {
	for _, end := range []string{"COMMIT", "ABORT"} {
		p := consumer(t, "1.2", "ack:client", 3)
		p.frame("A", "BEGIN transaction:t", "")
		p.frame("A", "ACK id:1-2 transaction:t", "")
		p.frame("A", "UNSUBSCRIBE id:s", "")
		p.frame("A", end+" transaction:t", "")
		want := map[string]string{"COMMIT": "again 3", "ABORT": "again 1,again 2,again 3"}[end]
		require.Equal(t, want, left(p), end)
	}
}

func TestACommitThatFailsIsRefusedAsAWhole(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxMessages = 1
	p.broker.Overflow = broker.PolicyDisconnect
	p.connect("A", "1.2")
	p.publish("/queue/full", "x")
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "SEND destination:/queue/a transaction:t", "x")
	p.frame("A", "SEND destination:/queue/full transaction:t", "x")
	p.frame("A", "COMMIT transaction:t receipt:r", "")
	require.Equal(t, "r", p.refused("A", "full").Headers.Get("receipt-id"))
	require.Equal(t, 1, p.broker.Stats().Messages)
}

func TestPublishGetsTheMessagesOfATransactionAtCommit(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/in id:s ack:client", "")
	p.publish("/queue/in", "in")
	p.pump()
	p.got("A")
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "SEND destination:/queue/b transaction:t", "1")
	p.frame("A", "SEND destination:/queue/b transaction:t", "2")
	p.frame("A", "ACK id:1-1 transaction:t", "")
	require.Empty(t, h.order)
	p.frame("A", "COMMIT transaction:t receipt:r", "")
	require.Equal(t, []string{"1", "2"}, h.order)
	h.done["2"](nil)
	p.pump()
	require.Empty(t, p.got("A"))
	require.Zero(t, p.broker.Stats().Acknowledged, "when all are done")
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
	require.Equal(t, uint64(1), p.broker.Stats().Acknowledged)
}

func TestNothingIsAcknowledgedWhenPublishFailsAtCommit(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/in id:s ack:client", "")
	p.publish("/queue/in", "in")
	p.pump()
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "SEND destination:/queue/b transaction:t", "1")
	p.frame("A", "ACK id:1-1 transaction:t", "")
	p.frame("A", "COMMIT transaction:t receipt:r", "")
	h.done["1"](errors.New("the disk is full"))
	p.pump()
	require.Equal(t, "r", p.refused("A", "the disk is full").Headers.Get("receipt-id"))
	s := p.broker.Stats()
	require.Zero(t, s.Acknowledged)
	require.Zero(t, s.Unsettled, "back in its queue")
}

func TestAbortDropsWhatPublishHasNotSeen(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	for _, end := range []string{"ABORT transaction:t", "DISCONNECT"} {
		p.frame("A", "BEGIN transaction:t", "")
		p.frame("A", "SEND destination:/queue/b transaction:t", "1")
		p.frame("A", end, "")
	}
	require.Empty(t, h.order)
	require.True(t, p.closed("A"))
}
