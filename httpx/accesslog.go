package httpx

import (
	"context"
	"log/slog"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// DefaultLoggedTarget is AccessLog.TargetBytes.
const DefaultLoggedTarget = 256

// AccessLog writes one record for each request when the last octet of its answer has left, or the client: method, target,
// status, octets of both bodies, how long it took, and who asked. Bodies count as they are at its place: it belongs
// first among ServerConfig.Handlers, where they are as on the wire. A request that could not be read, or did not come in
// time, has a record with the status of its refusal.
//
// What clients choose is cut, and escaped like a Go string. While the logger is not enabled for Level requests cost
// nothing. The zero value is ready. Its methods are for the event loop only.
type AccessLog struct {
	pipeline.Unshared
	// Logger gets the records. nil = that of the channel.
	Logger *slog.Logger
	// Level is that of the records. 0 = slog.LevelInfo.
	Level slog.Level
	// TargetBytes is how much of a target is written. 0 = 256.
	TargetBytes int
	// UserAgent and Referer add these fields of the request, up to 128 octets of each.
	UserAgent, Referer bool

	ctx      *pipeline.Context
	requests fifo[*accessRecord] // without an answer; nil: not to be logged
	arriving *accessRecord       // whose body is coming
	current  *accessRecord       // whose answer is under way
	channel  string
	remote   string
}

const (
	loggedMethod = 64
	loggedField  = 128
)

var (
	_ pipeline.AddedHandler    = (*AccessLog)(nil)
	_ pipeline.ReadHandler     = (*AccessLog)(nil)
	_ pipeline.WriteHandler    = (*AccessLog)(nil)
	_ pipeline.EventHandler    = (*AccessLog)(nil)
	_ pipeline.InactiveHandler = (*AccessLog)(nil)
	_ pipeline.RemovedHandler  = (*AccessLog)(nil)
)

// HandleAdded notes its place.
func (a *AccessLog) HandleAdded(ctx *pipeline.Context) error {
	a.ctx = ctx
	return nil
}

func (a *AccessLog) logger() *slog.Logger {
	if a.Logger != nil {
		return a.Logger
	}
	return a.ctx.Channel().Logger()
}

func (a *AccessLog) enabled() bool { return a.logger().Enabled(context.Background(), a.Level) }

// HandleRead notes requests and counts their octets, and passes on.
func (a *AccessLog) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Request:
		rec := a.begin(m)
		a.arriving = nil
		if m.Length != 0 {
			a.arriving = rec
		}
	case *FullRequest:
		if rec := a.begin(&m.Request); rec != nil {
			rec.in = int64(m.BodyLen())
		}
	case *Content:
		if a.arriving != nil {
			a.arriving.in += int64(m.Len())
		}
	}
	ctx.FireRead(msg)
	return nil
}

// begin makes the record of a request, nil when it is not to be logged.
func (a *AccessLog) begin(r *Request) *accessRecord {
	var rec *accessRecord
	if a.enabled() {
		rec = newAccessRecord(a)
		rec.start = a.ctx.Loop().Now()
		rec.method = r.Method
		rec.target = keepQuoted(rec.target, r.Target(), orDefault(a.TargetBytes, DefaultLoggedTarget))
		if a.UserAgent {
			rec.agent = keepQuoted(rec.agent, r.Header.Get("user-agent"), loggedField)
		}
		if a.Referer {
			rec.referer = keepQuoted(rec.referer, r.Header.Get("referer"), loggedField)
		}
	}
	a.requests.push(rec)
	return rec
}

// HandleWrite notes answers and counts their octets, and passes on.
func (a *AccessLog) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	switch m := msg.(type) {
	case *FullResponse:
		if !m.Interim() {
			return a.whole(ctx, m, p)
		}
	case *Response:
		if !m.Interim() {
			return a.head(ctx, m, p)
		}
	case *Content:
		if rec := a.current; rec != nil {
			rec.out += int64(m.Len())
			if m.Last {
				a.current = nil
				return rec.send(ctx, msg, p)
			}
		}
	case *pipeline.FileRegion:
		if a.current != nil {
			a.current.out += int64(m.Len())
		}
	}
	return ctx.Forward(msg, p)
}

func (a *AccessLog) whole(ctx *pipeline.Context, r *FullResponse, p *pipeline.Promise) error {
	rec := a.requests.peek()
	if rec == nil {
		return a.unlogged(ctx, r, p)
	}
	rec.status, rec.out = r.Status, 0
	if !bodiless(rec.method, &r.Response) {
		rec.out = int64(r.BodyLen())
	}
	return a.last(ctx, rec, r, p)
}

func (a *AccessLog) head(ctx *pipeline.Context, r *Response, p *pipeline.Promise) error {
	rec := a.requests.peek()
	if rec == nil {
		return a.unlogged(ctx, r, p)
	}
	rec.status, rec.out = r.Status, 0
	if bodiless(rec.method, r) {
		return a.last(ctx, rec, r, p)
	}
	err := ctx.Forward(r, p)
	if err == nil {
		a.requests.pop()
		a.current = rec
	}
	return err
}

// unlogged passes the answer to a request on that has no record.
func (a *AccessLog) unlogged(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	err := ctx.Forward(msg, p)
	if err == nil {
		a.requests.pop()
	}
	return err
}

// last sends the last part of the answer of the oldest request, which keeps its place when that is refused.
func (a *AccessLog) last(ctx *pipeline.Context, rec *accessRecord, msg any, p *pipeline.Promise) error {
	err := rec.send(ctx, msg, p)
	if err == nil {
		a.requests.pop()
	}
	return err
}

// HandleEvent logs a request that the Server has refused, and passes on.
func (a *AccessLog) HandleEvent(ctx *pipeline.Context, event any) error {
	if e, ok := event.(RefusedEvent); ok {
		a.refused(e)
	}
	ctx.FireEvent(event)
	return nil
}

func (a *AccessLog) refused(e RefusedEvent) {
	rec := a.requests.peek()
	switch {
	case e.Passed && rec != nil:
		a.requests.pop()
		rec.status = e.Status
		rec.finish(false)
	case !e.Passed && a.enabled():
		rec = newAccessRecord(a)
		rec.start, rec.status = a.ctx.Loop().Now(), e.Status
		rec.finish(false)
	}
}

// HandleInactive logs the requests without a complete answer, then passes on.
func (a *AccessLog) HandleInactive(ctx *pipeline.Context) error {
	a.finishAll(true)
	ctx.FireInactive()
	return nil
}

// HandleRemoved logs the requests without an answer, when the connection goes on as something else.
func (a *AccessLog) HandleRemoved(*pipeline.Context) error {
	a.finishAll(false)
	return nil
}

func (a *AccessLog) finishAll(aborted bool) {
	if rec := a.current; rec != nil {
		a.current = nil
		rec.finish(aborted)
	}
	for a.requests.n > 0 {
		if rec := a.requests.pop(); rec != nil {
			rec.finish(aborted)
		}
	}
	a.requests = fifo[*accessRecord]{}
}

// peer returns how the connection is called.
func (a *AccessLog) peer() (channel, remote string) {
	if a.channel == "" {
		a.channel = a.ctx.Channel().ID()
		if addr := a.ctx.Channel().RemoteAddr(); addr != nil {
			a.remote = addr.String()
		}
	}
	return a.channel, a.remote
}

// took is how long a request took until now.
func (r *accessRecord) took() time.Duration { return r.log.ctx.Loop().Now().Sub(r.start) }
