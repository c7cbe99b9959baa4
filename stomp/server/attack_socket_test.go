package server_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp/server"
)

// overTCP serves cfg and gives the address and the server.
func overTCP(t *testing.T, cfg server.Config) (address string, s *transport.Server) {
	t.Helper()
	s = &transport.Server{Loops: 2, Init: func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&installer{cfg}) }}
	s.Logger = slog.New(slog.DiscardHandler) // connections break on purpose
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return s.Addrs()[0].String(), s
}

// rawClient is a connection that has sent CONNECT.
func rawClient(t *testing.T, address string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = c.Write([]byte("CONNECT\naccept-version:1.2\nhost:h\n\n\x00"))
	require.NoError(t, err)
	return c, bufio.NewReader(c)
}

// Nothing is read from a client that pauses, but that its connection has broken is noticed. (A FIN waits behind what was not
// read; when the client is gone altogether the kernel's keep-alive finds out.)
func TestAPausedPublisherThatIsResetIsNoticed(t *testing.T) {
	b := &broker.Broker{MaxMessages: 4}
	defer b.Close()
	address, s := overTCP(t, server.Config{Broker: b})
	c, in := rawClient(t, address)
	_, err := in.ReadString(0)
	require.NoError(t, err)
	_, err = c.Write([]byte(strings.Repeat("SEND\ndestination:/queue/a\n\nx\x00", 10)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return b.Stats().Published == 3 }, 5*time.Second, time.Millisecond)
	require.NoError(t, c.(*net.TCPConn).SetLinger(0))
	require.NoError(t, c.Close())
	require.Eventually(t, func() bool { return s.Channels().Len() == 0 }, 5*time.Second, 10*time.Millisecond)
}

// Clients on several loops are cut off anywhere; every message that a queue took arrives at least once.
func TestMessagesSurviveClientsThatAreCutOff(t *testing.T) {
	live := buffer.SharedStats().Live
	b := &broker.Broker{MaxDeliveries: 1_000_000}
	cfg := server.Config{Broker: b, Publish: func(_ *server.Session, m *broker.Message, done func(error)) {
		go func() { // from another goroutine, and twice
			_, err := b.Publish(m)
			done(err)
			done(err)
		}()
	}}
	address, s := overTCP(t, cfg)
	const messages = 400
	var mu sync.Mutex
	seen := make(map[string]bool)
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for i := range 6 {
		mode := []string{"auto", "client", "client-individual"}[i%3]
		clients.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for {
				select {
				case <-stop:
					return
				default:
				}
				consumeAWhile(t, address, mode, r, func(body string) {
					mu.Lock()
					seen[body] = true
					mu.Unlock()
				})
			}
		})
	}
	c, in := rawClient(t, address)
	_, err := in.ReadString(0)
	require.NoError(t, err)
	for i := range messages {
		_, err := fmt.Fprintf(c, "SEND\ndestination:/queue/q\nreceipt:%d\n\nm%d %s\x00", i, i, strings.Repeat("x", i%7*1000))
		require.NoError(t, err)
		text, err := in.ReadString(0)
		require.NoError(t, err)
		require.Contains(t, text, fmt.Sprintf("receipt-id:%d\n", i))
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen) == messages && b.Stats().Messages == 0
	}, 30*time.Second, 10*time.Millisecond)
	close(stop)
	clients.Wait()
	_ = c.Close()
	require.Eventually(t, func() bool { return s.Channels().Len() == 0 }, 5*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool { return b.Stats().Consumers == 0 && b.Stats().Destinations == 0 }, 5*time.Second, time.Millisecond)
	require.Zero(t, b.Stats().StoredBytes)
	require.Eventually(t, func() bool { return buffer.SharedStats().Live == live }, 5*time.Second, time.Millisecond)
	b.Close()
}

// consumeAWhile consumes, acknowledges, and breaks off: an auto subscriber by leaving in order, as what the kernel took counts
// as accepted, others by a reset.
func consumeAWhile(t *testing.T, address, mode string, r *rand.Rand, got func(string)) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(300 * time.Millisecond))
	in := bufio.NewReader(c)
	_, _ = fmt.Fprintf(c, "CONNECT\naccept-version:1.2\nhost:h\n\n\x00SUBSCRIBE\nid:1\ndestination:/queue/q\nack:%s\nprefetch-count:%d\n\n\x00", mode, 1+r.IntN(20))
	left := false
	for n := r.IntN(40); ; n-- {
		if n == 0 && !left {
			if mode != "auto" {
				_ = c.(*net.TCPConn).SetLinger(0)
				return
			}
			left = true
			_, _ = c.Write([]byte("DISCONNECT\nreceipt:bye\n\n\x00"))
		}
		text, err := in.ReadString(0)
		if err != nil {
			if mode == "auto" && !left {
				left, n = true, -1
				_ = c.SetDeadline(time.Now().Add(5 * time.Second))
				_, _ = c.Write([]byte("DISCONNECT\nreceipt:bye\n\n\x00"))
				continue
			}
			return
		}
		head, body, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n\n")
		if !strings.HasPrefix(head, "MESSAGE\n") {
			continue
		}
		got(key(strings.TrimSuffix(body, "\x00")))
		if _, ack, ok := strings.Cut(head, "\nack:"); ok && r.IntN(3) > 0 {
			ack, _, _ = strings.Cut(ack, "\n")
			_, _ = fmt.Fprintf(c, "%s\nid:%s\n\n\x00", []string{"ACK", "ACK", "ACK", "NACK"}[r.IntN(4)], ack)
		}
	}
}
