package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"pgregory.net/rapid"
)

// Random actions inside callbacks, compared with a model that is a plain list of places and a list of what was
// written. A script of numbers, drawn beforehand, decides everything: what a callback does must not depend on a
// draw that may panic inside the pipeline.

func TestRandomActionsInCallbacksMatchTheModel(t *testing.T) {
	variants := uint64(4)
	if buffer.Debug {
		variants = 1 // each access is checked: it takes ten times as long
	}
	for _, manual := range []bool{false, true} {
		for _, half := range []bool{false, true} {
			t.Run(fmt.Sprintf("manual flush %v, half-close %v", manual, half), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					seeds := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(rt, "seeds")
					for variant := range variants {
						m := &model{script: script(append([]uint64{variant}, seeds...)), manual: manual, half: half}
						m.run()
						if len(m.problems) > 0 {
							rt.Fatalf("variant %d: %s", variant, strings.Join(m.problems, "\n"))
						}
					}
				})
			})
		}
	}
}

// script makes fifty numbers of each seed: even ones, which rapid itself does not draw.
func script(seeds []uint64) []uint16 {
	var numbers []uint16
	for i, seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, uint64(i)))
		for range 50 {
			numbers = append(numbers, uint16(rnd.Uint32()))
		}
	}
	return numbers
}

// model is what should be true, and the channel that it is true of.
type model struct {
	script       []uint16
	manual, half bool
	ch           *embedded.Channel

	head, tail *seat
	first      *observer // never leaves: sees what comes from the socket
	last       *observer // never leaves: sees what comes from the tail
	actors     []*actor
	want       map[any]*seat // where a message that travels must be seen next

	all    []*item // every write
	closes []*item // every close
	items  []*item // what the head took, in order
	sends  []*item // what other goroutines wrote and the loop has not begun
	mark   int     // items before it are flushed, in manual mode
	okUpTo int     // index behind the last item that succeeded

	fed       strings.Builder
	delivered int // bytes of fed that handlers have seen
	wire      strings.Builder
	ended     bool // our side is closed
	blocked   bool // the peer takes nothing
	told      bool // unwritable, as handlers know
	active    int
	inactive  int
	tearing   bool
	peerEnded bool
	depth     int
	problems  []string
	timers    []*pipeline.Timer
	c         *pipeline.Channel
	n         int // of actors and writes, for their names
}

// item is one write.
type item struct {
	text      string
	buf       *buffer.Buffer // while it travels
	p         *pipeline.Promise
	results   []error
	accepted  int // place in items, -1 = not accepted
	cancelled bool
	flushed   bool
}

func (m *model) problem(format string, args ...any) {
	if len(m.problems) < 10 {
		m.problems = append(m.problems, fmt.Sprintf(format, args...))
	}
}

func (m *model) check(ok bool, format string, args ...any) {
	if !ok {
		m.problem(format, args...)
	}
}

// pick takes a number below n off the script; 0 when that has ended.
func (m *model) pick(n int) int {
	if len(m.script) == 0 {
		return 0
	}
	v := int(m.script[0]) % n
	m.script = m.script[1:]
	return v
}

func (m *model) run() {
	m.want = map[any]*seat{}
	m.head, m.tail = &seat{name: "head", open: true, writes: true}, &seat{name: "tail", open: true, reads: true}
	m.head.next, m.tail.prev = m.tail, m.head
	m.first, m.last = newObserver(m, "first"), newObserver(m, "last")
	m.link(m.head, m.first.place, m.last.place)
	cfg := embedded.Config{Options: pipeline.Options{
		ManualFlush: m.manual, AllowHalfClose: m.half, WriteHigh: 600, WriteLow: 300, Linger: time.Second, WriteStall: 20 * time.Second,
	}}
	ch, err := embedded.NewInit(cfg, func(ch *pipeline.Channel) error {
		m.c = ch
		return ch.Pipeline().AddLast(m.first, m.last)
	})
	if err != nil {
		m.problem("set-up: %v", err)
		return
	}
	m.ch = ch
	for len(m.script) > 0 && len(m.problems) == 0 {
		m.step()
		m.atRest()
	}
	left, _ := m.ch.Finish()
	m.wire.WriteString(m.ch.WireString())
	m.atEnd(left)
}

