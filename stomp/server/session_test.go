package server_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

const commands = "SEND SUBSCRIBE UNSUBSCRIBE ACK NACK BEGIN COMMIT ABORT DISCONNECT CONNECTED MESSAGE RECEIPT ERROR"

func TestEveryCommandBeforeConnectIsRefused(t *testing.T) {
	for command := range strings.FieldsSeq(commands) {
		t.Run(command, func(t *testing.T) {
			p := newPeers(t)
			p.frame("A", command+" destination:/queue/a id:1 transaction:t receipt:r", "")
			require.Equal(t, "r", p.refused("A", "not connected").Headers.Get("receipt-id"))
			require.Equal(t, broker.Stats{}, p.broker.Stats(), "no side effect")
		})
	}
}

// What every command does in an open session that has nothing, by version. "" is a receipt.
func TestEveryCommandByVersion(t *testing.T) {
	const head = " destination:/topic/a id:1 subscription:1 message-id:1 transaction:t receipt:r"
	for command, want := range map[string][3]string{ // 1.0, 1.1, 1.2
		"SEND":        {"no such transaction", "no such transaction", "no such transaction"},
		"SUBSCRIBE":   {"", "", ""},
		"UNSUBSCRIBE": {"no such subscription", "no such subscription", "no such subscription"},
		"ACK":         {"no such message or subscription", "no such message or subscription", "no such message"},
		"NACK":        {"NACK is not in STOMP 1.0", "no such message or subscription", "no such message"},
		"BEGIN":       {"", "", ""},
		"COMMIT":      {"no such transaction", "no such transaction", "no such transaction"},
		"ABORT":       {"no such transaction", "no such transaction", "no such transaction"},
		"CONNECT":     {"already connected", "already connected", "already connected"},
		"STOMP":       {"already connected", "already connected", "already connected"},
		"CONNECTED":   {"not for servers", "not for servers", "not for servers"},
		"MESSAGE":     {"not for servers", "not for servers", "not for servers"},
		"RECEIPT":     {"not for servers", "not for servers", "not for servers"},
		"ERROR":       {"not for servers", "not for servers", "not for servers"},
		"WHAT":        {"unknown-command", "unknown-command", "unknown-command"},
	} {
		for i, version := range []string{"1.0", "1.1", "1.2"} {
			t.Run(command+"/"+version, func(t *testing.T) {
				p := newPeers(t)
				p.connect("A", version)
				p.frame("A", command+head, "")
				if want[i] == "" {
					require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
					require.False(t, p.closed("A"))
					return
				}
				e := p.refused("A", want[i])
				if command != "WHAT" { // its headers were not read
					require.Equal(t, "r", e.Headers.Get("receipt-id"))
				}
			})
		}
	}
}

// Frames whose headers are missing or wrong.
func TestRefusalsNameTheProblemAndTheReceipt(t *testing.T) {
	for frame, problem := range map[string]string{
		"SEND":                                                 "SEND without destination",
		"SUBSCRIBE id:1":                                       "SUBSCRIBE without destination",
		"SUBSCRIBE destination:/a":                             "SUBSCRIBE without id",
		"UNSUBSCRIBE destination:/a":                           "UNSUBSCRIBE without id",
		"SUBSCRIBE destination:/a id:1 ack:no":                 "ack mode is not known",
		"SUBSCRIBE destination:/a id:1 prefetch-count:x":       "prefetch-count is not a number",
		"SUBSCRIBE destination:/a/#/b id:1":                    "bad destination name",
		"SEND destination:/queue/" + strings.Repeat("x", 2000): "bad destination name",
		"ACK":                           "ACK without id",
		"NACK":                          "NACK without id",
		"NACK id:1-1 requeue:maybe":     "requeue is neither",
		"ACK id:1":                      "no such message",
		"ACK id:-":                      "no such message",
		"ACK id:99999999999999999999-1": "no such message",
		"BEGIN":                         "BEGIN without transaction",
		"COMMIT":                        "COMMIT without transaction",
		"ABORT":                         "ABORT without transaction",
	} {
		t.Run(frame[:min(len(frame), 50)], func(t *testing.T) {
			p := newPeers(t)
			p.connect("A", "1.2")
			p.frame("A", frame+" receipt:r", "")
			require.Equal(t, "r", p.refused("A", problem).Headers.Get("receipt-id"))
		})
	}
}

func TestNothingIsProcessedAfterTheEnd(t *testing.T) {
	for name, last := range map[string]string{
		"DISCONNECT": "DISCONNECT\n\n\x00",
		"ERROR":      "SEND\n\n\x00",
		"bad frame":  "WHAT\n\n\x00",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.connect("A", "1.2")
			p.send("A", last+"SEND\ndestination:/queue/a\nreceipt:r\n\nx\x00")
			require.NotContains(t, p.got("A"), "RECEIPT r")
			require.True(t, p.closed("A"))
			require.Zero(t, p.broker.Stats().Published)
		})
	}
}

func TestBadFramesAfterTheEndAreNoError(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1")+"DISCONNECT\n\n\x00")
	p.conn("A").Pipeline().FireError(&stomp.Error{Reason: stomp.ErrBadEscape})
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT 1"}, p.got("A"))
	require.True(t, p.closed("A"))
}

// What replaces a session finds a channel that reads.
func TestARemovedSessionHoldsNothing(t *testing.T) {
	p := newPeers(t)
	publishSlowly(p)
	p.cfg.MaxUnanswered = 1
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:1", "")
	p.send("A", sendFrame("1"))
	require.False(t, p.conn("A").Channel().AutoRead())
	_, ctx := pipeline.Find[*server.Session](p.conn("A").Pipeline())
	ctx.Remove()
	require.True(t, p.conn("A").Channel().AutoRead())
	require.Zero(t, p.broker.Stats().Consumers)
	require.True(t, p.conn("A").Channel().IsOpen())
}

func TestASilentPeerGetsAnErrorAtTheDeadline(t *testing.T) {
	p := newPeers(t)
	p.advance("A", handlers.DefaultReadyWithin)
	p.refused("A", "no CONNECT in time")
}

func TestOtherMessagesPass(t *testing.T) {
	p := newPeers(t)
	note := &struct{ text string }{"not a frame"}
	p.conn("A").WriteInbound(note)
	require.Same(t, note, p.conn("A").ReadInbound())
}

func TestOtherErrorsPass(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.conn("A").Pipeline().FireError(pipeline.ErrCancelled)
	p.conn("A").ExpectError(pipeline.ErrCancelled)
	require.Empty(t, p.got("A"))
}

func TestTheSessionTellsWhoItServes(t *testing.T) {
	p := newPeers(t)
	p.send("A", "CONNECT\naccept-version:1.1\nhost:example\nlogin:me\npasscode:secret\n\n\x00")
	s := p.session("A")
	require.Equal(t, "me", s.Login())
	require.Equal(t, "example", s.Host())
	require.Equal(t, stomp.Version11, s.Version())
	require.Same(t, p.conn("A").Channel(), s.Channel())
	require.Equal(t, "stomp/server.Session", s.String())
	fresh := p.session("B")
	require.Empty(t, fresh.Login())
	require.Empty(t, fresh.Host())
	require.Equal(t, stomp.VersionUnknown, fresh.Version())
}
