package httpx

import (
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// clock is the time as a loop's connections need it: in whole seconds, and as the Date line of answers. Reading the
// machine's clock for each answer would cost more than writing the answer, so it is read by need and once a second at
// most: a timer makes the time stale at the next full second. While nobody asks, no timer runs.
//
// It belongs to the event loop.
type clock struct {
	loop  *pipeline.Loop
	start time.Time
	timer *pipeline.Timer
	users int // connections of the loop
	fresh bool
	age   time.Duration // since start
	line  []byte        // "Date: ...\r\n"
}

var clocks = pipeline.NewLoopKey[*clock]("httpx clock")

// useClock returns the clock of a loop to one more user, who must leave it.
func useClock(l *pipeline.Loop) *clock {
	c, ok := clocks.Get(l)
	if !ok {
		c = &clock{loop: l, start: l.Now(), line: make([]byte, 0, dateLineBytes)}
		clocks.Set(l, c)
	}
	c.users++
	return c
}

// leave stops the timer when nobody is left to ask.
func (c *clock) leave() {
	if c.users--; c.users == 0 {
		c.timer.Stop()
		c.fresh = false
	}
}

// exact returns the time since the start.
func (c *clock) exact() time.Duration { return c.loop.Now().Sub(c.start) }

// coarse returns the time since the start as it is, or was less than clockStep ago. It is cheap.
func (c *clock) coarse() time.Duration {
	if !c.fresh {
		c.refresh()
	}
	return c.age
}

// clockStep is how late coarse may be.
const clockStep = time.Second

// dateLine returns the field line. RFC 9110, 6.6.1.
func (c *clock) dateLine() []byte {
	if !c.fresh {
		c.refresh()
	}
	return c.line
}

func (c *clock) refresh() {
	now := c.loop.Now()
	c.fresh, c.age = true, now.Sub(c.start)
	c.line = append(AppendDate(append(c.line[:0], "Date: "...), now), "\r\n"...)
	left := clockStep - time.Duration(now.Nanosecond())
	if c.timer == nil {
		c.timer = c.loop.After(left, func() { c.fresh = false })
	} else {
		c.timer.Reset(left)
	}
}

const dateLineBytes = len("Date: ") + DateBytes + len("\r\n")
