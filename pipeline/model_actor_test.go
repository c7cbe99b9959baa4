package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// seat is the model's context: what is dead keeps the neighbours of its end.
type seat struct {
	name          string
	prev, next    *seat
	reads, writes bool
	open, dead    bool // open: HandleAdded has returned
}

// link puts places behind at.
func (m *model) link(at *seat, added ...*seat) {
	for _, p := range added {
		p.prev, p.next = at, at.next
		at.next.prev, at.next = p, p
		at = p
	}
}

func (m *model) unlink(p *seat) {
	p.prev.next, p.next.prev = p.next, p.prev
	p.dead = true
}

func (m *model) nextReader(p *seat) *seat {
	for p = p.next; p != m.tail && (p.dead || !p.open || !p.reads); {
		p = p.next
	}
	return p
}

func (m *model) nextActor(p *seat) *seat {
	for p = p.next; p != m.tail && (p.dead || !p.open); {
		p = p.next
	}
	return p
}

func (m *model) prevWriter(p *seat) *seat {
	for p = p.prev; p != m.head && (p.dead || !p.open || !p.writes); {
		p = p.prev
	}
	return p
}

// actor is what all handlers of the model have in common.
type actor struct {
	m              *model
	place          *seat
	ctx            *pipeline.Context
	added, removed int
}

// The kinds of handlers. None of them is a reader and writer by the same method set.
type (
	inActor   struct{ *actor }
	outActor  struct{ *actor }
	bothActor struct{ *actor }
	observer  struct{ bothActor }
)

func (m *model) newActor(name string, reads, writes bool) *actor {
	m.n++
	a := &actor{m: m, place: &seat{name: fmt.Sprintf("%s%d", name, m.n), reads: reads, writes: writes}}
	m.actors = append(m.actors, a)
	return a
}

func newObserver(m *model, name string) *observer {
	return &observer{bothActor{m.newActor(name, true, true)}}
}

// newHandlers makes one or two handlers of any kind.
func (m *model) newHandlers() (handlers []pipeline.Handler, places []*seat) {
	for range 1 + m.pick(2) {
		switch m.pick(3) {
		case 0:
			a := m.newActor("in", true, false)
			handlers, places = append(handlers, &inActor{a}), append(places, a.place)
		case 1:
			a := m.newActor("out", false, true)
			handlers, places = append(handlers, &outActor{a}), append(places, a.place)
		default:
			a := m.newActor("both", true, true)
			handlers, places = append(handlers, &bothActor{a}), append(places, a.place)
		}
	}
	return handlers, places
}

// hears checks that the handler may be called with an inbound event.
func (a *actor) hears(what string) {
	ok := a.added == 1 && a.removed == 0 && a.m.inactive == 0 && a.place.open && !a.place.dead
	a.m.check(ok, "%s hears %s: added %d, removed %d, inactive %d", a.place.name, what, a.added, a.removed, a.m.inactive)
}

func (a *actor) HandleAdded(ctx *pipeline.Context) error {
	a.ctx = ctx
	a.added++
	a.m.check(!a.place.dead, "%s added after its removal", a.place.name)
	a.m.acts(a)
	a.place.open = !a.place.dead
	return nil
}

func (a *actor) HandleRemoved(*pipeline.Context) error {
	a.removed++
	if !a.place.dead { // nobody removed it: the channel has closed
		a.m.check(a.place.next == a.m.tail, "%s is taken out before those behind it", a.place.name)
		a.m.check(a.m.inactive == 1, "%s is taken out before Inactive", a.place.name)
		a.m.unlink(a.place)
		a.m.tearing = true
	}
	a.m.acts(a)
	return nil
}

func (a *actor) HandleEvent(_ *pipeline.Context, event any) error {
	a.hears("event")
	a.m.check(a.m.want[event] == a.place, "%s hears the event of %v", a.place.name, a.m.want[event])
	delete(a.m.want, event)
	a.m.acts(a)
	return nil
}

