package httpx

import (
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
)

// Deadlines say how long a client of a server may take. There is no way to turn one off: what is zero or negative means
// its default. A request that does not come in time is answered with 408, behind the answers to those before it, and
// the connection is closed; one that is idle is closed without a word (RFC 9112, 9.5; RFC 9110, 15.5.9). While the
// connection is not read, because a handler or its client does not keep up, that time does not count.
//
// How long the client may take to read an answer is pipeline.Options.WriteStall.
type Deadlines struct {
	// Ready is the time from accept until the first request's head is complete. A deadline that runs already, since
	// handlers.Detect or TLS began it, stays in force instead. 0 = 10 s.
	Ready time.Duration
	// Head is the time for the head of each request, from its first octet to its last. 0 = 10 s.
	Head time.Duration
	// Idle is the time between the end of an answer and the next request. Connections end up to a second later.
	// 0 = 60 s.
	Idle time.Duration
	// BodyStall is the time in which at least one octet of a request's content must come. 0 = 30 s.
	BodyStall time.Duration
	// BodyRate is how many octets of content per second must come on average, from BodyGrace after the head on. What is
	// around the content (chunk sizes, trailers) does not count. 0 = 240.
	BodyRate int
	// BodyGrace is the time before BodyRate holds. 0 = 5 s.
	BodyGrace time.Duration
}

// The defaults of Deadlines.
const (
	DefaultHeadTime  = 10 * time.Second
	DefaultIdleTime  = 60 * time.Second
	DefaultBodyStall = 30 * time.Second
	DefaultBodyRate  = 240
	DefaultBodyGrace = 5 * time.Second
)

// filled returns d with its defaults in place.
func (d Deadlines) filled() Deadlines {
	d.Ready = orDefault(d.Ready, handlers.DefaultReadyWithin)
	d.Head = orDefault(d.Head, DefaultHeadTime)
	d.Idle = orDefault(d.Idle, DefaultIdleTime)
	d.BodyStall = orDefault(d.BodyStall, DefaultBodyStall)
	d.BodyGrace = orDefault(d.BodyGrace, DefaultBodyGrace)
	d.BodyRate = orDefault(d.BodyRate, DefaultBodyRate)
	return d
}

// waiting is what a connection waits for from its client.
type waiting uint8

const (
	waitsForNothing waiting = iota // answers are owed
	waitsForRequest
	waitsForHead // the rest of one
	waitsForBody
)

func (s *Server) waiting() waiting {
	switch {
	case s.requests.inHead():
		return waitsForHead
	case s.requests.step == stepBody:
		return waitsForBody
	case s.state.n > 0 || s.state.sent.open:
		return waitsForNothing
	}
	return waitsForRequest
}

// inHead reports whether a head has begun and is not complete.
func (d *RequestDecoder) inHead() bool { return d.step == stepLine || d.step == stepFields }

// watch measures what the connection waits for. Times are those of the clock. One timer serves all deadlines; it is
// armed for the next moment that may matter and finds out then what does, so that traffic does not touch it.
type watch struct {
	limits Deadlines
	timer  *pipeline.Timer
	due    time.Duration
	idle   time.Duration // when the last answer ended
	head   time.Duration // when the head of request number headOf began
	headOf int
	body   bodyWatch
}

// arm has expire called in d at the latest.
func (s *Server) arm(d time.Duration) {
	if s.ctx.Removed() {
		return // what follows is another protocol's
	}
	due := s.clock.exact() + d
	if s.watch.timer.Armed() && s.watch.due <= due {
		return
	}
	s.watch.due = due
	if s.watch.timer == nil {
		s.watch.timer = s.ctx.After(d, s.expire)
	} else {
		s.watch.timer.Reset(d)
	}
}

// look finds out after a batch of octets whether there is a new time to measure.
func (s *Server) look() {
	w := &s.watch
	switch s.waiting() {
	case waitsForHead:
		if w.headOf != s.state.served+1 {
			w.headOf, w.head = s.state.served+1, s.clock.exact()
			s.arm(w.limits.Head)
		}
	case waitsForBody:
		w.body.count(s.clock.exact())
		s.arm(w.body.left(&w.limits))
	case waitsForNothing, waitsForRequest:
	}
}

