package client_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

func TestSendWaitsUntilTheFrameIsOnItsWay(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	s.peer().Block()
	sent := s.elsewhere(func() error { return s.Send(t.Context(), news("hello")) })
	s.until(func() bool { return s.Stats().Unsent > 0 })
	s.net.RunPending()
	require.Empty(t, sent)
	s.peer().Unblock()
	require.NoError(t, s.result(sent))
	require.Equal(t, "SEND\ndestination:/queue/a\ncontent-length:5\n\nhello^@", s.got())
	require.Zero(t, s.Stats().Unsent)
}

func TestSendReceiptWaitsForItsOwnReceipt(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	first := s.elsewhere(func() error { return s.SendReceipt(t.Context(), news("1")) })
	require.Contains(t, s.sends(), "receipt:r1\n")
	second := s.elsewhere(func() error { return s.SendReceipt(t.Context(), news("2")) })
	require.Contains(t, s.sends(), "receipt:r2\n")
	require.Equal(t, 2, s.Stats().Receipts)
	s.says("RECEIPT\nreceipt-id:r2\n\n^@")
	require.NoError(t, s.result(second))
	require.Empty(t, first)
	s.says("RECEIPT\nreceipt-id:r1\n\n^@")
	require.NoError(t, s.result(first))
	require.Zero(t, s.Stats().Receipts)
}

func TestAReceiptThatNobodyAskedForIsCounted(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	s.says("RECEIPT\nreceipt-id:r77\n\n^@RECEIPT\nfoo:bar\n\n^@")
	require.Equal(t, uint64(2), s.Stats().UnknownReceipts)
	require.Empty(t, s.status)
}

func TestAWaitThatEndsWithItsParentLeavesTheFrame(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	parent, cancel := context.WithCancelCause(t.Context())
	sent := s.elsewhere(func() error { return s.SendReceipt(parent, news("1")) })
	require.Contains(t, s.sends(), "SEND")
	cancel(errRefused)
	require.ErrorIs(t, s.result(sent), errRefused)
	s.says("RECEIPT\nreceipt-id:r1\n\n^@")
	require.Zero(t, s.Stats().UnknownReceipts, "it is known, and late")
	require.ErrorIs(t, s.result(s.elsewhere(func() error { return s.Send(parent, news("2")) })), errRefused)
	require.Empty(t, s.got(), "a parent that has ended sends nothing")
}

func TestErrorNamesTheFrameThatWasRefused(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var first, second outcome
	require.NoError(t, s.StartSend(news("1"), first.done))
	require.NoError(t, s.StartSend(news("2"), second.done))
	s.got()
	s.says("ERROR\nreceipt-id:r2\nmessage:not\\cyours\ncontent-length:5\n\nsorry^@")
	s.peer().PeerClose()
	s.net.RunPending()
	var refused *client.ServerError
	require.ErrorAs(t, second.err, &refused)
	require.NotErrorIs(t, second.err, client.ErrUnconfirmed)
	require.Equal(t, "not:yours", refused.Message)
	require.Equal(t, "r2", refused.Receipt)
	require.Equal(t, "sorry", refused.Body)
	require.Equal(t, "5", refused.Headers.Get("content-length"))
	first.require(t, client.ErrUnconfirmed)
	require.ErrorAs(t, first.err, &refused, "it is why the connection was lost")
	require.Len(t, s.status, 1)
}

func TestNothingIsSentBehindAnERROR(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	s.peer().PeerLingers(true)
	s.says("ERROR\nmessage:no\n\n^@")
	require.ErrorIs(t, s.StartSend(news("1"), nil), client.ErrNotConnected)
	require.Empty(t, s.got())
	s.net.AdvanceTime(pipeline.DefaultLinger)
	require.Len(t, s.status, 1)
}

func TestWhatWasOnItsWayAtABreakIsUnconfirmedAndTheRestWasNotSent(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	s.peer().Block()
	var confirmed, unsent outcome
	require.NoError(t, s.StartSend(news("1"), confirmed.done))
	first := s.Stats().Unsent
	blocked := s.elsewhere(func() error { return s.Send(t.Context(), news("2")) })
	s.until(func() bool { return s.Stats().Unsent > first })
	s.net.RunPending()
	s.peer().Channel().CloseWith(pipeline.CloseNow, nil) // before what follows is given to the encoder
	require.NoError(t, s.StartSend(news("3"), unsent.done))
	s.net.RunPending()
	confirmed.require(t, client.ErrUnconfirmed)
	require.ErrorIs(t, s.result(blocked), client.ErrUnconfirmed)
	unsent.require(t, client.ErrNotConnected)
	require.Zero(t, s.Stats().Unsent)
}

