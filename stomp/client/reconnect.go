package client

import (
	"math/rand/v2"
	"time"
)

// Reconnect says how a Client gets a connection again after it has lost one. The delay before each attempt is twice the
// one before, from Min to Max, less a random part of it. A connection that has lasted for Max makes the next loss a
// first one.
type Reconnect struct {
	Min time.Duration // 0 = 200 ms
	Max time.Duration // 0 = 30 s
	// Jitter is the part of each delay, up to 1, of which a random share is taken off, so that the clients of a server
	// that restarts do not all come at once. 0 = 0.5, negative = none.
	Jitter float64
	// Attempts is how many attempts in a row follow a loss. 0 = without end, negative = none.
	Attempts int
	// Random gives numbers in [0,1) for the jitter. It is called by one goroutine at a time. nil = math/rand/v2.
	Random func() float64
	// After runs f once d has passed, on a goroutine that f may block, and returns what keeps f from running. Tests put
	// their clock here. nil = time.AfterFunc.
	After func(d time.Duration, f func()) (stop func() bool)
}

// The defaults of Reconnect.
const (
	DefaultReconnectMin    = 200 * time.Millisecond
	DefaultReconnectMax    = 30 * time.Second
	DefaultReconnectJitter = 0.5
)

// bounds returns Min and Max with their defaults.
func (r *Reconnect) bounds() (least, most time.Duration) {
	least = orDefault(r.Min, DefaultReconnectMin)
	return least, max(least, orDefault(r.Max, DefaultReconnectMax))
}

// delay returns how long to wait after so many attempts in a row that failed.
func (r *Reconnect) delay(failed int) time.Duration {
	d, most := r.bounds()
	for ; failed > 0 && d < most; failed-- {
		d *= 2
	}
	d = min(d, most)
	jitter := min(r.Jitter, 1)
	switch {
	case jitter == 0:
		jitter = DefaultReconnectJitter
	case jitter < 0:
		return d
	}
	random := r.Random
	if random == nil {
		random = rand.Float64
	}
	return d - time.Duration(float64(d)*jitter*random())
}

// allowed reports whether there is another attempt after so many that failed.
func (r *Reconnect) allowed(failed int) bool { return r.Attempts == 0 || failed < r.Attempts }

// after runs f after d on another goroutine.
func (r *Reconnect) after(d time.Duration, f func()) (stop func() bool) {
	if r.After != nil {
		return r.After(d, f)
	}
	return time.AfterFunc(d, f).Stop
}

func orDefault[N int | time.Duration | float64](n, def N) N {
	if n > 0 {
		return n
	}
	return def
}
