package httpx

// OnAnswer has f called with the head of the final answer right before it is sent, whoever gives it and in whatever
// form: f may change its fields. This is how a middleware adds something to answers that are not its own. What was given
// last is called first, so that an outer middleware sees what an inner one made. f runs on the event loop, and not at
// all when the client leaves before. Call it on the event loop only, before the answer is given.
func (x *Exchange) OnAnswer(f func(r *Response)) { x.hooks = append(x.hooks, f) }

// hooked runs the functions of OnAnswer on the head of the final answer, and returns what is to be sent in its place:
// one that others hold too is not changed.
func (x *Exchange) hooked(msg any) any {
	var head *Response
	switch m := msg.(type) {
	case *FullResponse:
		m = m.unshared()
		msg, head = m, &m.Response
	case *Response:
		if m.Interim() {
			return msg
		}
		head = m.unshared()
		msg = head
	case *upgrade:
		m.response = m.response.unshared()
		head = m.response
	default:
		return msg
	}
	hooks := x.hooks
	x.hooks = nil
	for i := len(hooks) - 1; i >= 0; i-- {
		hooks[i](head)
	}
	return msg
}

// cut ends the connection when a piece of the answer was refused, since the client must not take the rest for the whole;
// ok is false then. A client that has gone needs nothing.
func (x *Exchange) cut(err error) (ok bool) {
	if err != nil && !x.answer.gone && x.channel.IsOpen() {
		x.handler.ctx.FireError(err)
	}
	return err == nil
}

// unshared returns r, or a copy in its place when somebody else holds it.
func (r *Response) unshared() *Response {
	if !r.refs.Shared() {
		return r
	}
	own := NewResponse(r.Status)
	own.copyFields(r)
	r.Release()
	return own
}

func (r *Response) copyFields(o *Response) {
	r.Reason, r.Close, r.Identity = o.Reason, o.Close, o.Identity
	r.Header.AddAll(&o.Header)
}

// unshared returns f, or a copy in its place when somebody else holds it.
func (f *FullResponse) unshared() *FullResponse {
	if !f.refs.Shared() {
		return f
	}
	own := NewFullResponse(f.Status)
	own.copyFields(&f.Response)
	f.slice.Retain()
	own.text, own.plain, own.slice, own.Trailer = f.text, f.plain, f.slice, f.Trailer
	f.Release()
	return own
}
