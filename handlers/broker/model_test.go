package broker

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// The model is slow and plain: lists that are searched from the front. Every operation changes the model first, and each
// delivery that comes meanwhile is checked against it.

// modelMessage is one message in one backlog.
type modelMessage struct {
	body            string
	shown           bool // to a consumer, before it came back
	failed          int
	waiting, inside bool // inside: not accepted, dropped or dead
}

// modelQueue is a queue, or the backlog of one subscription.
type modelQueue struct {
	name      string
	wild      bool
	odd       bool // takes only bodies with an odd number
	topic     bool
	ended     bool
	policy    Policy
	messages  []*modelMessage
	consumers []*modelConsumer

	accepted, dropped, dead, taken uint64
}

type modelConsumer struct {
	t         *rapid.T
	queue     *modelQueue
	real      *Consumer
	credit    int
	tag       uint64
	unsettled []*Delivery
	closed    error
	open      bool
}

type modelPause struct {
	queues []*modelQueue
	lowest []int
	called bool
}

type world struct {
	t      *rapid.T
	broker *Broker
	queues []*modelQueue
	pauses []*modelPause
	bodies int
}

const (
	modelMax   = 8
	modelTries = 2
)

func (q *modelQueue) held() (n int) {
	for _, m := range q.messages {
		if m.inside {
			n++
		}
	}
	return n
}

func (q *modelQueue) find(d *Delivery) *modelMessage {
	body := d.Message.Text()
	i := slices.IndexFunc(q.messages, func(m *modelMessage) bool { return m.body == body })
	return q.messages[i]
}

func (q *modelQueue) firstWaiting() *modelMessage {
	for _, m := range q.messages {
		if m.inside && m.waiting {
			return m
		}
	}
	return nil
}

// got is the Deliver function.
func (c *modelConsumer) got(d *Delivery) {
	m := c.queue.find(d)
	require.Same(c.t, c.queue.firstWaiting(), m, "the oldest that waits")
	require.Positive(c.t, c.credit, "credit")
	c.credit--
	c.tag++
	require.Equal(c.t, c.tag, d.Tag)
	require.Equal(c.t, m.shown, d.Redelivered, "redelivered mark of %q", m.body)
	require.Equal(c.t, m.failed+1, d.Count)
	require.Nil(c.t, d.Next)
	require.NoError(c.t, c.closed)
	m.waiting = false
	c.unsettled = append(c.unsettled, d)
}

func (w *world) attach(name string) {
	c := &modelConsumer{t: w.t, open: true, credit: rapid.IntRange(0, 3).Draw(w.t, "credit")}
	policy := rapid.SampledFrom([]Policy{PolicyPause, PolicyDropOldest, PolicyDisconnect}).Draw(w.t, "policy")
	var q *modelQueue
	if !strings.HasPrefix(name, "/topic") {
		for _, other := range w.queues {
			if other.name == name {
				q = other
			}
		}
	}
	if q == nil {
		q = &modelQueue{name: name, topic: strings.HasPrefix(name, "/topic"), wild: strings.HasSuffix(name, "*"), policy: policy}
		w.queues = append(w.queues, q)
	}
	cfg := ConsumerConfig{Deliver: c.got, Credit: c.credit, Policy: policy, MaxMessages: modelMax}
	cfg.Closed = func(err error) { c.closed = err }
	if q.topic {
		if q.odd = rapid.Bool().Draw(w.t, "filter"); q.odd {
			cfg.Filter = func(m *Message) bool { return isOdd(m.Text()) }
		}
	} else {
		q.policy = PolicyPause
	}
	c.queue = q
	q.consumers = append(q.consumers, c)
	var err error
	c.real, err = w.broker.Attach(name, cfg)
	require.NoError(w.t, err)
}

// targets are the backlogs that a message for name enters.
func (w *world) targets(name string) (list []*modelQueue) {
	if !strings.HasPrefix(name, "/topic") {
		for _, q := range w.queues {
			if q.name == name {
				return []*modelQueue{q}
			}
		}
		q := &modelQueue{name: name, policy: PolicyPause}
		w.queues = append(w.queues, q)
		return []*modelQueue{q}
	}
	for _, q := range w.queues {
		if q.topic && !q.ended && (q.name == name || q.wild) {
			list = append(list, q)
		}
	}
	return list
}

// enter puts a message into the model and returns its body.
func (w *world) enter(targets []*modelQueue) string {
	w.bodies++
	body := strconv.Itoa(w.bodies)
	for _, q := range targets {
		if q.odd && !isOdd(body) {
			continue
		}
		if q.policy == PolicyDisconnect && q.held() >= modelMax {
			q.ended = true
			q.taken++
			q.dropped += uint64(q.held()) + 1
			continue
		}
		q.taken++
		q.messages = append(q.messages, &modelMessage{body: body, waiting: true, inside: true})
	}
	return body
}