func (a *actor) HandleReadComplete(ctx *pipeline.Context) error {
	a.hears("read complete")
	a.m.acts(a)
	if a.m.inactive == 0 {
		ctx.FireReadComplete()
	}
	return nil
}

func (a *inActor) HandleRead(ctx *pipeline.Context, msg any) error   { return a.read(ctx, msg) }
func (a *bothActor) HandleRead(ctx *pipeline.Context, msg any) error { return a.read(ctx, msg) }

func (a *outActor) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	return a.write(ctx, msg, p)
}

func (a *bothActor) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	return a.write(ctx, msg, p)
}

// read gets bytes of the socket, or what another actor fired.
func (a *actor) read(ctx *pipeline.Context, msg any) error {
	m := a.m
	a.hears("read")
	b, ok := msg.(*buffer.Buffer)
	if !ok {
		return fmt.Errorf("read %T", msg)
	}
	if at, fired := m.want[b]; fired {
		m.check(at == a.place, "%s reads what %s should", a.place.name, at.name)
		delete(m.want, b)
	} else {
		m.check(a.place == m.nextReader(m.head), "%s reads from the socket", a.place.name)
		end := m.delivered + b.Len()
		m.check(end <= m.fed.Len() && m.fed.String()[m.delivered:end] == string(b.Bytes()), "bytes of the socket out of order")
		m.delivered = end
	}
	m.acts(a)
	switch m.pick(4) {
	case 0, 1:
		m.fire(a, b)
	case 2:
		m.originate(a, string(b.Bytes()), b)
	default:
		ctx.Release(b)
	}
	return nil
}

// fire passes b on and checks that it arrived where it should.
func (m *model) fire(a *actor, b *buffer.Buffer) {
	target := m.nextReader(a.place)
	if target != m.tail {
		m.want[b] = target
		a.ctx.FireRead(b)
		m.check(m.want[b] == nil, "%s did not get what %s fired", target.name, a.place.name)
		return
	}
	a.ctx.FireRead(b)
	got := m.ch.ReadInbound()
	m.check(got == any(b), "the tail got %v", got)
	if got != nil {
		buffer.Release(got)
	}
}

// travels is a write on its way to an actor.
type travels struct {
	*buffer.Buffer
}

// write gets what another actor wrote, or somebody on another goroutine.
func (a *actor) write(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	m := a.m
	m.check(a.added == 1 && a.removed == 0, "%s writes: added %d, removed %d", a.place.name, a.added, a.removed)
	b, ok := msg.(*buffer.Buffer)
	if !ok {
		return fmt.Errorf("write %T", msg)
	}
	it := m.itemOf(a, b)
	if it == nil {
		ctx.Release(b)
		return errors.New("unknown write")
	}
	m.acts(a)
	return m.forward(a.place, it, b, func() error { return ctx.Forward(b, p) })
}

// itemOf finds out whose write has come to a.
func (m *model) itemOf(a *actor, b *buffer.Buffer) *item {
	if at, ok := m.want[travels{b}]; ok {
		m.check(at == a.place, "%s writes what %s should", a.place.name, at.name)
		delete(m.want, travels{b})
		i := slices.IndexFunc(m.all, func(it *item) bool { return it.buf == b })
		m.check(i >= 0, "nobody wrote this")
		return m.all[max(i, 0)]
	}
	if len(m.sends) == 0 || m.sends[0].buf != b || a != m.last.actor {
		m.problem("%s gets a write out of order", a.place.name)
		return nil
	}
	it := m.sends[0]
	m.sends = m.sends[1:]
	return it
}

