package pipeline_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// acts does up to three things at random, as a callback of a would; a may be nil.
func (m *model) acts(a *actor) {
	if m.ch == nil || m.depth >= 10 {
		return // still being set up, or deep enough
	}
	m.depth++
	for range m.pick(4) {
		m.act(a)
	}
	m.depth--
}

func (m *model) act(a *actor) {
	if a == nil {
		a = m.someActor()
	}
	switch m.pick(18) {
	case 1, 2:
		m.add()
	case 3:
		m.remove()
	case 4:
		m.replace()
	case 5, 6, 7, 8:
		m.originate(a, m.text(), nil)
	case 9, 10:
		m.flush(a)
	case 11:
		m.close(a)
	case 12:
		if a != nil {
			a.ctx.SetAutoRead(m.pick(3) > 0)
		}
	case 13:
		m.c.Pipeline().Read()
	case 14:
		m.post()
	case 15:
		m.timer()
	case 16:
		m.cancel()
	case 17:
		m.fireSomething(a)
	}
}

// someActor is one that is in the pipeline, nil when there is none.
func (m *model) someActor() *actor {
	var there []*actor
	for _, a := range m.actors {
		if a.ctx != nil && !a.place.dead {
			there = append(there, a)
		}
	}
	if len(there) == 0 {
		return nil
	}
	return there[m.pick(len(there))]
}

// stays reports whether a never leaves before the channel closes.
func (m *model) stays(a *actor) bool { return a == m.first.actor || a == m.last.actor }

// closedToNew checks the error of adding: none before the handlers are taken out, always one from then on.
func (m *model) closedToNew(err error) {
	gone := m.tearing || m.c.Closed()
	m.check(gone == (err != nil), "adding: %v, taken out: %v", err, gone)
	m.check(err == nil || errors.Is(err, pipeline.ErrClosed), "adding: %v", err)
}

func (m *model) add() {
	at := m.someActor()
	if at == nil {
		return
	}
	handlers, places := m.newHandlers()
	before := at == m.last.actor || m.pick(2) == 0
	if !m.tearing {
		if before {
			m.link(at.place.prev, places...)
		} else {
			m.link(at.place, places...)
		}
	}
	if before {
		m.closedToNew(at.ctx.AddBefore(handlers...))
	} else {
		m.closedToNew(at.ctx.AddAfter(handlers...))
	}
}

func (m *model) remove() {
	a := m.someActor()
	if a == nil || m.stays(a) {
		return
	}
	m.unlink(a.place)
	a.ctx.Remove()
	m.check(a.removed == 1, "%s removed %d times", a.place.name, a.removed)
	m.check(a.ctx.Removed(), "%s does not know of its removal", a.place.name)
}

func (m *model) replace() {
	a := m.someActor()
	if a == nil || m.stays(a) {
		return
	}
	handlers, places := m.newHandlers()
	if m.tearing {
		m.closedToNew(a.ctx.Replace(handlers...))
		return
	}
	m.link(a.place, places...)
	m.unlink(a.place)
	a.place.next, a.place.prev = places[0], places[len(places)-1]
	m.closedToNew(a.ctx.Replace(handlers...))
	m.check(a.removed == 1, "%s replaced, removed %d times", a.place.name, a.removed)
}

func (m *model) flush(a *actor) {
	if m.c.IsOpen() && m.c.Cause() == nil {
		m.mark = len(m.items)
		for _, it := range m.items {
			it.flushed = true
		}
	}
	if a != nil {
		a.ctx.Flush()
	} else {
		m.c.Pipeline().Flush()
	}
}

func (m *model) close(a *actor) {
	if m.pick(30) != 0 {
		return
	}
	how := pipeline.CloseMode(m.pick(4))
	it := &item{text: how.String()}
	m.closes = append(m.closes, it)
	it.p = m.c.NewPromise()
	it.p.OnDone(func(err error) {
		it.results = append(it.results, err)
		m.check(err == nil || how == pipeline.CloseWrite, "close: %v", err)
		m.acts(nil)
	})
	m.ended = m.ended || how == pipeline.CloseWrite
	if a != nil {
		a.ctx.CloseWith(how, it.p)
	} else {
		m.c.Pipeline().Close(how, it.p)
	}
}

func (m *model) cancel() {
	var open []*item
	for _, it := range m.items {
		if it.p != nil && len(it.results) == 0 {
			open = append(open, it)
		}
	}
	if len(open) == 0 {
		return
	}
	it := open[m.pick(len(open))]
	late := it.flushed && !it.cancelled
	if it.p.Cancel() {
		m.check(!m.manual || !late, "%.20q cancelled after its flush", it.text)
		it.cancelled = true
		return
	}
	if m.manual && m.c.IsOpen() && !m.ended {
		m.check(late, "%.20q not cancelled", it.text)
	}
}

// post lets the loop act later.
func (m *model) post() {
	err := m.c.Post(func() {
		m.check(!m.c.Closed(), "a task of a channel that is gone")
		m.acts(nil)
	})
	m.check(err == nil, "post: %v", err)
}

func (m *model) timer() {
	if m.inactive > 0 {
		return
	}
	m.timers = append(m.timers, m.c.After(time.Duration(m.pick(4))*actDelay, func() {
		m.check(m.c.IsOpen() || !m.ch.Closed(), "a timer of a closed channel")
		m.acts(nil)
	}))
}

// send writes as another goroutine does.
func (m *model) send() {
	it := m.newItem(m.text())
	it.buf = pooled(m.c, it.text)
	if m.pick(2) == 0 {
		m.promise(it)
	}
	if !m.c.Closed() {
		m.sends = append(m.sends, it)
	}
	if err := m.c.Send(it.buf, it.p); err != nil {
		m.problem("send: %v", err)
	}
}

// fireSomething fires a message or an event from a's place.
func (m *model) fireSomething(a *actor) {
	if a == nil || m.inactive > 0 || m.tearing {
		return
	}
	m.n++
	if m.pick(2) == 0 {
		m.fire(a, pooled(m.c, fmt.Sprintf("fired %d", m.n)))
		return
	}
	event := fmt.Sprintf("event %d", m.n)
	if target := m.nextActor(a.place); target != m.tail {
		m.want[event] = target
	}
	a.ctx.FireEvent(event)
	m.check(m.want[event] == nil, "nobody heard %s", event)
}
