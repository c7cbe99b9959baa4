package handlers

import (
	"fmt"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// DefaultReadyWithin is how long a peer may take from accept until its session is established.
const DefaultReadyWithin = 10 * time.Second

// readyTimer is the one deadline of a channel that is not ready yet, whoever started it. It lives on the
// channel and not in a handler, so that it survives every hand-over between protocols.
var readyTimer = pipeline.NewKey[*pipeline.Timer]("ready deadline")

// ExpectReady closes the channel with a *TimeoutError unless Ready is called in time. When a deadline
// runs already that one stays in force: a protocol that is installed later does not get new time. The
// error goes through the whole pipeline, so that a session can answer; the channel closes also when a
// handler takes the error. within 0 = DefaultReadyWithin.
// Call it on the event loop only.
func ExpectReady(ch *pipeline.Channel, within time.Duration) {
	if _, running := readyTimer.Get(ch); running {
		return
	}
	if within <= 0 {
		within = DefaultReadyWithin
	}
	readyTimer.Set(ch, ch.After(within, func() {
		if ch.IsOpen() {
			ch.Pipeline().FireError(&TimeoutError{What: "peer is not ready", After: within})
		}
		if ch.IsOpen() {
			ch.Pipeline().Close(pipeline.CloseDrain, nil)
		}
	}))
}

// Ready ends the deadline of ExpectReady for good: the session is established. Call it on the event loop
// only.
func Ready(ch *pipeline.Channel) {
	t, _ := readyTimer.Get(ch)
	t.Stop()
	readyTimer.Set(ch, t) // remembered also when there was none: nobody starts another
}

// TimeoutError says what a peer did not do in time. Its Timeout method makes it a net.Error.
type TimeoutError struct {
	What  string
	After time.Duration
}

// Error implements error.
func (e *TimeoutError) Error() string { return fmt.Sprintf("handlers: %s after %v", e.What, e.After) }

// Timeout is true.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary is false: the channel closes.
func (e *TimeoutError) Temporary() bool { return false }
