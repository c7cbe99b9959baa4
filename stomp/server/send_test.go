package server_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

// refuseAll is an Authorize that allows nothing.
func refuseAll(reason string) func(*server.Session, server.Op, string) error {
	return func(*server.Session, server.Op, string) error { return errors.New(reason) }
}

func TestHeadersAndBodyPassThrough(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/topic/a id:s\\c1", "")
	body := strings.Repeat("x\x00y", 2000)
	p.send("A", "SEND\ndestination:/topic/a\ncontent-type:text/plain\nk:a\\cb\\n\nk:second\ncontent-length:6000\nreceipt:r\n"+
		"message-id:mine\nsubscription:mine\nack:mine\nredelivered:true\n\n"+body+"\x00")
	f := p.take("B")
	require.Equal(t, body, f.Body.String())
	var names []string
	for _, h := range f.Headers {
		names = append(names, h.Name)
	}
	require.Equal(t, "subscription message-id destination content-type k k content-length", strings.Join(names, " "))
	require.Equal(t, "s:1", f.Headers.Get("subscription"))
	require.Equal(t, "1", f.Headers.Get("message-id"))
	require.Equal(t, "a:b\n", f.Headers.Get("k"))
	require.Equal(t, "6000", f.Headers.Get("content-length"))
}

func TestEveryVersionGetsItsOwnEscapes(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.1")
	for _, v := range []string{"1.0", "1.1", "1.2"} {
		p.connect(v, v)
		p.frame(v, "SUBSCRIBE destination:/topic/a id:1", "")
	}
	p.send("A", "SEND\ndestination:/topic/a\nk:a\\cb\r\n\nx\x00") // in 1.1 a CR is an octet like any other
	for _, v := range []string{"1.0", "1.1", "1.2"} {
		require.Equal(t, "a:b\r", p.take(v).Headers.Get("k"), v)
	}
}

// A message that one version can't say is given up there, and counted; the others get it.
func TestWhatAVersionCannotSayIsGivenUp(t *testing.T) {
	for _, ack := range []string{"auto", "client"} {
		p := newPeers(t)
		p.connect("old", "1.0")
		p.connect("new", "1.2")
		for _, c := range []string{"old", "new"} {
			p.frame(c, "SUBSCRIBE destination:/topic/a id:1 prefetch-count:1 ack:"+ack, "")
		}
		m := broker.NewMessage("/topic/a")
		m.AppendProperty("k", "two\nlines")
		_, err := p.broker.Publish(m)
		require.NoError(t, err)
		p.publish("/topic/a", "next")
		p.pump()
		require.Equal(t, []string{"MESSAGE 1 next"}, p.got("old"), "its credit came back")
		require.Equal(t, "two\nlines", p.take("new").Headers.Get("k"))
		require.Equal(t, uint64(1), p.session("old").Stats().Unencodable)
		require.Equal(t, uint64(1), p.broker.Stats().Dead)
	}
}

func TestAuthorizeIsAskedForEverySend(t *testing.T) {
	p := newPeers(t)
	var asked []string
	p.cfg.Authorize = func(s *server.Session, op server.Op, destination string) error {
		asked = append(asked, s.Login()+" "+op.String()+" "+strings.Clone(destination))
		if destination == "/topic/secret" {
			return errors.New("not for you")
		}
		return nil
	}
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:1", "")
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "SEND destination:/topic/b transaction:t", "x")
	p.frame("A", "SEND destination:/topic/secret receipt:r", "x")
	require.Equal(t, "r", p.refused("A", "not for you").Headers.Get("receipt-id"))
	require.Equal(t, []string{" SUBSCRIBE /topic/a", " SEND /topic/b", " SEND /topic/secret"}, asked)
	require.Zero(t, p.broker.Stats().Published)
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/topic/secret id:1", "")
	p.refused("B", "not for you")
	require.Zero(t, p.broker.Stats().Consumers)
}

func TestAFullQueueRefuses(t *testing.T) {
	p := newPeers(t)
	p.broker.Overflow = broker.PolicyDisconnect // no pause before
	p.broker.MaxMessages = 2
	p.connect("A", "1.2")
	for range 2 {
		p.frame("A", "SEND destination:/queue/a receipt:r", "x")
	}
	require.Equal(t, []string{"RECEIPT r", "RECEIPT r"}, p.got("A"))
	p.frame("A", "SEND destination:/queue/a receipt:3", "x")
	require.Equal(t, "3", p.refused("A", "full").Headers.Get("receipt-id"))
	require.Equal(t, uint64(1), p.broker.Stats().Refused)
}

func TestOneSendersOrderIsKept(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.connect("B", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:1", "")
	var batch strings.Builder
	for i := range 1000 {
		batch.WriteString("SEND\ndestination:/topic/a\n\n" + string(rune('a'+i%26)) + "\x00")
	}
	p.send("B", batch.String())
	require.Len(t, p.frames["A"], 1000)
	for i, f := range p.frames["A"] {
		require.Equal(t, string(rune('a'+i%26)), f.Body.String())
	}
}
