package pipeline

import "time"

// Clock is where a loop gets its time from. Embedded channels have one that stands still until a test
// advances it.
type Clock interface {
	Now() time.Time
}

type systemClock struct{}

// Now is the time of the machine, with its monotonic reading.
func (systemClock) Now() time.Time { return time.Now() }
