package client_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp/client"
)

func TestATransactionGroupsSendsAndAcks(t *testing.T) {
	s, h := holding(t, "1.2", client.AckClientIndividual)
	s.deliver(1, 2)
	tx, err := s.Begin()
	require.NoError(t, err)
	require.NoError(t, tx.StartSend(news("1")))
	require.NoError(t, tx.Ack(h.got[0]))
	require.NoError(t, tx.Nack(h.got[1]))
	require.ErrorIs(t, tx.Ack(h.got[0]), client.ErrSettled)
	sent := s.elsewhere(func() error { return tx.Send(t.Context(), news("2")) })
	require.NoError(t, s.result(sent))
	require.Equal(t, "BEGIN\ntransaction:t3\n\n^@"+
		"SEND\ndestination:/queue/a\ntransaction:t3\ncontent-length:1\n\n1^@"+
		"ACK\nid:a1\ntransaction:t3\n\n^@NACK\nid:a2\ntransaction:t3\n\n^@"+
		"SEND\ndestination:/queue/a\ntransaction:t3\ncontent-length:1\n\n2^@", s.got())
	committed := s.elsewhere(func() error { return tx.Commit(t.Context()) })
	require.Equal(t, "COMMIT\ntransaction:t3\nreceipt:r4\n\n^@", s.sends())
	s.says("RECEIPT\nreceipt-id:r4\n\n^@")
	require.NoError(t, s.result(committed))
	for _, err := range []error{tx.StartSend(news("3")), tx.Abort(), tx.StartCommit(nil), s.result(s.elsewhere(func() error { return tx.Send(t.Context(), news("3")) }))} {
		require.ErrorIs(t, err, client.ErrEnded)
	}
	require.ErrorIs(t, s.result(s.elsewhere(func() error { return tx.Commit(t.Context()) })), client.ErrEnded)
	require.ErrorIs(t, h.got[0].Ack(), client.ErrSettled)
	require.Empty(t, s.got())
}

func TestAbortUnsettles(t *testing.T) {
	for name, tt := range map[string]struct {
		mode client.AckMode
		want string
	}{
		"individual": {client.AckClientIndividual, "ACK\nid:a3\n\n^@"},
		"cumulative": {client.AckClient, "ACK\nid:a3\n\n^@"},
	} {
		t.Run(name, func(t *testing.T) {
			s, h := holding(t, "1.2", tt.mode)
			s.deliver(1, 3)
			require.NoError(t, h.got[0].Ack())
			tx, err := s.Begin()
			require.NoError(t, err)
			require.NoError(t, tx.Ack(h.got[1]))
			require.NoError(t, tx.Ack(h.got[2]))
			require.ErrorIs(t, h.got[2].Ack(), client.ErrSettled)
			require.NoError(t, tx.Abort())
			require.Contains(t, s.got(), "ABORT\ntransaction:t3\n\n^@")
			require.NoError(t, h.got[2].Ack())
			require.Equal(t, tt.want, s.got())
			require.ErrorIs(t, h.got[0].Ack(), client.ErrSettled)
		})
	}
}

func TestATransactionIsDroppedWithItsConnection(t *testing.T) {
	s, h := holding(t, "1.2", client.AckClientIndividual)
	s.deliver(1, 1)
	tx, err := s.Begin()
	require.NoError(t, err)
	s.got()
	s.peer().PeerReset()
	s.net.RunPending()
	s.advance(second)
	s.login("1.2")
	s.got()
	s.deliver(1, 1)
	require.ErrorIs(t, tx.Ack(h.got[1]), client.ErrStale)
	require.ErrorIs(t, tx.StartSend(news("x")), client.ErrStale)
	require.ErrorIs(t, tx.StartCommit(nil), client.ErrStale)
	require.ErrorIs(t, tx.Abort(), client.ErrStale)
	require.Empty(t, s.got())
	next, err := s.Begin()
	require.NoError(t, err)
	require.ErrorIs(t, next.Ack(h.got[0]), client.ErrStale, "of another connection")
}

func TestACommitOnItsWayIsUnconfirmed(t *testing.T) {
	s := connected(t, &client.Client{Resend: true, MaxOffline: 10}, "1.2")
	tx, err := s.Begin()
	require.NoError(t, err)
	var committed outcome
	require.NoError(t, tx.StartCommit(committed.done))
	s.got()
	s.peer().PeerReset()
	s.net.RunPending()
	committed.require(t, client.ErrUnconfirmed)
}

func TestACommitThatIsRefused(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	tx, err := s.Begin()
	require.NoError(t, err)
	var committed outcome
	require.NoError(t, tx.StartCommit(committed.done))
	s.got()
	s.says("ERROR\nreceipt-id:r2\nmessage:too large\n\n^@")
	require.EqualError(t, committed.err, `stomp/client: the server refused: "too large"`)
}

func TestWaitingForCommitEndsWithTheParent(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	tx, err := s.Begin()
	require.NoError(t, err)
	parent, cancel := context.WithCancelCause(t.Context())
	cancel(errRefused)
	require.ErrorIs(t, s.result(s.elsewhere(func() error { return tx.Commit(parent) })), errRefused)
}

func TestATransactionThatLacksAFrameIsNeverCommitted(t *testing.T) {
	s := connected(t, &client.Client{}, "1.0")
	tx, err := s.Begin()
	require.NoError(t, err)
	var committed outcome
	require.NoError(t, tx.StartSend(news("x", "subject", "two\nlines")))
	require.NoError(t, tx.StartCommit(committed.done))
	require.NotContains(t, s.got(), "COMMIT")
	require.Error(t, committed.err)
	require.Contains(t, s.status[0], "unencodable-header")
}

func TestTransactionsAreLimitedAndNeedAConnection(t *testing.T) {
	s := connected(t, &client.Client{MaxTransactions: 2}, "1.2")
	first, err := s.Begin()
	require.NoError(t, err)
	_, err = s.Begin()
	require.NoError(t, err)
	_, err = s.Begin()
	require.ErrorIs(t, err, client.ErrBusy)
	require.NoError(t, first.Abort())
	_, err = s.Begin()
	require.NoError(t, err)
	s.peer().PeerReset()
	s.net.RunPending()
	_, err = s.Begin()
	require.ErrorIs(t, err, client.ErrNotConnected)
}