func isOdd(body string) bool { return strings.ContainsAny(body[len(body)-1:], "13579") }

func (w *world) full(targets []*modelQueue) bool {
	return slices.ContainsFunc(targets, func(q *modelQueue) bool { return q.policy == PolicyPause && q.held() >= modelMax })
}

func (w *world) publish(name string) {
	targets := w.targets(name)
	if w.full(targets) {
		_, err := w.broker.Publish(message(name, "refused"))
		require.ErrorIs(w.t, err, ErrFull)
		return
	}
	body := w.enter(targets)
	p, err := w.broker.Publish(message(name, body))
	require.NoError(w.t, err)
	w.after(taking(targets, body), p)
}

// taking are those of targets that a message with that body enters.
func taking(targets []*modelQueue, body string) []*modelQueue {
	return slices.DeleteFunc(targets, func(q *modelQueue) bool { return q.odd && !isOdd(body) })
}

// after does what follows a publication: the oldest are dropped, slow ones have ended, and a pause is due.
func (w *world) after(targets []*modelQueue, p *Pause) {
	var over []*modelQueue
	for _, q := range targets {
		for q.policy == PolicyDropOldest && q.held() > modelMax && q.firstWaiting() != nil {
			q.firstWaiting().inside = false
			q.dropped++
		}
		if q.ended {
			require.ErrorIs(w.t, q.consumers[0].closed, ErrSlow)
			q.consumers[0].credit = 0
		} else if q.policy == PolicyPause && q.held() > modelMax/2 {
			over = append(over, q)
		}
	}
	require.Equal(w.t, len(over) > 0, p != nil, "a pause when somebody is behind")
	if p == nil {
		return
	}
	pause := &modelPause{queues: over}
	for _, q := range over {
		pause.lowest = append(pause.lowest, q.held())
	}
	w.pauses = append(w.pauses, pause)
	p.OnResume(func() { pause.called = true })
}

// settle settles one delivery of c.
func (w *world) settle(c *modelConsumer) {
	i := rapid.IntRange(0, len(c.unsettled)-1).Draw(w.t, "delivery")
	d := c.unsettled[i]
	c.unsettled = slices.Delete(c.unsettled, i, i+1)
	m := c.queue.find(d)
	how := rapid.SampledFrom([]outcome{accepted, accepted, withdrawn, released, retried, rejected}).Draw(w.t, "outcome")
	live := !c.queue.ended
	if live {
		w.outcome(c.queue, m, how)
	}
	switch how {
	case accepted:
		if grant := rapid.Bool().Draw(w.t, "and grant"); grant {
			if live {
				c.credit++
			}
			require.Equal(w.t, live, d.AcceptAndGrant())
			return
		}
		require.Equal(w.t, live, d.Accept())
	case withdrawn:
		require.Equal(w.t, live, d.Withdraw())
	case released:
		require.Equal(w.t, live, d.Release())
	case retried:
		require.Equal(w.t, live, d.Retry())
	case rejected:
		require.Equal(w.t, live, d.Reject())
	}
}

func (w *world) outcome(q *modelQueue, m *modelMessage, how outcome) {
	if how == retried {
		m.failed++
	}
	m.shown = m.shown || how == released || how == retried
	switch {
	case how == accepted:
		m.inside = false
		q.accepted++
	case how == rejected, how == retried && m.failed >= modelTries:
		m.inside = false
		q.dead++
	default:
		m.waiting = true
	}
}

func (w *world) close(c *modelConsumer) {
	c.open = false
	for _, d := range c.unsettled {
		if !c.queue.topic {
			m := c.queue.find(d)
			m.waiting, m.shown = true, true
		}
	}
	stale := c.unsettled
	c.unsettled, c.credit = nil, 0
	c.queue.consumers = slices.DeleteFunc(c.queue.consumers, func(o *modelConsumer) bool { return o == c })
	if c.queue.topic && !c.queue.ended {
		c.queue.ended = true
		c.queue.dropped += uint64(c.queue.held())
	}
	c.real.Close()
	for _, d := range stale {
		require.False(w.t, d.Accept(), "it went away with its consumer")
	}
}

// transact accepts some deliveries and publishes some messages together, or gives up.
func (w *world) transact(name string) {
	tx := w.broker.Begin()
	commit := rapid.Bool().Draw(w.t, "commit")
	targets := w.targets(name)
	commit = commit && !w.full(targets)
	type part struct {
		c *modelConsumer
		d *Delivery
	}
	var parts []part
	for _, c := range w.open() {
		if len(c.unsettled) > 0 && rapid.Bool().Draw(w.t, "take part") {
			d := c.unsettled[0]
			require.NoError(w.t, tx.Accept(d))
			require.False(w.t, d.Retry(), "it belongs to the transaction")
			parts = append(parts, part{c, d})
		}
	}
	if !commit {
		require.NoError(w.t, tx.Publish(message(name, "aborted")))
		tx.Abort()
		return
	}
	for _, p := range parts {
		p.c.unsettled = p.c.unsettled[1:]
		if !p.c.queue.ended {
			w.outcome(p.c.queue, p.c.queue.find(p.d), accepted)
		}
	}
	body := w.enter(targets)
	require.NoError(w.t, tx.Publish(message(name, body)))
	p, err := tx.Commit()
	require.NoError(w.t, err)
	w.after(taking(targets, body), p)
}