// resumed lets time count from now on, since the connection was not read until now, or nobody can tell.
func (s *Server) resumed() {
	switch s.waiting() {
	case waitsForHead:
		s.watch.head = s.clock.exact()
	case waitsForBody:
		s.watch.body.mark = s.clock.exact()
	case waitsForNothing, waitsForRequest:
	}
}

// expire looks which deadline has come, and otherwise when the next one does.
func (s *Server) expire() {
	ch := s.ctx.Channel()
	if !ch.IsOpen() {
		return
	}
	w, now, read := &s.watch, s.clock.exact(), ch.Reading()
	var left time.Duration
	switch what := s.waiting(); {
	case s.bad != 0 || what == waitsForNothing:
		s.overdue()
		left = w.limits.Idle
	case what == waitsForHead:
		if !read || w.headOf != s.state.served+1 {
			w.headOf, w.head = s.state.served+1, now
		}
		left = w.head + w.limits.Head - now
	case what == waitsForBody:
		if !read {
			w.body.mark = now
		}
		w.body.count(now)
		left = w.body.left(&w.limits)
	default:
		if !read || ch.Pending() > 0 {
			w.idle = now
		}
		left = w.idle + w.limits.Idle + clockStep - now
	}
	if left <= 0 {
		s.late()
	} else if ch.IsOpen() {
		s.arm(left)
	}
}

// overdue ends a connection whose refusal can't be sent, since an answer to the same request has begun and does not end.
func (s *Server) overdue() {
	if s.bad != 0 && s.state.partial && s.state.n == 0 {
		s.end(s.ctx)
	}
}

// late deals with a client that was too slow.
func (s *Server) late() {
	switch what := s.waiting(); {
	case what == waitsForNothing:
		s.windDown() // whoever found it late knows better what for
	case what == waitsForHead:
		s.requests.giveUp()
		s.refused(s.refuseWith(statusTimeout))
	case what == waitsForBody && s.state.n > 0:
		s.requests.giveUp()
		s.refused(s.refuseNewest(s.ctx, statusTimeout))
	default: // nothing was asked, or the answer has begun
		s.end(s.ctx)
	}
}

// refused reports the error of a refusal.
func (s *Server) refused(err error) {
	if err != nil {
		s.ctx.FireError(err)
	}
}

// bodyWatch measures how fast the content of a request comes. Only time counts in which it could come.
type bodyWatch struct {
	octets  int64
	seen    int64         // octets at the last count
	mark    time.Duration // until when time is counted
	elapsed time.Duration // counted time
	moved   time.Duration // elapsed when octets grew last
	held    bool          // the client waits to be told to go on
	free    bool          // it may take its time
}

func (b *bodyWatch) begin(r *Request, now time.Duration) {
	*b = bodyWatch{mark: now, held: r.ExpectContinue}
}

// goOn lets time count from now on: the client knows that it may send. RFC 9110, 10.1.1.
func (b *bodyWatch) goOn(now time.Duration) {
	if b.held {
		b.held, b.mark = false, now
	}
}

// count adds the time until now.
func (b *bodyWatch) count(now time.Duration) {
	grown := b.octets != b.seen
	if !b.held {
		b.elapsed += now - b.mark
	}
	b.mark = now
	if grown {
		b.held, b.seen, b.moved = false, b.octets, b.elapsed
	}
}

// left returns the time that there is if nothing comes; 0 or less when it is over.
func (b *bodyWatch) left(d *Deadlines) time.Duration {
	if b.held || b.free {
		return d.BodyStall // to look again
	}
	octets, rate := time.Duration(b.octets), time.Duration(d.BodyRate)
	enough := octets/rate*time.Second + octets%rate*time.Second/rate
	return min(b.moved+d.BodyStall, max(enough, d.BodyGrace)) - b.elapsed
}

// AllowSlowBody lets the client take its time over the body of this request, one that goes on like a conversation: of the
// Deadlines, BodyStall and BodyRate do not hold for it. Call it on the event loop only, while the body is coming.
func (x *Exchange) AllowSlowBody() {
	h := x.handler
	if s := h.findServer(); s != nil && h.receiving == x {
		s.watch.body.free = true
	}
}
