package server_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/server"
)

// timed runs f with a bound that only work which grows with the square of something passes.
func timed(t *testing.T, most time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	t.Log(time.Since(start))
	require.Less(t, time.Since(start), most)
}

func TestAcksOfWhatWasSettledLongAgoAreCheap(t *testing.T) {
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		t.Run(version, func(t *testing.T) {
			p := newPeers(t)
			p.connect("A", version)
			for i := range 10 {
				p.frame("A", "SUBSCRIBE destination:/topic/a ack:client prefetch-count:10000 id:"+strconv.Itoa(i), "")
			}
			for range 2_000 {
				_, err := p.broker.Publish(broker.NewMessage("/topic/a"))
				require.NoError(t, err)
			}
			p.conn("A").RunPending()
			p.conn("A").DiscardWire()
			for i := range 200 {
				p.conn("A").RunPending()
				if p.conn("A").DiscardWire() == 0 && i > 3 {
					break
				}
			}
			ack := map[string]string{"1.0": "message-id:1", "1.1": "message-id:1\nsubscription:5", "1.2": "id:5-1"}[version]
			p.conn("A").FeedWhole("ACK\n" + ack + "\n\n\x00")
			timed(t, 2*time.Second, func() {
				p.conn("A").FeedWhole(strings.Repeat("ACK\n"+ack+"\n\n\x00", 5_000))
			})
			require.False(t, p.closed("A"))
		})
	}
}

// What comes before login makes a connection hold little, also when Authenticate takes its time.
func TestMemoryBeforeLogin(t *testing.T) {
	const connect = "CONNECT\naccept-version:1.2\nhost:h\n\n\x00"
	for name, text := range map[string]string{
		"frames behind CONNECT": connect + strings.Repeat("x", 1<<20),
		"line ends":             strings.Repeat("\n", 2<<20) + connect + strings.Repeat("x", 1<<20),
		"a large CONNECT": "CONNECT\n" + strings.Repeat("a:"+strings.Repeat("b", 990)+"\n", 15) +
			"content-length:1000\n\n" + strings.Repeat("\x00", 1001) + strings.Repeat("x", 1<<20),
		"endless headers": "CONNECT\n" + strings.Repeat("a:b\n", 1<<18),
		"an endless line": "CONNECT\na:" + strings.Repeat("b", 1<<20),
		"an endless body": "CONNECT\n\n" + strings.Repeat("b", 1<<20),
		"CR without end":  strings.Repeat("\r", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.cfg.Authenticate = func(*pipeline.Context, *server.Login) {}
			ch := p.conn("A")
			ch.FeedWhole(text)
			ch.Wire()
			read := int(ch.Channel().BytesRead())
			if !ch.Channel().Closed() {
				require.Less(t, read, 64<<10, "what was read and waits")
			}
			require.Zero(t, p.broker.Stats())
			ch.AdvanceTime(server.DefaultDrainWait + handlers.DefaultReadyWithin)
			require.True(t, ch.Channel().Closed())
		})
	}
}
