package httpx

// This file has what Aggregator knows of the messages that it puts together.

func isPart(msg any) bool {
	switch msg.(type) {
	case *Content, *Request, *Response:
		return true
	}
	return false
}

// isLast reports whether a message ends with p.
func isLast(p any) bool {
	switch p := p.(type) {
	case *Content:
		return p.Last
	case *Request:
		return p.Length == 0
	case *Response:
		return p.Length == 0
	}
	return false
}

func partBytes(p any) int {
	if c, ok := p.(*Content); ok {
		return c.Len()
	}
	return 0
}

// start makes a whole message of a head.
func (a *Aggregator) start(p any) (w any, ok bool, err error) {
	limit := int64(a.limit())
	switch p := p.(type) {
	case *Request:
		if p.Length > limit {
			return nil, false, tooLarge(statusContentTooLarge)
		}
		a.awaited = p.ExpectContinue
		f := newFullRequest()
		p.moveTo(&f.Request)
		return f, true, nil
	case *Response:
		if p.Interim() {
			return nil, false, nil
		}
		if p.Length > limit {
			return nil, false, tooLarge(0)
		}
		f := NewFullResponse(0)
		p.moveTo(&f.Response)
		return f, true, nil
	}
	return nil, false, nil // a piece of nothing
}

// add appends a piece to a whole message.
func (a *Aggregator) add(w, p any) error {
	a.awaited, a.owed = false, false // the client did not wait, or has waited
	c, ok := p.(*Content)
	if !ok {
		a.ctx.Release(p)
		return ErrOrder
	}
	switch w := w.(type) {
	case *FullRequest:
		w.join(a.ctx.Loop().Pool(), c)
		if c.Last {
			w.Length, w.Trailer = int64(w.BodyLen()), c.Trailer
		}
	case *FullResponse:
		w.join(a.ctx.Loop().Pool(), c)
		if c.Last {
			w.Length, w.Trailer = int64(w.BodyLen()), c.Trailer
		}
	}
	a.ctx.Release(c)
	return nil
}

// tooLong is the error for a whole message that grew beyond the limit.
func tooLong(w any, _ int) error {
	if _, ok := w.(*FullRequest); ok {
		return tooLarge(statusContentTooLarge)
	}
	return tooLarge(0)
}

func tooLarge(status int) error { return refuse(status, "body too large") }
