package server_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

// player is two clients that mostly do what they may, as the octets of a script choose.
type player struct {
	*peers
	script []byte
	conn   string
	born   int
	state  map[string]*played
}

// played is what a client knows.
type played struct {
	version   int
	subs, txs map[int]bool
	acks      []string // headers of ACK for what it has
	settled   int
}

func (g *player) next(n int) int {
	if len(g.script) == 0 {
		return 0
	}
	b := g.script[0]
	g.script = g.script[1:]
	return int(b) % n
}

// play lets the octets of a script choose connections, versions, moves and numbers, time to pass and breaks.
func play(t *testing.T, script []byte) (settled int) {
	t.Helper()
	p := newPeers(t)
	p.broker.MaxMessages, p.broker.MaxDeliveries = 12, 3
	p.cfg = server.Config{Broker: p.cfg.Broker, MaxActions: 4, MaxTransactions: 2, MaxSubscriptions: 3}
	g := &player{peers: p, script: script, state: make(map[string]*played)}
	for steps := 0; len(g.script) > 0 && steps < 300; steps++ {
		g.turn()
	}
	for _, s := range g.state {
		settled += s.settled
	}
	conserved(t, p)
	return settled
}

// turn is one move of one client, which may have to connect first.
func (g *player) turn() {
	g.conn = [...]string{"A", "B"}[g.next(2)] + strconv.Itoa(g.born)
	s := g.state[g.conn]
	if s == nil {
		s = &played{version: g.next(3), subs: make(map[int]bool), txs: make(map[int]bool)}
		g.state[g.conn] = s
		g.connect(g.conn, "1."+strconv.Itoa(s.version))
	}
	if g.closed(g.conn) { // others come, under other names
		g.born++
		delete(g.conns, g.conn)
		return
	}
	g.move(s)
	g.learn(s)
}

func (g *player) move(s *played) {
	n := g.next(4)
	id := strconv.Itoa(n)
	in := ""
	if s.txs[n] {
		in = " transaction:" + id
	}
	switch g.next(12) {
	case 0, 1:
		destination := [...]string{"/queue/a", "/topic/a", "/temp-queue/t"}[g.next(3)]
		mode := [...]string{"auto", "client", "client-individual"}[g.next(min(3, 2+s.version))]
		g.frame(g.conn, "SUBSCRIBE destination:"+destination+" id:"+id+" ack:"+mode+" prefetch-count:"+strconv.Itoa(1+g.next(5)), "")
	case 2:
		g.frame(g.conn, [...]string{"UNSUBSCRIBE id:" + id, "DISCONNECT receipt:1"}[g.next(20)/19], "")
	case 3, 4, 5:
		destination := [...]string{"/queue/a", "/queue/a reply-to:/temp-queue/t", "/topic/a"}[g.next(3)]
		g.frame(g.conn, "SEND receipt:1 destination:"+destination+in, strings.Repeat("x", n*800))
	case 6:
		if s.txs[n] {
			g.frame(g.conn, [...]string{"COMMIT", "ABORT"}[g.next(2)]+" transaction:"+id, "")
		} else {
			g.frame(g.conn, "BEGIN transaction:"+id, "")
		}
		s.txs[n] = !s.txs[n]
	case 7, 8, 9:
		if len(s.acks) > 0 {
			command := [...]string{"ACK", "ACK", "NACK", "NACK requeue:false"}[g.next(2+min(s.version, 1)*2)]
			g.frame(g.conn, command+" "+s.acks[g.next(len(s.acks))]+in, "")
			s.settled++
		}
	case 10:
		g.advance(g.conn, 100*time.Millisecond)
	case 11:
		if g.next(5) == 0 {
			g.reset(g.conn)
		}
	}
}

// learn takes what the client received, and how it may be acknowledged.
func (g *player) learn(s *played) {
	for _, f := range g.frames[g.conn] {
		if f.Command != "MESSAGE" {
			continue
		}
		ack, has := f.Headers.Lookup("ack")
		switch {
		case has:
			s.acks = append(s.acks, "id:"+strings.Clone(ack))
		case s.version < 2:
			s.acks = append(s.acks, "message-id:"+f.Headers.Get("message-id")+" subscription:"+f.Headers.Get("subscription"))
		}
	}
	g.frames[g.conn] = nil
}

// conserved closes all sessions and counts: every message of the queue is in it, was accepted, or is dead.
func conserved(t *testing.T, p *peers) {
	t.Helper()
	for name := range p.conns {
		if !p.closed(name) {
			require.NoError(t, p.conn(name).Channel().Close())
		}
	}
	p.pump()
	s := p.broker.Stats()
	require.Zero(t, s.Consumers)
	require.Zero(t, s.Unsettled)
	p.broker.Destinations(func(d broker.DestinationStats) bool {
		require.Equal(t, d.Published, d.Acknowledged+d.Dead+d.Dropped+uint64(d.Messages), d.Name)
		return true
	})
	p.broker.Close() // what it has may lie in memory of the clients' loops
}

func FuzzSessions(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomOctets(seed, 100))
	}
	f.Fuzz(func(t *testing.T, script []byte) { play(t, script) })
}

// FuzzOctets sends anything, before and behind CONNECT.
func FuzzOctets(f *testing.F) {
	f.Add([]byte("CONNECT\n\n\x00"), false)
	f.Add([]byte("SEND\ndestination:/queue/a\nreply-to:/temp-queue/x\n\nbody\x00\n\nDISCONNECT\n\n\x00"), true)
	f.Add([]byte("SUBSCRIBE\nid:1\ndestination:/topic/#\nack:client\n\n\x00ACK\nid:1-1\n\n\x00"), true)
	f.Add([]byte("BEGIN\ntransaction:t\n\n\x00SEND\ndestination:d\ntransaction:t\n\n\x00COMMIT\ntransaction:t\n\n\x00"), true)
	f.Fuzz(func(t *testing.T, octets []byte, connected bool) {
		p := newPeers(t)
		if connected {
			p.connect("A", "1.2")
		}
		p.send("A", string(octets))
		conserved(t, p)
	})
}

// Long random scripts of the kind that the fuzzer plays.
func TestRandomSessionsLoseNothing(t *testing.T) {
	settled := 0
	for seed := range uint64(40) {
		settled += play(t, randomOctets(seed, 800))
	}
	require.Greater(t, settled, 40, "the scripts do something")
}
