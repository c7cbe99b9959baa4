package nethttp

import (
	"bufio"
	"net"
	"net/http"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// takeover is a message to the loop: the connection leaves HTTP for conn, behind head unless that is nil.
type takeover struct {
	conn *conn
	head *httpx.Response
}

var _ buffer.Counted = (*takeover)(nil)

// Retain does nothing: a takeover is sent once.
func (t *takeover) Retain() {}

// Release says that the connection was gone before.
func (t *takeover) Release() {
	if t.head != nil {
		t.head.Release()
	}
	t.conn.fail(httpx.ErrGone)
}

// Hijack takes the connection over: nothing more is sent for the handler, and all further octets are its own. Those that
// have come already are in the reader's buffer; of a body that the handler has not read that is its content, without the
// framing of chunks. It sends nothing itself, but a head that was written goes first.
func (r *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hijacked:
		return nil, nil, http.ErrHijacked
	case r.over:
		return nil, nil, errOver
	}
	if r.status != 0 && !r.leaves() {
		r.open(false)
		if err := r.send(nil); err != nil {
			return nil, nil, err
		}
	}
	conn, err := r.takeOver()
	if err != nil {
		return nil, nil, err
	}
	r.hijacked = true
	r.dropKept()
	early := conn.waiting()
	in := bufio.NewReaderSize(conn, max(early, bufferful))
	if early > 0 {
		if _, err := in.Peek(early); err != nil {
			return nil, nil, err
		}
	}
	return conn, bufio.NewReadWriter(in, bufio.NewWriterSize(conn, bufferful)), nil
}

// takeOver makes a connection of the channel and waits until it is one. An answer that leaves HTTP goes first.
func (r *response) takeOver() (*conn, error) {
	c := r.c
	if c.conn != nil {
		return c.conn, nil
	}
	t := &takeover{conn: newConn(c.x.Channel())}
	if r.leaves() {
		r.decided = true
		t.head = r.newHead()
		t.head.Close = false
	}
	c.mu.Lock()
	c.conn = t.conn
	c.mu.Unlock()
	if err := c.push(0, t); err != nil {
		return nil, err
	}
	return t.conn, t.conn.awaitReady()
}

// perform hands the connection over, with what has come of the body. It runs on the event loop.
func (t *takeover) perform(c *call) {
	c.mu.Lock()
	b := &c.body
	pieces, at := b.pieces, b.at
	b.pieces, b.held, b.at, b.closed = nil, 0, 0, true
	c.mu.Unlock()
	for _, piece := range pieces {
		if n := piece.Len() - at; n > 0 {
			s := piece.Data.Sub(at, n)
			t.conn.receive(s.Buffer())
			s.Release()
		}
		at = 0
		piece.Release()
	}
	var err error
	if t.head != nil {
		err = c.x.Upgrade(t.head, t.conn)
	} else {
		err = c.x.Hijack(t.conn)
	}
	if err != nil {
		t.conn.fail(err) // it tells
	}
}
