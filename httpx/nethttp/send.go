package nethttp

import (
	"errors"
	"net/http"
	"os"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// This file has how an answer goes to the loop.

// send waits for room, then is put.
func (r *response) send(last *httpx.Content) error {
	if err := r.room(); err != nil {
		return err
	}
	return r.put(last)
}

// put gives what is kept back to the loop, behind the head if that has not gone, and last behind it unless it is nil: as
// one message with an end that has nothing of its own.
func (r *response) put(last *httpx.Content) error {
	var msgs []any
	if r.opening != nil {
		msgs = append(msgs, r.opening)
		r.opening = nil
	}
	n := r.kept()
	if n > 0 {
		c := httpx.NewContent(r.takeKept())
		if last == httpx.EmptyLast {
			c.Last, last = true, nil
		}
		msgs = append(msgs, c)
	}
	if last != nil {
		msgs = append(msgs, last)
	}
	if len(msgs) == 0 {
		return nil
	}
	return r.note(r.c.push(n, msgs...))
}

// room waits until more may be sent. Behind a deadline the connection is over, as the client cannot be told anything
// else than that.
func (r *response) room() error {
	if r.failed != nil {
		return r.failed
	}
	err := r.c.room()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		r.c.x.Channel().CloseWith(pipeline.CloseNow, nil)
	}
	return r.note(err)
}

// note keeps the first error.
func (r *response) note(err error) error {
	if err != nil && r.failed == nil {
		r.failed = err
		r.dropKept()
		r.dropOpening()
	}
	return err
}

func (r *response) dropOpening() {
	if r.opening != nil {
		r.opening.Release()
		r.opening = nil
	}
}

// open decides, if that has not happened, and makes the head.
func (r *response) open(last bool) {
	if !r.decided {
		r.decide(last)
		r.opening = r.newHead()
	}
	if r.c.req.Method == http.MethodHead {
		r.dropKept()
	}
}

// Flush sends what is kept back.
func (r *response) Flush() { _ = r.FlushError() }

// FlushError is Flush that tells when the client has left, or when it takes nothing before the write deadline.
func (r *response) FlushError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writing(0); err != nil {
		return err
	}
	if r.leaves() {
		_, err := r.takeOver()
		return err
	}
	r.open(false)
	return r.send(nil)
}

// finish completes the answer behind the handler.
func (r *response) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hijacked {
		return
	}
	if r.status == 0 {
		r.writeHeader(http.StatusOK)
	}
	r.over = true
	switch {
	case r.leaves():
		if conn, err := r.takeOver(); err == nil {
			_ = conn.Close() // nobody else will
		}
		return
	case r.small():
		r.respond()
	case !r.end():
		_ = r.c.push(0, orderAbort) // a client that has left is no error
		return
	}
	if !r.head.closes && !r.c.body.leave() {
		_ = r.c.push(0, orderClose)
	}
}

// small reports whether the whole answer is here, and goes as one message.
func (r *response) small() bool {
	return !r.decided && !r.head.trailing && !r.head.coded && !r.wrongLength()
}

// wrongLength reports whether the announced length is not that of the body.
func (r *response) wrongLength() bool {
	return r.length >= 0 && r.written != r.length && r.c.req.Method != http.MethodHead && bodyAllowed(r.status)
}

// respond sends a whole answer: as one message, which makes its own way to the loop, when nothing else is on its way.
func (r *response) respond() {
	r.decide(true)
	if r.c.req.Method == http.MethodHead {
		r.dropKept()
	}
	if !r.c.idle() {
		r.opening = r.newHead()
		_ = r.put(httpx.EmptyLast) // a client that has left is no error
		return
	}
	f := r.head.whole
	r.head.whole = nil
	r.finishHead(&f.Response)
	f.SetBodySlice(r.takeKept())
	_ = r.c.x.Respond(f) // likewise
}

// end completes an answer in pieces. It reports false when that is not possible: the answer is shorter than announced,
// or the client does not take it.
func (r *response) end() bool {
	r.open(true)
	if r.wrongLength() {
		_ = r.send(nil)
		return false
	}
	last := httpx.EmptyLast
	if t := r.trailer(); t != nil {
		last = &httpx.Content{Last: true, Trailer: t}
	}
	return r.send(last) == nil
}

// abort breaks the answer off behind what has been decided of it, or in its place.
func (r *response) abort() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hijacked {
		return
	}
	r.over = true
	if r.decided && r.failed == nil {
		_ = r.put(nil) // what matters is that it is broken off
	}
	r.dropKept()
	r.dropOpening()
	r.head.drop()
	_ = r.c.push(0, orderAbort)
}