// forward does one step of a write, by call, and checks where it leads.
func (m *model) forward(from *seat, it *item, b *buffer.Buffer, call func() error) error {
	target := m.prevWriter(from)
	if target != m.head {
		it.buf = b
		m.want[travels{b}] = target
		err := call()
		m.check(m.want[travels{b}] == nil, "%s did not get what %s wrote", target.name, from.name)
		return err
	}
	it.buf = nil
	takes := m.c.IsOpen() && !m.ended && m.c.Cause() == nil
	if takes {
		it.accepted = len(m.items)
		m.items = append(m.items, it)
	}
	err := call()
	m.check(takes == (err == nil), "the head took %.20q: %v, expected %v", it.text, err == nil, takes)
	return err
}

// originate writes b, or a new buffer, from a's place or from the tail.
func (m *model) originate(a *actor, text string, b *buffer.Buffer) {
	it := m.newItem(text)
	if b == nil {
		b = pooled(m.c, text)
	}
	from, write, writeWith := m.tail, m.c.Pipeline().Write, m.c.Pipeline().WriteWith
	if a != nil && m.pick(3) > 0 {
		from, write, writeWith = a.place, a.ctx.Write, a.ctx.WriteWith
	}
	if m.pick(3) == 0 {
		_ = m.forward(from, it, b, func() error { return write(b) }) // the refusal is checked there
		return
	}
	m.promise(it)
	_ = m.forward(from, it, b, func() error {
		writeWith(b, it.p)
		if it.accepted < 0 {
			return pipeline.ErrClosed
		}
		return nil
	})
}

func (m *model) newItem(text string) *item {
	it := &item{text: text, accepted: -1}
	m.all = append(m.all, it)
	return it
}

// text is what one write says; sometimes it is long, sometimes nothing.
func (m *model) text() string {
	m.n++
	switch m.pick(5) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("<%d>", m.n) + strings.Repeat("w", m.pick(900))
	}
	return fmt.Sprintf("<%d>", m.n)
}

// promise gives it a promise that remembers how it ended, and acts then.
func (m *model) promise(it *item) {
	it.p = m.c.NewPromise()
	it.p.OnDone(func(err error) {
		it.results = append(it.results, err)
		if err == nil && it.accepted >= 0 {
			m.check(it.accepted >= m.okUpTo, "write %d completed after %d", it.accepted, m.okUpTo)
			m.check(m.endOf(it) <= m.ch.Written(), "write %d completed before its last byte", it.accepted)
			m.okUpTo = it.accepted
		}
		m.acts(nil)
	})
}

// endOf is the place of an item's last byte in the stream.
func (m *model) endOf(it *item) int {
	n := 0
	for _, before := range m.items[:it.accepted+1] {
		if !before.cancelled {
			n += len(before.text)
		}
	}
	return n
}

func (o *observer) HandleActive(ctx *pipeline.Context) error {
	if o == o.m.first {
		o.m.active++
	}
	o.m.check(o.added == 1, "active before added")
	ctx.FireActive()
	return nil
}

func (o *observer) HandleInactive(ctx *pipeline.Context) error {
	if o == o.m.first {
		o.m.inactive++
	}
	for _, it := range o.m.items {
		o.m.check(it.p == nil || len(it.results) == 1, "inactive before the promise of %.20q", it.text)
	}
	for _, t := range o.m.timers {
		t.Stop()
	}
	o.m.acts(o.actor)
	ctx.FireInactive()
	return nil
}

func (o *observer) HandleReadClosed(ctx *pipeline.Context) error {
	o.hears("read closed")
	o.m.acts(o.actor)
	ctx.FireReadClosed()
	return nil
}

func (o *observer) HandleWritability(ctx *pipeline.Context) error {
	o.hears("writability")
	if o == o.m.first {
		o.m.check(o.m.c.IsOpen(), "writability after the close has begun")
		o.m.check(o.m.c.Writable() == o.m.told, "writable %v twice", o.m.c.Writable())
		o.m.told = !o.m.c.Writable()
	}
	o.m.acts(o.actor)
	ctx.FireWritability()
	return nil
}

const actDelay = time.Second
