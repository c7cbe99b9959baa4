package handlers

import (
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// Idle fires an IdleEvent when nothing was read, written, or either, for a while, and again after each
// further such while. A running read batch is never idle; a write counts when it has completed. Its
// timers are re-armed lazily, so that traffic costs it no timer work. In front of the decoder it sees every byte,
// behind it only whole messages.
type Idle struct {
	pipeline.Unshared
	// Read, Write and All are the times without reads, without completed writes, and without both.
	// 0 = never; when all three are 0, All is 60 s.
	Read, Write, All time.Duration
	// Progress lets bytes that the peer takes of a pending write count as a write, at the time when an event
	// would be due.
	Progress bool

	ctx       *pipeline.Context
	watches   [3]watch
	reading   bool
	lastRead  time.Time
	lastWrite time.Time
	sent      uint64
	wrote     func(error)
}

// DefaultIdle is Idle.All when no time is set.
const DefaultIdle = 60 * time.Second

// IdleKind says what did not happen.
type IdleKind uint8

const (
	// IdleRead says that nothing was read.
	IdleRead IdleKind = iota
	// IdleWrite says that no write completed.
	IdleWrite
	// IdleAll says that neither happened.
	IdleAll
)

// IdleEvent is fired as a user event, as a value: `case handlers.IdleEvent` in HandleEvent. Idle only tells; whoever
// takes the event decides, and usually closes.
type IdleEvent struct {
	Kind  IdleKind
	First bool // the first of its kind since the last activity
}

type watch struct {
	every time.Duration
	timer *pipeline.Timer
	first bool
}

var (
	_ pipeline.AddedHandler        = (*Idle)(nil)
	_ pipeline.ActiveHandler       = (*Idle)(nil)
	_ pipeline.ReadHandler         = (*Idle)(nil)
	_ pipeline.ReadCompleteHandler = (*Idle)(nil)
	_ pipeline.WriteHandler        = (*Idle)(nil)
	_ pipeline.InactiveHandler     = (*Idle)(nil)
	_ pipeline.RemovedHandler      = (*Idle)(nil)
)

// HandleAdded starts watching if the channel is active already.
func (i *Idle) HandleAdded(ctx *pipeline.Context) error {
	i.ctx = ctx
	i.wrote = i.written
	if ctx.Channel().Active() {
		i.start()
	}
	return nil
}

// HandleActive starts watching.
func (i *Idle) HandleActive(ctx *pipeline.Context) error {
	i.start()
	ctx.FireActive()
	return nil
}

func (i *Idle) start() {
	now := i.ctx.Loop().Now()
	i.lastRead, i.lastWrite, i.sent = now, now, i.ctx.Channel().BytesWritten()
	all := i.All
	if i.Read <= 0 && i.Write <= 0 && all <= 0 {
		all = DefaultIdle
	}
	for k, d := range [3]time.Duration{i.Read, i.Write, all} {
		if d > 0 && i.watches[k].timer == nil {
			w := &i.watches[k]
			w.every, w.first = d, true
			w.timer = i.ctx.After(d, func() { i.check(IdleKind(k)) })
		}
	}
}

// check fires the event, or finds that there was activity and sleeps for what is left.
func (i *Idle) check(kind IdleKind) {
	w := &i.watches[kind]
	left := w.every - i.ctx.Loop().Now().Sub(i.last(kind))
	if i.reading && kind != IdleWrite {
		left = w.every
	}
	if left > 0 {
		w.timer.Reset(left)
		return
	}
	first := w.first
	w.first = false
	w.timer.Reset(w.every)
	i.ctx.FireEvent(IdleEvent{Kind: kind, First: first})
}

func (i *Idle) last(kind IdleKind) time.Time {
	if i.Progress {
		if i.ctx.Channel().BytesWritten() != i.sent {
			i.written(nil)
		}
	}
	switch {
	case kind == IdleRead:
		return i.lastRead
	case kind == IdleWrite || i.lastWrite.After(i.lastRead):
		return i.lastWrite
	}
	return i.lastRead
}

// HandleRead notices activity.
func (i *Idle) HandleRead(ctx *pipeline.Context, msg any) error {
	i.reading = true
	i.watches[IdleRead].first, i.watches[IdleAll].first = true, true
	ctx.FireRead(msg)
	return nil
}

// HandleReadComplete takes the time of the reads.
func (i *Idle) HandleReadComplete(ctx *pipeline.Context) error {
	if i.reading {
		i.reading = false
		i.lastRead = ctx.Loop().Now()
	}
	ctx.FireReadComplete()
	return nil
}

// HandleWrite watches for the write's completion.
func (i *Idle) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if i.Write <= 0 && i.watches[IdleAll].every <= 0 {
		return ctx.Forward(msg, p)
	}
	own := p == nil
	if own {
		p = ctx.NewPromise()
	}
	p.OnDone(i.wrote)
	err := ctx.Forward(msg, p)
	if err != nil && own {
		p.Fail(err)
	}
	return err
}

func (i *Idle) written(err error) {
	if err == nil {
		i.lastWrite, i.sent = i.ctx.Loop().Now(), i.ctx.Channel().BytesWritten()
		i.watches[IdleWrite].first, i.watches[IdleAll].first = true, true
	}
}

// HandleInactive stops watching, then passes on.
func (i *Idle) HandleInactive(ctx *pipeline.Context) error {
	i.stop()
	ctx.FireInactive()
	return nil
}

// HandleRemoved stops watching.
func (i *Idle) HandleRemoved(*pipeline.Context) error {
	i.stop()
	return nil
}

func (i *Idle) stop() {
	for k := range i.watches {
		i.watches[k].timer.Stop()
		i.watches[k].timer = nil
	}
}