// step is something from outside.
func (m *model) step() {
	ch := m.ch
	switch m.pick(12) {
	case 0, 1, 2:
		m.feed()
	case 3:
		ch.AcceptBytes(m.pick(900))
		m.blocked = true
	case 4, 5:
		ch.Unblock()
		m.blocked = false
	case 6:
		ch.AdvanceTime(time.Duration(m.pick(3)) * time.Second)
	case 7, 8:
		m.post()
	case 9:
		m.send()
	case 10:
		if m.pick(6) == 0 && !ch.Closed() {
			m.peerEnded = true
			[]func(){ch.PeerClose, ch.PeerReset, func() { ch.FailWrite(syscall.EPIPE) }}[m.pick(3)]()
		}
	default:
		m.post()
		m.send()
	}
	ch.RunPending()
	m.wire.WriteString(ch.WireString())
}

func (m *model) feed() {
	if m.peerEnded || m.ch.Closed() || !m.ch.Channel().IsOpen() {
		return
	}
	text := fmt.Sprintf("(%d)", m.fed.Len()) + strings.Repeat("r", m.pick(3000))
	m.fed.WriteString(text)
	wanted, before := m.ch.Channel().Reading(), m.delivered
	if err := m.ch.FeedString(text); err != nil {
		m.problem("feed: %v", err)
	}
	if !wanted {
		m.check(m.delivered == before, "read although nobody wanted it")
	}
}

// atRest checks what must be true when the loop has nothing more to do.
func (m *model) atRest() {
	c := m.ch.Channel()
	flushed, all := 0, 0
	for i, it := range m.items {
		if it.cancelled {
			told := len(it.results) == 1
			m.check(told || m.manual && i >= m.mark || m.ended, "%.20q is cancelled and not told so", it.text)
			continue
		}
		all += len(it.text)
		if i < m.mark {
			flushed += len(it.text)
		}
	}
	written := m.ch.Written()
	m.check(written == m.wire.Len(), "wire has %d bytes, the socket took %d", m.wire.Len(), written)
	if c.Closed() || !c.IsOpen() || m.ended {
		return
	}
	if m.manual {
		m.check(written <= flushed, "%d bytes sent, %d flushed", written, flushed)
	}
	if !m.blocked && m.manual {
		m.check(written == flushed, "%d bytes sent of %d flushed", written, flushed)
	}
	if !m.blocked && !m.manual {
		m.check(written == all, "%d bytes sent of %d", written, all)
	}
	if c.Reading() && !m.peerEnded {
		m.check(m.ch.Unread() == 0, "%d bytes left unread", m.ch.Unread())
	}
	m.check(!m.told || !c.Reading(), "reading goes on above the high mark")
	m.check(m.told == !c.Writable(), "writable %v, handlers think otherwise", c.Writable())
	m.check(len(m.sends) == 0, "%d writes of others not begun", len(m.sends))
	m.check(len(m.want) == 0, "%d messages on their way", len(m.want))
}

// atEnd checks the whole story.
func (m *model) atEnd(left embedded.Leftovers) {
	m.check(len(left.Buffers)+len(left.Inbound)+len(left.Promises)+len(left.Timers) == 0, "left: %+v", left)
	m.check(m.active == 1 && m.inactive == 1, "active %d times, inactive %d times", m.active, m.inactive)
	for _, a := range m.actors {
		m.check(a.added == a.removed && a.added <= 1, "%s added %d, removed %d times", a.place.name, a.added, a.removed)
	}
	expected := ""
	for i, it := range m.items {
		m.check(it.accepted == i, "item %d counted as %d", i, it.accepted)
		if it.cancelled {
			m.ends(it, pipeline.ErrCancelled)
			continue
		}
		expected += it.text
		switch {
		case len(expected) > m.wire.Len():
			m.ends(it, pipeline.ErrClosed)
		case it.text != "" || len(expected) < m.wire.Len():
			m.ends(it, nil)
		} // an empty one at the very end may have been flushed or not
	}
	for _, it := range m.all {
		m.check(it.p == nil || len(it.results) == 1, "promise of %.20q completed %d times", it.text, len(it.results))
	}
	for _, it := range m.closes {
		m.check(len(it.results) == 1, "close %s completed %d times", it.text, len(it.results))
	}
	m.check(strings.HasPrefix(expected, m.wire.String()), "wire %.60q, want a prefix of %.60q", m.wire.String(), expected)
}

// ends checks how a write ended, if anybody wanted to know.
func (m *model) ends(it *item, want error) {
	if it.p == nil {
		return
	}
	for _, got := range it.results {
		m.check(ending(got) == ending(want), "promise of %.20q: %v, want %v", it.text, got, want)
	}
}
