package nethttp

import "time"

// deadline is a point in time behind which waiting ends. The lock of its link guards it.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

// set moves the deadline; the zero time takes it away. wake is called when it has passed.
func (d *deadline) set(at time.Time, wake func()) {
	d.stop()
	d.at = at
	if wait := time.Until(at); !at.IsZero() && wait > 0 {
		d.timer = time.AfterFunc(wait, wake)
	}
}

// passed reports whether the deadline is over.
func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

// stop lets the timer go.
func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
