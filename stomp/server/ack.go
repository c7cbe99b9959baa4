package server

import (
	"errors"
	"strconv"
	"strings"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp"
)

// settlement is what a client says of a message.
type settlement uint8

const (
	settleAccept settlement = iota
	settleRetry
	settleReject
)

// nack is ACK's opposite: the message comes again, or is given up with requeue:false. STOMP 1.2, "NACK".
func (s *Session) nack(f *stomp.Frame) string {
	switch requeue := f.Headers.Get("requeue"); {
	case s.state.Version == stomp.Version10:
		return "NACK is not in STOMP 1.0"
	case requeue == "false":
		return s.acknowledge(f, settleReject)
	case requeue != "" && requeue != "true":
		return "requeue is neither true nor false"
	}
	return s.acknowledge(f, settleRetry)
}

// acknowledge settles one message, or all of its subscription up to it. What is settled already stays as it is.
// STOMP 1.2, "ACK".
func (s *Session) acknowledge(f *stomp.Frame, how settlement) string {
	sub, i, found, problem := s.findUnsettled(f)
	if problem != "" {
		return problem
	}
	var t *transaction
	if name, in := f.Headers.Lookup(stomp.HeaderTransaction); in {
		if t = s.txs.open[name]; t == nil {
			return "no such transaction"
		}
	}
	if found {
		first := i
		if sub.mode == ackClient {
			first = 0
		}
		for range i - first + 1 {
			if problem := s.settle(sub, first, how, t); problem != "" {
				return problem
			}
		}
	}
	s.processed(f)
	return ""
}

// settle settles delivery i of sub's window, or makes it part of a transaction.
func (s *Session) settle(sub *subscription, i int, how settlement, t *transaction) string {
	if t != nil {
		return s.settleLater(sub, i, how, t)
	}
	d := sub.window.remove(i)
	switch how {
	case settleAccept:
		d.AcceptAndGrant()
		return ""
	case settleRetry:
		d.Retry()
	case settleReject:
		d.Reject()
	}
	sub.consumer.Grant(1)
	return ""
}

// settleLater adds a settlement to a transaction, which has the delivery from now on.
func (s *Session) settleLater(sub *subscription, i int, how settlement, t *transaction) string {
	if problem := s.action(t, 0); problem != "" {
		return problem
	}
	d := sub.window.at(i)
	var err error
	switch how {
	case settleAccept:
		err = t.tx.Accept(d)
	case settleRetry:
		err = t.tx.Retry(d)
	case settleReject:
		err = t.tx.Reject(d)
	}
	if errors.Is(err, broker.ErrSettled) {
		sub.window.remove(i) // it went away with its consumer; the session is about to hear of that
		return ""
	}
	if err != nil {
		return err.Error()
	}
	sub.window.remove(i)
	t.held = append(t.held, held{sub, d})
	return ""
}

// findUnsettled finds what ACK and NACK mean by version. found is false for what was settled before.
func (s *Session) findUnsettled(f *stomp.Frame) (sub *subscription, i int, found bool, problem string) {
	if s.state.Version == stomp.Version12 {
		return s.findByAck(f)
	}
	text, ok := f.Headers.Lookup(stomp.HeaderMessageID)
	if !ok {
		return nil, 0, false, string(f.Command) + " without message-id"
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, 0, false, "no such message"
	}
	key, has := f.Headers.Lookup(stomp.HeaderSubscription)
	switch {
	case has:
		sub = s.subs.byKey[subscriptionKey(key, true, "")]
	case s.state.Version == stomp.Version11:
		return nil, 0, false, string(f.Command) + " without subscription"
	default:
		sub = s.findByMessage(id)
	}
	switch {
	case sub == nil:
		return nil, 0, false, "no such message or subscription"
	case sub.mode == ackAuto:
		return nil, 0, false, "the subscription acknowledges by itself"
	}
	i, found = sub.window.findMessage(id)
	if !found && id > sub.highest {
		return nil, 0, false, "no such message"
	}
	return sub, i, found, ""
}

// findByAck reads the id of 1.2: the subscription's prefix and the delivery's tag.
func (s *Session) findByAck(f *stomp.Frame) (sub *subscription, i int, found bool, problem string) {
	id, ok := f.Headers.Lookup(stomp.HeaderID)
	if !ok {
		return nil, 0, false, string(f.Command) + " without id"
	}
	dash := strings.IndexByte(id, '-')
	tag, err := strconv.ParseUint(id[dash+1:], 10, 64)
	sub = s.subs.bySerial[id[:dash+1]]
	if err != nil || sub == nil || tag == 0 || tag > sub.tag {
		return nil, 0, false, "no such message"
	}
	i, found = sub.window.find(tag)
	return sub, i, found, ""
}

// findByMessage finds the subscription that a 1.0 client means: the oldest that has the message unsettled, or else one that
// could have had it.
func (s *Session) findByMessage(id uint64) *subscription {
	var has, had *subscription
	for _, sub := range s.subs.byKey {
		if sub.mode == ackAuto {
			continue
		}
		if _, ok := sub.window.findMessage(id); ok && (has == nil || sub.serial < has.serial) {
			has = sub
		}
		if id <= sub.highest {
			had = sub
		}
	}
	if has != nil {
		return has
	}
	return had
}
