package server

import (
	"errors"
	"strings"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp"
)

// send publishes, or makes the message part of a transaction. STOMP 1.2, "SEND".
func (s *Session) send(f *stomp.Frame) string {
	destination := f.Headers.Get(stomp.HeaderDestination)
	if destination == "" {
		return "SEND without destination"
	}
	var t *transaction
	if name, in := f.Headers.Lookup(stomp.HeaderTransaction); in {
		if t = s.txs.open[name]; t == nil {
			return "no such transaction"
		}
	}
	if s.cfg.Authorize != nil {
		if err := s.cfg.Authorize(s, OpSend, destination); err != nil {
			return err.Error()
		}
	}
	m, err := s.message(f, destination)
	if err != nil {
		return err.Error()
	}
	switch {
	case t != nil:
		return s.sendIn(t, f, m)
	case s.cfg.Publish != nil:
		a := newAnswer(f)
		a.left = 1
		s.wait(a)
		s.publishLater(m, a)
		s.advance()
		return ""
	}
	p, err := s.cfg.Broker.Publish(m)
	if err != nil && !s.gone(err) {
		return err.Error()
	}
	s.processed(f)
	s.Pause(p)
	return ""
}

// gone reports that a message was sent to a temporary destination whose owner has left, which is nobody's fault: the
// message is dropped and counted.
func (s *Session) gone(err error) bool {
	if !errors.Is(err, broker.ErrNoDestination) {
		return false
	}
	s.counts.unroutable++
	return true
}

// message makes a broker's message of a SEND frame.
func (s *Session) message(f *stomp.Frame, destination string) (*broker.Message, error) {
	name, _, err := s.resolve(destination)
	if err != nil {
		return nil, err
	}
	m := broker.NewMessage(name)
	for _, h := range f.Headers {
		switch h.Name {
		case stomp.HeaderDestination, stomp.HeaderReceipt, stomp.HeaderContentLength, stomp.HeaderTransaction,
			stomp.HeaderMessageID, stomp.HeaderSubscription, stomp.HeaderAck, stomp.HeaderRedelivered:
		case headerReplyTo:
			if name, _, err = s.resolve(h.Value); err != nil {
				m.Release()
				return nil, err
			}
			m.AppendProperty(headerReplyTo, name)
		default:
			m.AppendProperty(h.Name, h.Value)
		}
	}
	for i := range f.Body.Parts() {
		if p := f.Body.Part(i); len(p) < copyBelow {
			m.AppendBytes(p)
		} else {
			m.AppendCompact(f.Body.Slice(i))
		}
	}
	return m, nil
}

const (
	headerReplyTo = "reply-to"
	copyBelow     = 1 << 10 // what a Body copies anyway
)

// sendIn makes m part of a transaction.
func (s *Session) sendIn(t *transaction, f *stomp.Frame, m *broker.Message) string {
	if problem := s.action(t, int64(m.Size())); problem != "" {
		m.Release()
		return problem
	}
	if s.cfg.Publish != nil {
		t.messages = append(t.messages, m)
	} else if err := t.tx.Publish(m); err != nil {
		return err.Error()
	}
	s.processed(f)
	return ""
}

// newAnswer is for a frame that waits.
func newAnswer(f *stomp.Frame) *answer {
	id, asked := f.Headers.Lookup(stomp.HeaderReceipt)
	return &answer{receipt: strings.Clone(id), asked: asked}
}

// publishLater gives m to Config.Publish; a waits for it.
func (s *Session) publishLater(m *broker.Message, a *answer) {
	l := &later{}
	var failed error
	finish := func() {
		a.left--
		if a.failed == nil && failed != nil && !s.gone(failed) {
			a.failed = failed
		}
	}
	s.cfg.Publish(s, m, func(err error) {
		if l.answer(func() { failed = err }) {
			s.post(func() {
				finish()
				s.advance()
			})
		}
	})
	if l.hookReturned() {
		finish()
	}
}
