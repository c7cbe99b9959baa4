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
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/stomp"
)

// Each of two clients acknowledges what the other one sends, and both are told to pause: the acknowledgements that would make
// room wait behind each other.
func TestTwoPublishersThatConsumeFromEachOtherDoNotStopForEver(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxMessages = 8
	for name, queue := range map[string]string{"A": "/queue/a", "B": "/queue/b"} {
		p.connect(name, "1.2")
		p.frame(name, "SUBSCRIBE destination:"+queue+" id:1 ack:client", "")
	}
	const five = "SEND\ndestination:/queue/%s\n\nx\x00"
	p.send("A", strings.Repeat(fmt.Sprintf(five, "b"), 5)+"ACK\nid:1-5\nreceipt:r\n\n\x00")
	p.send("B", strings.Repeat(fmt.Sprintf(five, "a"), 5)+"ACK\nid:1-5\nreceipt:r\n\n\x00")
	for range 5 {
		p.advance("A", 100*time.Millisecond)
		p.advance("B", 100*time.Millisecond)
	}
	require.Contains(t, p.got("A"), "RECEIPT r")
	require.Contains(t, p.got("B"), "RECEIPT r")
	require.Zero(t, p.broker.Stats().Messages)
}

// What can't be written does not take the place of what is being written.
func TestAMessageThatIsTooLargeForTheChannelIsGivenUp(t *testing.T) {
	for _, ack := range []string{"auto", "client"} {
		t.Run(ack, func(t *testing.T) {
			p := newPeers(t)
			p.connect("A", "1.2")
			p.frame("A", "SUBSCRIBE destination:/queue/a id:1 prefetch-count:4 ack:"+ack, "")
			p.conn("A").Block()
			p.publish("/queue/a", "first", strings.Repeat("x", 17<<20), "third")
			p.pump()
			require.Equal(t, uint64(1), p.session("A").Stats().Unencodable)
			p.conn("A").Unblock()
			p.pump()
			require.Equal(t, []string{"MESSAGE 1 first", "MESSAGE 1 third"}, p.got("A"))
			require.Equal(t, uint64(1), p.broker.Stats().Dead)
		})
	}
}

// A hook that refuses one message is not taken for the end of the connection.
func TestAMessageThatItsHookRefusesIsGivenUp(t *testing.T) {
	for _, ack := range []string{"auto", "client"} {
		t.Run(ack, func(t *testing.T) {
			p := newPeers(t)
			p.cfg.WrapFrame = func(f *stomp.Frame, encoded any) (any, error) {
				if f.Body.String() == "bad" {
					buffer.Release(encoded)
					return nil, errors.New("not this one")
				}
				return encoded, nil
			}
			p.connect("A", "1.2")
			p.frame("A", "SUBSCRIBE destination:/queue/a id:1 prefetch-count:4 ack:"+ack, "")
			p.conn("A").Block()
			p.publish("/queue/a", "first", "bad", "third")
			p.pump()
			p.conn("A").Unblock()
			p.pump()
			require.Equal(t, []string{"MESSAGE 1 first", "MESSAGE 1 third"}, p.got("A"))
			require.Equal(t, uint64(1), p.broker.Stats().Dead)
			require.Equal(t, 4, p.session("A").Subscriptions()[0].Broker.Credit+p.broker.Stats().Unsettled)
		})
	}
}

// A subscriber that keeps everybody waiting and goes away, in whichever way, lets them go on.
func TestPublishersGoOnWhenTheirSlowSubscriberHasGone(t *testing.T) {
	for _, destination := range []string{"/topic/a", "/topic/*", "/topic/#"} {
		for name, leave := range map[string]func(p *peers){
			"reset": func(p *peers) { p.conn("slow").PeerReset() },
			"stall": func(p *peers) { p.conn("slow").AdvanceTime(time.Hour) },
			"shutdown": func(p *peers) {
				p.conn("slow").Pipeline().FireEvent(pipeline.ShutdownEvent{})
				p.conn("slow").Events()
			},
		} {
			t.Run(destination+" "+name, func(t *testing.T) {
				p := newPeers(t)
				p.cfg.Policy, p.cfg.MaxBacklog = broker.PolicyPause, 8
				p.connect("slow", "1.2")
				p.frame("slow", "SUBSCRIBE destination:"+destination+" id:1 prefetch-count:2", "")
				p.conn("slow").Block()
				p.connect("A", "1.2")
				p.send("A", strings.Repeat("SEND\ndestination:/topic/a\nreceipt:r\n\nx\x00", 20))
				require.Len(t, p.got("A"), 5)
				leave(p)
				p.pump()
				require.Len(t, p.got("A"), 15)
				p.conn("slow").Unblock()
				p.pump()
				for err := p.conn("slow").CheckErr(); err != nil; {
					err = p.conn("slow").CheckErr()
				}
				p.conn("slow").Events()
			})
		}
	}
}

// What publishers of another protocol call content-length or destination is not what STOMP means.
func TestPropertiesOfOtherProtocolsDoNotStandForHeaders(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1", "")
	m := broker.NewMessage("/queue/a")
	for _, name := range []string{"content-length", "destination", "subscription", "message-id", "ack", "receipt", "transaction"} {
		m.AppendProperty(name, "99")
	}
	m.AppendString("body")
	_, err := p.broker.Publish(m)
	require.NoError(t, err)
	p.pump()
	f := p.take("A")
	require.Equal(t, "body", f.Body.String())
	require.Equal(t, []string{"/queue/a"}, f.Headers.Values("destination"))
	require.Equal(t, []string{"4"}, f.Headers.Values("content-length"))
	require.Zero(t, p.broker.Stats().Dead)
}