func TestResendSendsAgainWhatWasNotConfirmed(t *testing.T) {
	s := connected(t, &client.Client{Resend: true}, "1.2")
	var ended []string
	send := func(body string) {
		require.NoError(t, s.StartSend(news(body), func(err error) {
			require.NoError(t, err)
			ended = append(ended, body)
		}))
	}
	send("1")
	send("2")
	require.NoError(t, s.StartSend(news("plain"), nil))
	send("3")
	tx, err := s.Begin()
	require.NoError(t, err)
	require.NoError(t, tx.StartSend(news("of the transaction")))
	s.got()
	s.says("RECEIPT\nreceipt-id:r2\n\n^@")
	s.peer().PeerReset()
	s.net.RunPending()
	require.Equal(t, []string{"2"}, ended)
	s.advance(second)
	s.login("1.2")
	again := s.got()
	require.Equal(t, "SEND\ndestination:/queue/a\nreceipt:r1\ncontent-length:1\n\n1^@"+
		"SEND\ndestination:/queue/a\nreceipt:r3\ncontent-length:1\n\n3^@", again)
	s.says("RECEIPT\nreceipt-id:r1\n\n^@RECEIPT\nreceipt-id:r3\n\n^@")
	require.Equal(t, []string{"2", "1", "3"}, ended)
}

func TestResendThatIsGivenUpIsUnconfirmed(t *testing.T) {
	for name, end := range map[string]func(s *script){
		"after the last attempt": func(s *script) { s.Address = "nobody:1"; s.advance(second) },
		"by Close":               func(s *script) { s.StartClose(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s := connected(t, &client.Client{Resend: true, Reconnect: client.Reconnect{Attempts: 1}, MaxOffline: 1}, "1.2")
			var sent, waiting outcome
			require.NoError(t, s.StartSend(news("1"), sent.done))
			s.got()
			s.peer().PeerReset()
			s.net.RunPending()
			require.Zero(t, sent.times)
			require.ErrorIs(t, s.StartSend(news("2"), waiting.done), client.ErrBusy, "one waits already")
			end(s)
			sent.require(t, client.ErrUnconfirmed)
		})
	}
}

func TestSendsAreRefusedWithoutAConnection(t *testing.T) {
	s := newScript(t, &client.Client{})
	require.ErrorIs(t, s.StartSend(news("x"), nil), client.ErrNotConnected)
	require.ErrorIs(t, s.Send(t.Context(), news("x")), client.ErrNotConnected)
	s.begin()
	require.ErrorIs(t, s.SendReceipt(t.Context(), news("x")), client.ErrNotConnected)
	s.StartClose(nil)
	require.ErrorIs(t, s.Send(t.Context(), news("x")), client.ErrClosed)
}

func TestFramesMayWaitForAConnection(t *testing.T) {
	s := newScript(t, &client.Client{MaxOffline: 2})
	require.ErrorIs(t, s.StartSend(news("x"), nil), client.ErrNotConnected, "nobody has begun to connect")
	s.begin()
	var sent outcome
	require.NoError(t, s.StartSend(news("1"), sent.done))
	first := s.Stats().Unsent
	parent, cancel := context.WithCancelCause(t.Context())
	blocked := s.elsewhere(func() error { return s.Send(parent, news("2")) })
	s.until(func() bool { return s.Stats().Unsent > first })
	require.ErrorIs(t, s.StartSend(news("3"), nil), client.ErrBusy)
	cancel(errRefused)
	require.ErrorIs(t, s.result(blocked), errRefused)
	require.NoError(t, s.StartSend(news("4"), nil), "there is room again")
	s.login("1.2")
	require.Equal(t, "SEND\ndestination:/queue/a\nreceipt:r1\ncontent-length:1\n\n1^@SEND\ndestination:/queue/a\ncontent-length:1\n\n4^@", s.got())
	s.says("RECEIPT\nreceipt-id:r1\n\n^@")
	sent.require(t, nil)
}

