package server_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/server"
)

// slowly is a Config.Publish that answers when the test says so.
type slowly struct {
	broker *broker.Broker
	done   map[string]func(error) // by the body of the message
	order  []string
}

func publishSlowly(p *peers) *slowly {
	h := &slowly{broker: &p.broker, done: make(map[string]func(error))}
	p.cfg.Publish = func(_ *server.Session, m *broker.Message, done func(error)) {
		body := m.Text()
		h.order = append(h.order, body)
		h.done[body] = done
		_, err := h.broker.Publish(m)
		if err != nil {
			done(err)
		}
	}
	return h
}

func sendFrame(body string) string {
	return "SEND\ndestination:/queue/a\nreceipt:" + body + "\n\n" + body + "\x00"
}

func TestReceiptsFollowWhenPublishHasAnswered(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+sendFrame("2")+"BEGIN\ntransaction:t\nreceipt:b\n\n\x00"+sendFrame("3"))
	require.Equal(t, []string{"1", "2", "3"}, h.order)
	require.Empty(t, p.got("A"))
	require.Equal(t, 4, p.session("A").Stats().Unanswered)
	h.done["2"](nil)
	h.done["2"](errors.New("only the first answer counts"))
	p.pump()
	require.Empty(t, p.got("A"), "2 waits for 1")
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT 1", "RECEIPT 2", "RECEIPT b"}, p.got("A"), "in order, and what came behind")
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.done["3"](nil)
	}()
	<-done
	p.pump()
	require.Equal(t, []string{"RECEIPT 3"}, p.got("A"))
	require.Zero(t, p.session("A").Stats().Unanswered)
}

func TestPublishMayAnswerAtOnce(t *testing.T) {
	p := newPeers(t)
	p.cfg.Publish = func(s *server.Session, m *broker.Message, done func(error)) {
		require.Equal(t, "/queue/a", m.Destination)
		require.Equal(t, p.conn("A").Channel(), s.Channel())
		m.Release()
		done(nil)
	}
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+sendFrame("2"))
	require.Equal(t, []string{"RECEIPT 1", "RECEIPT 2"}, p.got("A"))
}

func TestAFailedPublishEndsTheSessionInItsTurn(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+sendFrame("2")+sendFrame("3"))
	h.done["2"](errors.New("the disk is full"))
	h.done["3"](nil)
	p.pump()
	require.Empty(t, p.got("A"))
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT 1"}, p.got("A")[:1])
	require.True(t, p.closed("A"))
}

func TestAFailedPublishNamesTheReceipt(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1"))
	h.done["1"](errors.New("the disk is full"))
	p.pump()
	require.Equal(t, "1", p.refused("A", "the disk is full").Headers.Get("receipt-id"))
}

func TestReadingPausesWhenManyFramesWaitForPublish(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	var batch strings.Builder
	for i := range 100 {
		batch.WriteString(sendFrame(fmt.Sprint(i)))
	}
	p.send("A", batch.String())
	require.Len(t, h.order, server.DefaultMaxUnanswered)
	require.False(t, p.conn("A").Channel().Reading())
	for i := range 100 {
		h.done[fmt.Sprint(i)](nil)
		p.pump()
		require.LessOrEqual(t, p.session("A").Stats().Unanswered, server.DefaultMaxUnanswered)
	}
	require.Len(t, h.order, 100)
	got := p.got("A")
	require.Len(t, got, 100)
	for i := range got {
		require.Equal(t, fmt.Sprint("RECEIPT ", i), got[i])
	}
	require.True(t, p.conn("A").Channel().Reading())
}

func TestDisconnectWaitsForPublish(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+"DISCONNECT\nreceipt:bye\n\n\x00")
	require.Empty(t, p.got("A"))
	require.False(t, p.closed("A"))
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT 1", "RECEIPT bye"}, p.got("A"))
	require.True(t, p.closed("A"))
}

func TestDisconnectWaitsNotForEver(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+"DISCONNECT\nreceipt:bye\n\n\x00")
	p.advance("A", server.DefaultDrainWait-time.Millisecond)
	require.False(t, p.closed("A"))
	p.advance("A", time.Millisecond)
	require.Equal(t, []string{"RECEIPT bye"}, p.got("A"))
	require.True(t, p.closed("A"))
	h.done["1"](nil) // nobody waits any more
	p.pump()
	require.Empty(t, p.got("A"))
}

func TestErrorsComeBehindWhatWaitsForPublish(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+"ABORT\ntransaction:none\nreceipt:r\n\n\x00"+sendFrame("2"))
	require.Equal(t, []string{"1"}, h.order, "what comes behind is not processed")
	require.Empty(t, p.got("A"))
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT 1", "ERROR r no such transaction"}, p.got("A"))
	require.True(t, p.closed("A"))
}

func TestAFailureOvertakesDisconnect(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+"DISCONNECT\nreceipt:bye\n\n\x00")
	h.done["1"](errors.New("the disk is full"))
	p.pump()
	require.Equal(t, []string{"ERROR 1 the disk is full"}, p.got("A"))
	require.True(t, p.closed("A"))
}

func TestAnOrderlyCloseWaitsForPublish(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1"))
	promise, outcome := p.conn("A").Watch()
	p.conn("A").Channel().CloseWith(pipeline.CloseDrain, promise)
	p.pump()
	require.False(t, p.closed("A"))
	require.False(t, outcome.Done)
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT 1"}, p.got("A"))
	require.True(t, p.closed("A"))
	require.True(t, outcome.Done)
	require.NoError(t, outcome.Err)
}

func TestAHastyCloseDoesNotWait(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1"))
	p.conn("A").Channel().CloseWith(pipeline.CloseNow, nil)
	p.pump()
	require.True(t, p.closed("A"))
	h.done["1"](nil)
	p.pump()
}

func TestALostConnectionForgetsItsAnswers(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+"DISCONNECT\nreceipt:bye\n\n\x00")
	p.reset("A")
	require.True(t, p.closed("A"))
	h.done["1"](errors.New("too late"))
	p.pump()
	require.Empty(t, p.got("A"))
}
