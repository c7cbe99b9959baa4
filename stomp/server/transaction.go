package server

import (
	"strings"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp"
)

// transactions are the open ones of a session.
type transactions struct {
	open  map[string]*transaction
	bytes int64 // of the messages in all of them
}

// transaction is one that has begun.
type transaction struct {
	tx       *broker.Transaction
	held     []held            // settled in it
	messages []*broker.Message // for Config.Publish, at COMMIT
	actions  int
	bytes    int64
}

// held is a delivery that belongs to a transaction.
type held struct {
	sub *subscription
	d   *broker.Delivery
}

// begin starts a transaction. STOMP 1.2, "BEGIN".
func (s *Session) begin(f *stomp.Frame) string {
	name, ok := f.Headers.Lookup(stomp.HeaderTransaction)
	switch {
	case !ok:
		return "BEGIN without transaction"
	case s.txs.open[name] != nil:
		return "transaction exists already"
	case len(s.txs.open) >= s.cfg.MaxTransactions:
		return "too many transactions"
	}
	if s.txs.open == nil {
		s.txs.open = make(map[string]*transaction)
	}
	s.txs.open[strings.Clone(name)] = &transaction{tx: s.cfg.Broker.Begin()}
	s.processed(f)
	return ""
}

// action counts one more of a transaction.
func (s *Session) action(t *transaction, size int64) (problem string) {
	switch {
	case t.actions >= s.cfg.MaxActions:
		return "too many actions in a transaction"
	case s.txs.bytes+size > s.cfg.MaxTransactionBytes:
		return "transactions are too large"
	}
	t.actions++
	t.bytes += size
	s.txs.bytes += size
	return ""
}

// takeTransaction takes the transaction that f names out of the open ones.
func (s *Session) takeTransaction(f *stomp.Frame) (t *transaction, problem string) {
	name, ok := f.Headers.Lookup(stomp.HeaderTransaction)
	if !ok {
		return nil, string(f.Command) + " without transaction"
	}
	if t = s.txs.open[name]; t == nil {
		return nil, "no such transaction"
	}
	delete(s.txs.open, name)
	s.txs.bytes -= t.bytes
	return t, ""
}

// commit carries a transaction out. STOMP 1.2, "COMMIT".
func (s *Session) commit(f *stomp.Frame) string {
	t, problem := s.takeTransaction(f)
	if problem != "" {
		return problem
	}
	if len(t.messages) > 0 {
		s.commitLater(f, t)
		return ""
	}
	if problem := s.carryOut(t); problem != "" {
		return problem
	}
	s.processed(f)
	return ""
}

// carryOut commits at the broker and returns credit.
func (s *Session) carryOut(t *transaction) (problem string) {
	p, err := t.tx.Commit()
	if err != nil {
		t.tx.Abort()
		return err.Error()
	}
	for _, h := range t.held {
		if !h.sub.stopped {
			h.sub.consumer.Grant(1)
		}
	}
	s.Pause(p)
	return ""
}

// commitLater gives the messages to Config.Publish; when all are done the acknowledgements take effect.
func (s *Session) commitLater(f *stomp.Frame, t *transaction) {
	a := newAnswer(f)
	a.left = len(t.messages)
	a.then = func() {
		if problem := s.carryOut(t); problem != "" {
			s.fail(a.receipt, a.asked, problem)
			a.asked = false
		}
	}
	a.undo = t.tx.Abort
	s.wait(a)
	for _, m := range t.messages {
		s.publishLater(m, a)
	}
	t.messages = nil
	s.advance()
}

// abort drops a transaction; what was acknowledged in it is unsettled again. STOMP 1.2, "ABORT".
func (s *Session) abort(f *stomp.Frame) string {
	t, problem := s.takeTransaction(f)
	if problem != "" {
		return problem
	}
	t.abort()
	for _, h := range t.held {
		if !h.sub.stopped {
			h.sub.window.insert(h.d)
		}
	}
	s.processed(f)
	return ""
}

func (t *transaction) abort() {
	t.tx.Abort()
	for _, m := range t.messages {
		m.Release()
	}
	t.messages = nil
}

// abortAll is what the end of a session does. STOMP 1.2, "BEGIN".
func (l *transactions) abortAll() {
	for _, t := range l.open {
		t.abort()
	}
	*l = transactions{}
}
