package server_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

// beating connects A with a heart-beat header.
func beating(p *peers, header string) {
	p.t.Helper()
	p.send("A", "CONNECT\naccept-version:1.1\nhost:h\nheart-beat:"+header+"\n\n\x00")
	require.Equal(p.t, stomp.CommandConnected, p.take("A").Command)
}

// beats lets time pass and returns when line ends came, in whole steps.
func beats(p *peers, steps int, step time.Duration) (at []int) {
	p.t.Helper()
	for i := range steps {
		p.conn("A").AdvanceTime(step)
		wire := p.conn("A").Wire()
		for range wire {
			at = append(at, i+1)
		}
		if len(wire) > 0 {
			require.Equal(p.t, "\n", wire, "exactly one LF at a time")
		}
	}
	return at
}

func TestHeartBeatsAreNegotiatedAndSent(t *testing.T) {
	for name, c := range map[string]struct {
		client string
		server stomp.HeartBeat
		every  time.Duration // 0 = never
	}{
		"the client is slower":  {"0,4000", stomp.HeartBeat{Send: time.Second}, 4 * time.Second},
		"the server is slower":  {"0,1000", stomp.HeartBeat{Send: 4 * time.Second}, 4 * time.Second},
		"default":               {"0,1000", stomp.HeartBeat{}, 10 * time.Second},
		"the client wants none": {"0,0", stomp.HeartBeat{Send: time.Second}, 0},
		"the server has none":   {"0,1000", stomp.HeartBeat{Send: -1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.cfg.HeartBeat = c.server
			beating(p, c.client)
			step := 100 * time.Millisecond
			at := beats(p, 1000, step)
			if c.every == 0 {
				require.Empty(t, at)
				return
			}
			last := 0
			for _, i := range append(at, 1000) {
				require.LessOrEqual(t, time.Duration(i-last)*step, c.every, "never later than promised")
				last = i
			}
			require.LessOrEqual(t, len(at), int(1000*step/(c.every*7/10)), "and not much too often")
		})
	}
}

func TestAnIdleSideOnlySendsHeartBeats(t *testing.T) {
	p := newPeers(t)
	p.cfg.HeartBeat = stomp.HeartBeat{Send: time.Second}
	beating(p, "0,1000")
	for i := range 50 { // receipts are signs of life themselves
		p.conn("A").AdvanceTime(200 * time.Millisecond)
		require.Empty(t, p.conn("A").Wire(), "step %d", i)
		p.frame("A", "BEGIN transaction:"+strconv.Itoa(i)+" receipt:r", "")
		p.frame("A", "ABORT transaction:"+strconv.Itoa(i), "")
		require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
	}
	require.NotEmpty(t, beats(p, 10, 100*time.Millisecond))
}

func TestASilentClientIsCutOff(t *testing.T) {
	for tolerance, window := range map[float64][2]time.Duration{
		0: {1500 * time.Millisecond, 2 * time.Second}, 3: {3 * time.Second, 3500 * time.Millisecond},
	} {
		p := newPeers(t)
		p.cfg.HeartBeat = stomp.HeartBeat{Send: -1, Receive: time.Second}
		p.cfg.Tolerance = tolerance
		beating(p, "1000,0")
		p.advance("A", window[0]-time.Millisecond)
		require.False(t, p.closed("A"))
		p.advance("A", window[1]-window[0]+time.Millisecond)
		p.refused("A", "no heart-beat in time")
	}
}

func TestAnyOctetIsASignOfLife(t *testing.T) {
	for name, octets := range map[string]string{"line ends": "\n", "half a frame": "S"} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.cfg.HeartBeat = stomp.HeartBeat{Send: -1, Receive: time.Second}
			beating(p, "1000,0")
			for i := range 20 {
				p.advance("A", time.Second)
				require.False(t, p.closed("A"))
				if i == 0 {
					p.send("A", octets)
				} else {
					p.send("A", map[bool]string{true: "\n", false: "X"}[octets == "\n"])
				}
			}
			p.advance("A", 2*time.Second)
			require.True(t, p.closed("A"))
		})
	}
}

func TestAClientThatPromisesNothingMayBeSilent(t *testing.T) {
	p := newPeers(t)
	beating(p, "0,0")
	p.advance("A", time.Hour)
	require.False(t, p.closed("A"))
	require.Empty(t, p.got("A"))
}

// While we do not read we can't hear: silence counts from when reading goes on.
func TestSilenceDoesNotCountWhileReadingPauses(t *testing.T) {
	p := newPeers(t)
	p.cfg.HeartBeat = stomp.HeartBeat{Send: -1, Receive: time.Second}
	var done func(error)
	p.cfg.MaxUnanswered = 1
	p.cfg.Publish = func(_ *server.Session, m *broker.Message, d func(error)) {
		m.Release()
		done = d
	}
	beating(p, "1000,0")
	p.frame("A", "SEND destination:/queue/a receipt:r", "x")
	require.False(t, p.conn("A").Channel().Reading())
	p.advance("A", time.Minute)
	require.False(t, p.closed("A"))
	done(nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
	p.advance("A", time.Second)
	require.False(t, p.closed("A"))
	p.advance("A", time.Second)
	p.refused("A", "no heart-beat in time")
}

// A peer that takes nothing has no use for more line ends.
func TestNoHeartBeatsQueueUpBehindAStalledSocket(t *testing.T) {
	p := newPeers(t)
	p.cfg.HeartBeat = stomp.HeartBeat{Send: time.Second}
	beating(p, "0,1000")
	p.conn("A").Block()
	p.conn("A").AdvanceTime(20 * time.Second)
	require.LessOrEqual(t, p.conn("A").Channel().Pending(), 1)
	p.conn("A").Unblock()
	p.conn("A").RunPending()
	require.Equal(t, "\n", p.conn("A").Wire())
}
