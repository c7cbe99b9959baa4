package client

// requests is a list of requests, each of which is in one list at most.
type requests struct {
	first, last *request
	n           int
}

// push adds r to the end.
func (l *requests) push(r *request) {
	r.list, r.prev, r.next = l, l.last, nil
	if l.last == nil {
		l.first = r
	} else {
		l.last.next = r
	}
	l.last = r
	l.n++
}

// remove takes r out; a nil list has nothing.
func (l *requests) remove(r *request) {
	if l == nil || r.list != l {
		return
	}
	if r.prev == nil {
		l.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		l.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.list, r.prev, r.next = nil, nil, nil
	l.n--
}

// append moves all of o to the end of l.
func (l *requests) append(o *requests) {
	for o.first != nil {
		r := o.first
		o.remove(r)
		l.push(r)
	}
}
