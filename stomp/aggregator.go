package stomp

// Aggregator puts the subframes of one connection together into frames. The zero value takes bodies up to
// 4 MiB. Call it on the event loop only.
type Aggregator struct {
	// MaxBody is the limit of one body in octets. 0 = 4 MiB.
	MaxBody int64

	frame *Frame
	body  assembler
	skip  bool // the rest of a frame that was too large is dropped
}

// Accepts reports whether m is a message for Add: *HeadersSubframe, *ContentSubframe or *Frame.
func (a *Aggregator) Accepts(m any) bool {
	switch m.(type) {
	case *ContentSubframe, *HeadersSubframe, *Frame:
		return true
	}
	return false
}

// Add takes m and returns the frame that is complete with it; a whole *Frame is returned as it is. ok is false
// when there is none yet. A body over the limit is reported once, when it is declared or when it grows past
// it, and the rest of that frame is dropped; what comes after it is aggregated again. A message out of order
// is reported and dropped with the frame that it interrupts. The caller owns f; m is released or part of f,
// also on error. A message that Add does not accept is reported as out of order and stays the caller's.
func (a *Aggregator) Add(m any) (f *Frame, ok bool, err error) {
	switch m := m.(type) {
	case *ContentSubframe:
		return a.content(m)
	case *HeadersSubframe:
		defer m.Release()
		return nil, false, a.headers(m)
	case *Frame:
		if a.frame != nil || a.skip {
			m.Release()
			return nil, false, a.interrupted(m.Command)
		}
		return m, true, nil
	}
	return nil, false, &Error{Reason: ErrOutOfOrder}
}

// Reset drops an unfinished frame. An aggregator that is taken out of use must be reset.
func (a *Aggregator) Reset() {
	if a.frame != nil {
		a.frame.Release()
		a.frame = nil
	}
	a.body.reset()
	a.skip = false
}

func (a *Aggregator) headers(h *HeadersSubframe) error {
	if a.frame != nil || a.skip {
		return a.interrupted(h.Command)
	}
	if n, ok := parseLength(h.Headers.Get(HeaderContentLength)); ok && n > a.limit() {
		return a.tooLarge(h.Command)
	}
	h.Retain() // its strings are the frame's
	a.frame = NewFrame(h.Command)
	a.frame.held = h
	a.frame.Headers = append(room(&a.frame.own, len(h.Headers)), h.Headers...)
	return nil
}

func (a *Aggregator) content(c *ContentSubframe) (*Frame, bool, error) {
	last := c.Last
	if a.frame == nil {
		skipped := a.skip
		a.skip = a.skip && !last
		c.Release()
		if !skipped {
			return nil, false, &Error{Reason: ErrOutOfOrder}
		}
		return nil, false, nil
	}
	if int64(a.body.len())+int64(c.Data.Len()) > a.limit() {
		c.Release()
		err := a.tooLarge(a.frame.Command)
		a.skip = !last
		return nil, false, err
	}
	if c.Data.Len() > 0 {
		c.Data.Retain()
		a.body.add(c.Data)
	}
	c.Release()
	if !last {
		return nil, false, nil
	}
	f := a.frame
	a.frame = nil
	a.body.moveTo(&f.Body)
	return f, true, nil
}

func (a *Aggregator) limit() int64 { return orDefault(a.MaxBody, DefaultBody) }

// tooLarge drops the frame and what is still to come of it.
func (a *Aggregator) tooLarge(c Command) error {
	a.Reset()
	a.skip = true
	return &Error{Reason: ErrBodyTooLarge, Command: c, Limit: a.limit()}
}

// interrupted drops the frame that is unfinished and the one that came in between.
func (a *Aggregator) interrupted(c Command) error {
	a.Reset()
	a.skip = true
	return &Error{Reason: ErrOutOfOrder, Command: c}
}
