package server_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
