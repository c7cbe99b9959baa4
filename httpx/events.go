package httpx

import (
	"errors"
	"sync"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// The defaults of EventsConfig.
const (
	DefaultEventsKeepAlive = 15 * time.Second
	DefaultEventsQueued    = 64 << 10
)

// keptEventBytes is how much memory a stream keeps for its next events.
const keptEventBytes = 4 << 10

// ErrEventsClosed is what sending returns behind the end of a stream.
var ErrEventsClosed = errors.New("httpx: event stream is closed")

// ErrEventsFull is what sending returns when too much waits for the client: the event was dropped.
var ErrEventsFull = errors.New("httpx: too many events wait for the client")

// EventsConfig says how a stream of events behaves.
type EventsConfig struct {
	// KeepAlive is after how long without an event an empty comment is sent, so that nobody takes the connection for
	// dead; 0 = 15 s; negative = never.
	KeepAlive time.Duration
	// MaxQueued is how many octets of events wait for a client that reads slowly, besides what its channel holds;
	// 0 = 64 KiB.
	MaxQueued int
	// DropWhenFull drops events for which there is no room, and the stream goes on with a gap. false = it ends behind
	// those that wait, and the browser connects again and says by Last-Event-ID what it has missed.
	DropWhenFull bool
	// Gone is called once on the event loop when the client has left; nil = nothing.
	Gone func()
}

// Events is a stream of events to one browser, as the answer to a request. HTML standard, "Server-sent events".
type Events struct {
	cfg      EventsConfig
	exchange *Exchange
	timer    *pipeline.Timer // loop only; nil = no keep-alive
	spare    []byte          // loop only

	mu      sync.Mutex
	queue   []byte // events that wait
	posted  bool   // the loop is going to take them up
	closing bool   // nothing more is taken
	err     error  // why
}

// NewEvents begins the answer of x as a stream of events. It takes x.OnGone and x.OnWritable; use cfg.Gone, and
// Exchange.OnAnswer for further fields of the answer. Errors are those of Exchange.Begin. Call it on the event loop only.
func NewEvents(x *Exchange, cfg EventsConfig) (*Events, error) {
	cfg.MaxQueued = orDefault(cfg.MaxQueued, DefaultEventsQueued)
	if cfg.KeepAlive == 0 {
		cfg.KeepAlive = DefaultEventsKeepAlive
	}
	e := &Events{cfg: cfg, exchange: x}
	r := NewResponse(statusOK)
	r.Identity = true // a compressor would hold events back
	err := errors.Join(r.Header.Add("content-type", EventsType), r.Header.Add("cache-control", "no-store"))
	if err != nil {
		r.Release()
		return nil, err
	}
	if err := x.Begin(r); err != nil {
		return nil, err
	}
	if x.answer.mute {
		e.fail(ErrEventsClosed)
		return e, nil
	}
	x.OnGone(func(error) { e.gone() })
	x.OnWritable(e.drain)
	if cfg.KeepAlive > 0 {
		e.timer = x.channel.After(cfg.KeepAlive, e.keepAlive)
	}
	return e, nil
}

// Send sends an event. It does not wait: what the client does not take up stays in a queue. It returns ErrEventsFull
// when there is no room, ErrEventsClosed behind the end, ErrGone when the client has left, and an *Error for an event
// that cannot be. Events of one goroutine keep their order. Safe for concurrent use.
func (e *Events) Send(event Event) error {
	post, err := e.add(&event)
	if post {
		e.post()
	}
	return err
}

func (e *Events) add(event *Event) (post bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return false, e.err
	}
	n := len(e.queue)
	queue, err := event.append(e.queue)
	if err != nil {
		return false, err
	}
	if len(queue) > e.cfg.MaxQueued {
		e.queue = e.queue[:n]
		if e.cfg.DropWhenFull {
			return false, ErrEventsFull
		}
		e.closing, e.err = true, ErrEventsFull
		return e.wantsPost(), ErrEventsFull
	}
	e.queue = queue
	return e.wantsPost(), nil
}

// wantsPost reports whether the loop has still to be told.
func (e *Events) wantsPost() bool {
	post := !e.posted
	e.posted = true
	return post
}

func (e *Events) post() {
	if e.exchange.Post(e.drain) != nil {
		e.fail(ErrGone)
	}
}

// Close ends the stream behind the events that wait. Safe for concurrent use.
func (e *Events) Close() {
	e.mu.Lock()
	post := !e.closing && e.wantsPost()
	if !e.closing {
		e.closing, e.err = true, ErrEventsClosed
	}
	e.mu.Unlock()
	if post {
		e.post()
	}
}

// Err returns why nothing can be sent any more: ErrGone, ErrEventsClosed, ErrEventsFull, or nil while it can. Safe for
// concurrent use.
func (e *Events) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// fail drops what waits.
func (e *Events) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
	e.closing, e.queue = true, nil
}

// drain sends what waits, on the loop, when the client takes it.
func (e *Events) drain() {
	x := e.exchange
	e.mu.Lock()
	e.posted = false
	if !x.Writable() || x.answer.ended {
		e.mu.Unlock()
		return
	}
	data, end := e.queue, e.closing
	e.queue, e.spare = e.spare[:0], data
	e.mu.Unlock()
	if cap(data) > keptEventBytes {
		e.spare = nil // a burst must not stay with every quiet stream
	}
	if len(data) > 0 && !e.write(data) {
		return
	}
	if end {
		e.stop()
		x.cut(x.End())
	}
}

func (e *Events) write(data []byte) (ok bool) {
	if err := e.exchange.WriteBytes(data); !e.exchange.cut(err) {
		e.stop()
		e.fail(err)
		return false
	}
	if e.timer != nil {
		e.timer.Reset(e.cfg.KeepAlive)
	}
	return true
}

func (e *Events) stop() {
	if e.timer != nil {
		e.timer.Stop()
	}
}

// keepAlive shows that the connection lives, unless there is enough on its way to the client.
func (e *Events) keepAlive() {
	if e.exchange.Writable() {
		e.write([]byte(":\n\n"))
	} else {
		e.timer.Reset(e.cfg.KeepAlive)
	}
}

func (e *Events) gone() {
	e.stop()
	e.fail(ErrGone)
	if e.cfg.Gone != nil {
		e.cfg.Gone()
	}
}
