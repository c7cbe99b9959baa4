package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp/server"
)

// serve serves sessions over TCP and returns where.
func serve(t testing.TB, cfg server.Config) (s *transport.Server, addr string) {
	t.Helper()
	install := &installer{cfg}
	s = &transport.Server{Options: pipeline.Options{Linger: 300 * time.Millisecond}, Loops: 2, MaxPerAddress: 10_000, Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(install)
	}}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, s.Close())
		<-done
	})
	return s, s.Addrs()[0].String()
}

// tcp is a client over a socket that blocks.
type tcp struct {
	net.Conn
	in *bufio.Reader
}

// dial connects, and opens a session of 1.2.
func dial(addr string) (*tcp, error) {
	conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		return nil, err
	}
	c := &tcp{Conn: conn, in: bufio.NewReader(conn)}
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return nil, err
	}
	if _, err := c.ask("CONNECT\naccept-version:1.2\nhost:h\n\n"); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

// ask sends a frame, without its NUL, and returns the next one.
func (c *tcp) ask(frame string) (string, error) {
	if _, err := io.WriteString(c, frame+"\x00"); err != nil {
		return "", err
	}
	return c.next()
}

func (c *tcp) next() (string, error) {
	text, err := c.in.ReadString(0)
	return strings.TrimSuffix(text, "\x00"), err
}

// header is the value of a header of a frame that came.
func header(frame, name string) string {
	_, value, _ := strings.Cut(frame, "\n"+name+":")
	value, _, _ = strings.Cut(value, "\n")
	return value
}

// heap is what lives on the heap.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// flood sends a head without end. The server answers, drops what still comes while it lingers, and closes.
func flood(t *testing.T, total int) {
	t.Helper()
	s, addr := serve(t, server.Config{})
	before := heap()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "CONNECT\n")
	require.NoError(t, err)
	piece := []byte(strings.Repeat("a:b\n", 16<<10))
	sent := 0
	for err == nil && sent < total {
		require.NoError(t, conn.SetWriteDeadline(time.Now().Add(10*time.Second)))
		var n int
		n, err = conn.Write(piece)
		sent += n
	}
	t.Logf("%d octets went into the socket", sent)
	require.Less(t, int64(heap())-int64(before), int64(1<<20))
	if err == nil { // else the answer is lost with the connection
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
		answer, err := io.ReadAll(conn)
		if !errors.Is(err, syscall.ECONNRESET) {
			require.NoError(t, err)
		}
		require.Contains(t, string(answer), "too-many-headers")
	}
	require.Eventually(t, func() bool { return s.Channels().Len() == 0 }, 20*time.Second, 10*time.Millisecond)
}

// The answer to a head without end comes before 64 KiB of it have been buffered, however the peer sends.
func TestAHeadWithoutEndIsAnswered(t *testing.T) {
	_, addr := serve(t, server.Config{})
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, "CONNECT\n"+strings.Repeat("a:b\n", 64<<10/4))
	require.NoError(t, err)
	answer, err := bufio.NewReader(conn).ReadString(0)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(answer, "ERROR\n"), answer)
	require.Contains(t, answer, "too-many-headers")
}

func TestAFloodOfHeadersIsCutOff(t *testing.T) { flood(t, 64<<20) }

// Workers that break their connections at random lose nothing, and nothing comes twice unless it is marked.
func TestNothingIsLostWhenConsumersBreak(t *testing.T) {
	const messages = 400
	b := &broker.Broker{MaxDeliveries: 1 << 20}
	_, addr := serve(t, server.Config{Broker: b, Prefetch: 10})
	work := &shiftBook{seen: make(map[string]int), acked: make(map[string]bool), done: func() bool {
		s := b.Stats()
		return s.Published == messages && s.Messages == 0
	}}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { work.consume(addr, rand.New(rand.NewPCG(uint64(i), 7))) })
	}
	c, err := dial(addr)
	require.NoError(t, err)
	for i := range messages {
		answer, err := c.ask(fmt.Sprintf("SEND\ndestination:/queue/work\nreceipt:%d\n\n%d", i, i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), header(answer, "receipt-id"))
	}
	wg.Wait()
	require.NoError(t, c.Close())
	require.Empty(t, work.problems)
	require.Len(t, work.seen, messages)
	require.Equal(t, uint64(messages), b.Stats().Acknowledged, "each exactly once")
}

// shiftBook is what workers have seen.
type shiftBook struct {
	mu       sync.Mutex
	seen     map[string]int  // messages, by body
	acked    map[string]bool // by receipts; more may be, whose receipts nobody has read
	problems []string
	done     func() bool // nothing is left
}

// took notes a message.
func (l *shiftBook) took(frame string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, body, _ := strings.Cut(frame, "\n\n")
	if l.seen[body] > 0 && header(frame, "redelivered") != "true" {
		l.problems = append(l.problems, "not marked: "+body)
	}
	if l.acked[body] {
		l.problems = append(l.problems, "acknowledged before: "+body)
	}
	l.seen[body]++
}

func (l *shiftBook) accepted(frame string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, body, _ := strings.Cut(frame, "\n\n")
	l.acked[body] = true
}

// consume works off the queue, breaking its connection now and then, until everything is acknowledged.
func (l *shiftBook) consume(addr string, r *rand.Rand) {
	for !l.done() {
		if err := l.session(addr, r); err != nil && !errors.Is(err, io.EOF) && !isTimeout(err) {
			l.mu.Lock()
			l.problems = append(l.problems, err.Error())
			l.mu.Unlock()
			return
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// session is one connection of a worker: some messages, then a break, or a receipt for each acknowledgement.
func (l *shiftBook) session(addr string, r *rand.Rand) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := io.WriteString(c, "SUBSCRIBE\nid:1\ndestination:/queue/work\nack:client-individual\n\n\x00"); err != nil {
		return err
	}
	var waiting []string // receipts come behind messages that were on their way
	for range 1 + r.IntN(40) {
		if l.done() {
			return nil
		}
		if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			return err
		}
		frame, err := c.next()
		if err != nil {
			return err
		}
		if strings.HasPrefix(frame, "RECEIPT") {
			l.accepted(waiting[0])
			waiting = waiting[1:]
			continue
		}
		l.took(frame)
		if r.IntN(10) == 0 {
			return nil // a break: what is unsettled comes again
		}
		waiting = append(waiting, frame)
		if _, err := io.WriteString(c, "ACK\nreceipt:r\nid:"+header(frame, "ack")+"\n\n\x00"); err != nil {
			return err
		}
	}
	return nil
}

func TestShutdownEndsSessionsInGoodOrder(t *testing.T) {
	s, addr := serve(t, server.Config{})
	c, err := dial(addr)
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(t.Context()))
	frame, err := c.next()
	require.NoError(t, err)
	require.Contains(t, frame, "shutting down")
	_, err = c.next()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, c.Close())
}