func TestTooMuchUnsentStopsTheSenders(t *testing.T) {
	s := connected(t, &client.Client{MaxUnsent: 1000}, "1.2")
	s.peer().Block()
	var first outcome
	require.NoError(t, s.StartSend(news(strings.Repeat("x", 2000)), first.done))
	require.ErrorIs(t, s.StartSend(news("2"), nil), client.ErrBusy)
	parent, cancel := context.WithCancelCause(t.Context())
	impatient := s.elsewhere(func() error { return s.Send(parent, news("3")) })
	patient := s.elsewhere(func() error { return s.Send(t.Context(), news("4")) })
	cancel(errRefused)
	require.ErrorIs(t, s.result(impatient), errRefused)
	require.Empty(t, patient)
	s.peer().Unblock()
	require.NoError(t, s.result(patient))
	wire := s.got()
	require.Contains(t, wire, "\n\n4^@")
	require.NotContains(t, wire, "\n\n3^@")
	s.says("RECEIPT\nreceipt-id:r1\n\n^@")
	first.require(t, nil)
}

func TestReceiptsAreLimited(t *testing.T) {
	s := connected(t, &client.Client{MaxReceipts: 1}, "1.2")
	var first outcome
	require.NoError(t, s.StartSend(news("1"), first.done))
	require.ErrorIs(t, s.StartSend(news("2"), first.done), client.ErrBusy)
	require.NoError(t, s.StartSend(news("3"), nil))
	s.got()
	s.says("RECEIPT\nreceipt-id:r1\n\n^@")
	first.require(t, nil)
	require.NoError(t, s.StartSend(news("4"), func(error) {}))
}

func TestAFrameThatCannotBeEncodedIsItsCallersErrorAndNobodyElses(t *testing.T) {
	s := connected(t, &client.Client{}, "1.0")
	bad := func() *stomp.Frame { return news("x", "subject", "two\nlines") }
	var refused, fine outcome
	require.NoError(t, s.StartSend(bad(), refused.done))
	require.NoError(t, s.StartSend(bad(), nil), "it is logged")
	require.NoError(t, s.StartSend(news("y"), fine.done))
	require.Equal(t, "SEND\ndestination:/queue/a\nreceipt:r2\ncontent-length:1\n\ny^@", s.got())
	refused.require(t, stomp.ErrUnencodable)
	require.ErrorIs(t, s.result(s.elsewhere(func() error { return s.Send(t.Context(), bad()) })), stomp.ErrUnencodable)
	s.says("RECEIPT\nreceipt-id:r2\n\n^@")
	fine.require(t, nil)
	require.Empty(t, s.status)
	require.Equal(t, 1, strings.Count(s.log.String(), "frame not sent"))
}

func TestCallsThatWaitAreRefusedOnTheLoopOfTheConnection(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	sub := &client.Subscription{Destination: "/a", Handle: func(*pipeline.Context, *client.Message) {}}
	require.NoError(t, s.StartSubscribe(sub, nil))
	tx, err := s.Begin()
	require.NoError(t, err)
	other := &client.Subscription{Destination: "/b", Handle: sub.Handle}
	require.ErrorIs(t, s.Send(t.Context(), news("x")), pipeline.ErrOnLoop)
	require.ErrorIs(t, s.SendReceipt(t.Context(), news("x")), pipeline.ErrOnLoop)
	require.ErrorIs(t, s.Subscribe(t.Context(), other), pipeline.ErrOnLoop)
	require.ErrorIs(t, sub.Unsubscribe(t.Context()), pipeline.ErrOnLoop)
	require.ErrorIs(t, tx.Send(t.Context(), news("x")), pipeline.ErrOnLoop)
	require.ErrorIs(t, tx.Commit(t.Context()), pipeline.ErrOnLoop)
	require.NoError(t, s.StartSubscribe(other, nil), "nothing had been done")
}

func TestTheOrderOfSendsIsKept(t *testing.T) {
	s := connected(t, &client.Client{}, "1.2")
	var want strings.Builder
	for i := range 200 {
		body := string(rune('a' + i%26))
		require.NoError(t, s.StartSend(news(body), nil))
		want.WriteString(body)
	}
	var got strings.Builder
	for _, frame := range strings.Split(s.got(), "^@") {
		_, body, _ := strings.Cut(frame, "\n\n")
		got.WriteString(body)
	}
	require.Equal(t, want.String(), got.String())
}
