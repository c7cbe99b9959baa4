package transport_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// embeddedStage runs the suite over memory, in the goroutine of the test.
type embeddedStage struct {
	peers []*embeddedPeer
}

func (s *embeddedStage) connect(t *testing.T, opts *pipeline.Options, init func(*pipeline.Channel) error) peer {
	t.Helper()
	p := &embeddedPeer{stage: s, t: t}
	ch, err := embedded.NewInit(embedded.Config{Options: *opts}, init)
	require.NoError(t, err)
	p.ch = ch
	s.peers = append(s.peers, p)
	ch.PeerLingers(true)
	p.take()
	return p
}

// await runs all channels, and waits for other goroutines in between.
func (s *embeddedStage) await(done func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		for _, p := range s.peers {
			p.ch.RunPending()
		}
		if done() {
			return true
		}
		if len(s.peers) == 0 {
			continue
		}
		short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		_ = s.peers[0].ch.RunUntil(short, done) // others are looked at in the next round
		cancel()
	}
	return false
}

func (s *embeddedStage) advance(d time.Duration) {
	for _, p := range s.peers {
		p.ch.AdvanceTime(d)
	}
}

func (s *embeddedStage) bind() {
	for _, p := range s.peers {
		p.ch.Bind()
	}
}

func (s *embeddedStage) close() {
	for _, p := range s.peers {
		p.ch.Channel().CloseWith(pipeline.CloseNow, nil)
		p.ch.RunPending()
		_, _ = p.ch.Finish() // the suite has its own checks
	}
}

// embeddedPeer plays the peer of one embedded channel. Like a kernel it takes a limited number of bytes
// ahead of its reader.
type embeddedPeer struct {
	stage *embeddedStage
	t     *testing.T
	ch    *embedded.Channel
	taken []byte
}

// take fetches what was written, and makes room.
func (p *embeddedPeer) take() {
	p.taken = append(p.taken, p.ch.Wire()...)
	p.ch.AcceptBytes(kernelBuffer)
}

func (p *embeddedPeer) send(s string) { _ = p.ch.FeedString(s) } // the channel may be closed

func (p *embeddedPeer) recv(n int) string {
	p.t.Helper()
	p.stage.await(func() bool {
		p.take()
		return len(p.taken) >= n || p.ended()
	})
	n = min(n, len(p.taken))
	s := string(p.taken[:n])
	p.taken = p.taken[n:]
	return s
}

func (p *embeddedPeer) ended() bool { return p.ch.FINSent() || p.ch.Closed() }

func (p *embeddedPeer) recvAll() (string, error) {
	p.t.Helper()
	if !p.stage.await(func() bool { p.take(); return p.ended() }) {
		return "", context.DeadlineExceeded
	}
	p.take()
	s := string(p.taken)
	p.taken = nil
	if p.ch.ResetSent() {
		return s, syscall.ECONNRESET
	}
	return s, nil
}

func (p *embeddedPeer) closeWrite() { p.ch.PeerClose() }

func (p *embeddedPeer) close() { p.ch.PeerClose() }

func (p *embeddedPeer) reset() { p.ch.PeerReset() }

func (p *embeddedPeer) refuse(s string) {
	p.send(s)
	p.ch.FailWrite(syscall.EPIPE)
}
