package httpx

// idleList is connections by how long they have been unused. The zero value is empty.
type idleList struct {
	oldest, newest *clientConn
	n              int
}

// idleLinks is the place of a connection in an idleList.
type idleLinks struct {
	older, newer *clientConn
	in           bool
}

func (l *idleList) add(c *clientConn) {
	c.links = idleLinks{older: l.newest, in: true}
	if l.newest == nil {
		l.oldest = c
	} else {
		l.newest.links.newer = c
	}
	l.newest = c
	l.n++
}

// remove reports whether c was in the list.
func (l *idleList) remove(c *clientConn) bool {
	at := c.links
	if !at.in {
		return false
	}
	c.links = idleLinks{}
	if at.older == nil {
		l.oldest = at.newer
	} else {
		at.older.links.newer = at.newer
	}
	if at.newer == nil {
		l.newest = at.older
	} else {
		at.newer.links.older = at.older
	}
	l.n--
	return true
}

// callQueue is calls that wait, first come first served. The zero value is empty.
type callQueue struct {
	first, last *Call
	n           int
}

// callLinks is the place of a call in a callQueue.
type callLinks struct {
	before, behind *Call
	in             bool
}

func (q *callQueue) push(c *Call) {
	c.links = callLinks{before: q.last, in: true}
	if q.last == nil {
		q.first = c
	} else {
		q.last.links.behind = c
	}
	q.last = c
	q.n++
}

// pop takes the first one, nil = there is none.
func (q *callQueue) pop() *Call {
	c := q.first
	if c != nil {
		q.remove(c)
	}
	return c
}

// remove reports whether c was in the queue.
func (q *callQueue) remove(c *Call) bool {
	at := c.links
	if !at.in {
		return false
	}
	c.links = callLinks{}
	if at.before == nil {
		q.first = at.behind
	} else {
		at.before.links.behind = at.behind
	}
	if at.behind == nil {
		q.last = at.before
	} else {
		at.behind.links.before = at.before
	}
	q.n--
	return true
}
