package client

import (
	"context"

	"github.com/penstock-go/penstock/stomp"
)

// Transaction is a group of frames of which the server processes all or none. It belongs to the connection that it was
// begun on: when that is lost the server drops it, and everything but Commit, if its outcome is unknown, returns ErrStale.
// Its methods are safe for concurrent use. STOMP 1.2, "BEGIN".
type Transaction struct {
	client *Client
	conn   *conn
	id     string

	// Guarded by the client's mutex.
	ended   bool
	settled []*Message // no references: what they hold is not looked at
}

// Begin begins a transaction and does not wait. ErrNotConnected, ErrBusy (too many are open), ErrClosed. Safe for
// concurrent use.
func (c *Client) Begin() (*Transaction, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.conn
	if c.ready() && n.transactions >= orDefault(c.MaxTransactions, DefaultMaxTransactions) {
		return nil, ErrBusy
	}
	t := &Transaction{client: c, conn: n, id: c.newID("t")}
	r := newRequest(stomp.NewFrame(stomp.CommandBegin, stomp.HeaderTransaction, t.id), nil)
	r.vital = true
	if err := c.submit(r, false); err != nil {
		return nil, err
	}
	n.transactions++
	return t, nil
}

// Send is Client.Send within the transaction.
func (t *Transaction) Send(parent context.Context, f *stomp.Frame) error {
	return t.client.sendAndWait(parent, f, false, t)
}

// StartSend is Client.StartSend within the transaction and without a receipt: that of Commit is enough.
func (t *Transaction) StartSend(f *stomp.Frame) error {
	t.client.mu.Lock()
	defer t.client.mu.Unlock()
	return t.client.startSend(f, false, t, nil)
}

// Ack is Message.Ack within the transaction. After Abort the message is not settled.
func (t *Transaction) Ack(m *Message) error { return m.settle(stomp.CommandAck, t) }

// Nack is Message.Nack within the transaction. After Abort the message is not settled.
func (t *Transaction) Nack(m *Message) error { return m.settle(stomp.CommandNack, t) }

// Commit has the server process everything, and waits for its receipt. ErrUnconfirmed: whether it has is unknown.
// *ServerError: it has not. When parent ends first its cause is returned, and the outcome is unknown as well. ErrEnded.
func (t *Transaction) Commit(parent context.Context) error {
	return t.client.outcome(parent, t.StartCommit)
}

// outcome begins something and waits for its outcome, or for the end of parent.
func (c *Client) outcome(parent context.Context, start func(done func(err error)) error) error {
	if err := c.blocked(nil); err != nil {
		return err
	}
	done := make(chan error, 1)
	if err := start(func(err error) { done <- err }); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-parent.Done():
		return context.Cause(parent)
	}
}

// StartCommit is Commit that does not wait: done, unless it is nil, is called once with the outcome, on the event loop. An
// error says that nothing has been done and done is not called.
func (t *Transaction) StartCommit(done func(err error)) error {
	c := t.client
	c.mu.Lock()
	defer c.mu.Unlock()
	r := newRequest(stomp.NewFrame(stomp.CommandCommit, stomp.HeaderTransaction, t.id), done)
	c.confirm(r)
	return t.finish(r)
}

// Abort has the server drop everything, and does not wait. Messages that were settled in the transaction are not.
// ErrEnded; ErrStale: it has been dropped already.
func (t *Transaction) Abort() error {
	c := t.client
	c.mu.Lock()
	defer c.mu.Unlock()
	err := t.finish(newRequest(stomp.NewFrame(stomp.CommandAbort, stomp.HeaderTransaction, t.id), nil))
	if err != nil {
		return err
	}
	for _, m := range t.settled {
		m.settled = false
		m.sub.through = min(m.sub.through, m.seq-1)
	}
	t.settled = nil
	return nil
}

// finish sends the last frame. The client is locked.
func (t *Transaction) finish(r *request) error {
	if err := t.check(); err != nil {
		r.frame.Release()
		return err
	}
	if err := t.client.submit(r, false); err != nil {
		return err
	}
	r.vital = true
	t.ended = true
	t.conn.transactions--
	return nil
}

// check reports why the transaction cannot be used. nil stands for no transaction, and is always right. The client is
// locked.
func (t *Transaction) check() error {
	switch {
	case t == nil:
		return nil
	case t.ended:
		return ErrEnded
	case t.conn.gone != nil:
		return ErrStale
	}
	return nil
}

// note remembers that m is settled in the transaction. The client is locked.
func (t *Transaction) note(m *Message) {
	if t != nil {
		t.settled = append(t.settled, m)
	}
}