func (w *world) open() (list []*modelConsumer) {
	for _, q := range w.queues {
		list = append(list, q.consumers...)
	}
	return list
}

var modelNames = []string{"/queue/a", "/queue/b", "/topic/a", "/topic/b"}

func (w *world) step() {
	all := w.open()
	op := rapid.IntRange(0, 15).Draw(w.t, "operation")
	if len(all) == 0 {
		op = rapid.SampledFrom([]int{0, 2}).Draw(w.t, "first")
	}
	if op <= 1 {
		if len(all) < 8 {
			w.attach(rapid.SampledFrom(append([]string{"/topic/*"}, modelNames...)).Draw(w.t, "attach to"))
		}
		return
	}
	name := rapid.SampledFrom(modelNames).Draw(w.t, "destination")
	if op <= 5 {
		w.publish(name)
		return
	}
	if op == 6 {
		w.transact(name)
		return
	}
	c := rapid.SampledFrom(all).Draw(w.t, "consumer")
	switch {
	case op == 7 && rapid.Bool().Draw(w.t, "close"):
		w.close(c)
	case op == 8 && rapid.Bool().Draw(w.t, "drain"):
		require.Equal(w.t, c.credit, c.real.Drain())
		c.credit = 0
	case op <= 8:
		n := rapid.IntRange(1, 3).Draw(w.t, "grant")
		if !c.queue.ended {
			c.credit += n
		}
		c.real.Grant(n)
	case len(c.unsettled) > 0:
		w.settle(c)
	}
}

// check compares the broker with the model after an operation.
func (w *world) check() {
	var messages, unsettled, consumers, destinations int
	var want, got counts
	for _, q := range w.queues {
		want.add(counts{published: q.taken, acknowledged: q.accepted, dropped: q.dropped, dead: q.dead})
		consumers += len(q.consumers)
		if q.ended {
			continue
		}
		waiting := 0
		for _, m := range q.messages {
			if m.inside && m.waiting {
				waiting++
			}
		}
		held := q.held()
		messages += held
		unsettled += held - waiting
		if !q.topic && (held > 0 || len(q.consumers) > 0) {
			destinations++
		}
		for _, c := range q.consumers {
			s := c.real.Stats()
			require.Equal(w.t, []int{waiting, len(c.unsettled), c.credit}, []int{s.Backlog, s.Unsettled, s.Credit})
			require.False(w.t, waiting > 0 && c.credit > 0, "nobody with credit waits while a message does")
		}
	}
	s := w.broker.Stats()
	got = counts{acknowledged: s.Acknowledged, dropped: s.Dropped, dead: s.Dead, published: want.published}
	require.Equal(w.t, want, got)
	require.Equal(w.t, []int{messages, unsettled}, []int{s.Messages, s.Unsettled})
	require.Equal(w.t, want.published, want.acknowledged+want.dropped+want.dead+uint64(messages), "nothing is lost")
	require.GreaterOrEqual(w.t, s.Destinations, destinations)
	w.checkPauses()
}

func (w *world) checkPauses() {
	for _, p := range w.pauses {
		ready := true
		for i, q := range p.queues {
			if p.lowest[i] = min(p.lowest[i], q.held()); !q.ended && p.lowest[i] > modelMax/4 {
				ready = false
			}
		}
		if ready {
			require.True(w.t, p.called, "publishers go on when a quarter is left")
		}
	}
	w.pauses = slices.DeleteFunc(w.pauses, func(p *modelPause) bool { return p.called })
}

func TestBrokerDoesWhatTheModelDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := buffer.SharedStats().Live
		w := &world{t: t, broker: &Broker{MaxMessages: modelMax, MaxDeliveries: modelTries}}
		for range rapid.IntRange(1, 200).Draw(t, "operations") {
			w.step()
			w.check()
		}
		for _, c := range w.open() {
			w.close(c)
			w.check()
		}
		w.broker.Close()
		s := w.broker.Stats()
		require.Zero(t, s.Messages+s.Destinations+s.Consumers+int(s.StoredBytes)+int(w.broker.consumers.Load()))
		require.Equal(t, before, buffer.SharedStats().Live, "live buffers after %d messages", w.bodies)
	})
}
