package pipeline

import "time"

// Timer runs a function on the loop of the channel that it was made for, once per arming, until that
// channel has closed. Call its methods on the event loop only.
type Timer struct {
	loop *Loop
	ch   *Channel // nil: a timer of the loop itself
	run  func()
	due  time.Time
	at   int // place in the heap, -1 when not armed
}

// Reset arms the timer for d from now, also when it has fired or was stopped. It does not allocate.
func (t *Timer) Reset(d time.Duration) {
	t.due = t.loop.Now().Add(max(d, 0))
	if t.at < 0 {
		t.loop.timers.push(t)
	} else {
		t.loop.timers.fix(t.at)
	}
	t.loop.arm()
}

// Stop disarms the timer and reports whether it was armed.
func (t *Timer) Stop() bool {
	if t == nil || t.at < 0 {
		return false
	}
	t.loop.timers.remove(t.at)
	return true
}

// Armed reports whether the timer is going to fire.
func (t *Timer) Armed() bool { return t != nil && t.at >= 0 }

// timerHeap is a binary heap by due time whose members know their place.
type timerHeap []*Timer

func (h timerHeap) less(i, j int) bool { return h[i].due.Before(h[j].due) }

func (h timerHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

func (h *timerHeap) push(t *Timer) {
	t.at = len(*h)
	*h = append(*h, t)
	h.up(t.at)
}

func (h *timerHeap) remove(i int) {
	last := len(*h) - 1
	(*h)[i].at = -1
	if i != last {
		(*h)[i] = (*h)[last]
		(*h)[i].at = i
	}
	(*h)[last] = nil
	*h = (*h)[:last]
	if i != last {
		h.fix(i)
	}
}

func (h timerHeap) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h timerHeap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(i, parent) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h timerHeap) down(i int) bool {
	start := i
	for {
		child := 2*i + 1
		if child >= len(h) {
			return i > start
		}
		if child+1 < len(h) && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			return i > start
		}
		h.swap(i, child)
		i = child
	}
}
