package transport

import (
	"log/slog"
	"time"
)

const (
	firstBackoff = 10 * time.Millisecond
	mostBackoff  = 50 * time.Millisecond
	logEvery     = time.Second
)

// backoff spaces out attempts to accept while the system refuses, and the log lines about it.
type backoff struct {
	wait   time.Duration
	logged time.Time
	silent int // errors since the last line
}

// failed gives the time to wait after one more error, and logs it unless another was logged within a
// second.
func (b *backoff) failed(now time.Time, log *slog.Logger, addr string, err error) time.Duration {
	b.wait = min(max(b.wait*2, firstBackoff), mostBackoff)
	if !b.logged.IsZero() && now.Sub(b.logged) < logEvery {
		b.silent++
		return b.wait
	}
	log.Error("transport: accepting failed; trying again", "address", addr, "err", err, "unlogged", b.silent)
	b.logged, b.silent = now, 0
	return b.wait
}

// worked forgets about earlier errors.
func (b *backoff) worked() { b.wait = 0 }
