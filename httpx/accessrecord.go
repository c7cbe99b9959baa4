package httpx

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// accessRecord is what an AccessLog knows of a request. Its memory serves one request after the other.
type accessRecord struct {
	log     *AccessLog
	start   time.Time
	method  Method
	status  int
	in, out int64 // octets of the bodies
	sent    bool  // the last part of the answer is on its way

	target, agent, referer []byte // cut and escaped
	attrs                  []slog.Attr
	done                   func(error)
}

var accessRecords sync.Pool

func newAccessRecord(a *AccessLog) *accessRecord {
	r, _ := accessRecords.Get().(*accessRecord)
	if r == nil {
		r = &accessRecord{}
		r.done = r.arrived
	}
	r.log = a
	return r
}

// send passes the last part of the answer on; the record is written when that has left. When it is refused the record
// stays as it was.
func (r *accessRecord) send(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	own := ctx.NewPromise()
	refused := false
	if p == nil {
		own.OnDone(r.done)
	} else {
		own.OnDone(func(err error) {
			switch {
			case refused:
				return
			case err == nil:
				p.Succeed()
			default:
				p.Fail(err)
			}
			r.arrived(err)
		})
	}
	r.sent = true
	err := ctx.Forward(msg, own)
	if err != nil {
		refused, r.sent = true, false
		own.Fail(err)
	}
	return err
}

// arrived is told what has become of the last part.
func (r *accessRecord) arrived(err error) {
	if r.sent {
		r.finish(err != nil)
	}
}

// finish writes the record and gives it back.
func (r *accessRecord) finish(aborted bool) {
	a := r.log
	if a.arriving == r {
		a.arriving = nil
	}
	a.logger().LogAttrs(context.Background(), a.Level, "http request", r.describe(aborted)...)
	clear(r.attrs) // the logger has its own
	r.log, r.method, r.status, r.in, r.out, r.sent = nil, "", 0, 0, 0, false
	r.target, r.agent, r.referer = r.target[:0], r.agent[:0], r.referer[:0]
	accessRecords.Put(r)
}

func (r *accessRecord) describe(aborted bool) []slog.Attr {
	channel, remote := r.log.peer()
	r.attrs = append(r.attrs[:0],
		slog.String("channel", channel), slog.String("remote", remote), slog.Int("status", r.status))
	if r.method != "" {
		method := string(r.method)
		if !r.method.Known() {
			method = string(keepQuoted(nil, []byte(method), loggedMethod))
		}
		r.attrs = append(r.attrs,
			slog.String("method", method), slog.String("target", string(r.target)),
			slog.Int64("bytes_in", r.in), slog.Int64("bytes_out", r.out), slog.Duration("duration", r.took()))
	}
	if len(r.agent) > 0 {
		r.attrs = append(r.attrs, slog.String("user_agent", string(r.agent)))
	}
	if len(r.referer) > 0 {
		r.attrs = append(r.attrs, slog.String("referer", string(r.referer)))
	}
	if aborted {
		r.attrs = append(r.attrs, slog.Bool("aborted", true))
	}
	return r.attrs
}

// keepQuoted puts the beginning of b into dst, whose memory it uses: up to most octets, escaped like a Go string.
func keepQuoted(dst, b []byte, most int) []byte {
	dst = dst[:0]
	cut := len(b) > most
	if cut {
		b = b[:most]
	}
	plain := true
	for _, c := range b {
		plain = plain && c >= ' ' && c < 0x7f && c != '"' && c != '\\'
	}
	if plain {
		dst = append(dst, b...)
	} else {
		quoted := strconv.AppendQuoteToASCII(nil, string(b))
		dst = append(dst, quoted[1:len(quoted)-1]...)
	}
	if cut {
		dst = append(dst, "..."...)
	}
	return dst
}
