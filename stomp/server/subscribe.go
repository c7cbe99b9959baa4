package server

import (
	"strconv"
	"strings"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp"
)

// subscribe attaches to a destination. 1.0 clients may leave the id out; the destination stands for it then.
// STOMP 1.2, "SUBSCRIBE".
func (s *Session) subscribe(f *stomp.Frame) string {
	sub, problem := s.newSubscription(f)
	if problem != "" {
		return problem
	}
	prefetch, problem := s.prefetch(f)
	if problem != "" {
		return problem
	}
	if s.cfg.Authorize != nil {
		if err := s.cfg.Authorize(s, OpSubscribe, sub.destination); err != nil {
			return err.Error()
		}
	}
	name, temporary, err := s.resolve(sub.destination)
	if err != nil {
		return err.Error()
	}
	s.subs.number(sub)
	sub.consumer, err = s.cfg.Broker.Attach(name, broker.ConsumerConfig{
		Deliver:     func(d *broker.Delivery) { s.inbox.put(sub, d) },
		Credit:      prefetch,
		Policy:      s.cfg.Policy,
		MaxMessages: s.cfg.MaxBacklog,
		MaxBytes:    s.cfg.MaxBacklogBytes,
		Closed:      func(err error) { s.post(func() { s.ended(sub, err) }) },
		Temporary:   temporary,
	})
	if err != nil {
		return err.Error()
	}
	s.subs.add(sub)
	s.processed(f)
	return ""
}

// newSubscription reads what identifies a subscription and how it is acknowledged.
func (s *Session) newSubscription(f *stomp.Frame) (sub *subscription, problem string) {
	destination := f.Headers.Get(stomp.HeaderDestination)
	id, hasID := f.Headers.Lookup(stomp.HeaderID)
	mode, known := s.ackMode(f)
	key := subscriptionKey(id, hasID, destination)
	switch {
	case destination == "":
		return nil, "SUBSCRIBE without destination"
	case !known:
		return nil, "ack mode is not known"
	case id == "" && s.state.Version > stomp.Version10: // MESSAGE must name it
		return nil, "SUBSCRIBE without id"
	case s.subs.byKey[key] != nil:
		return nil, "subscription exists already"
	case len(s.subs.byKey)+len(s.subs.ending) >= s.cfg.MaxSubscriptions:
		return nil, "too many subscriptions"
	}
	sub = &subscription{session: s, key: key, id: strings.Clone(id), destination: strings.Clone(destination), mode: mode}
	switch {
	case mode == ackAuto:
		sub.written = sub.wrote
	case s.state.Version < stomp.Version12:
		sub.window.tags = make(map[uint64]uint64)
	}
	return sub, ""
}

// ackMode reads the ack header. client-individual came with STOMP 1.1.
func (s *Session) ackMode(f *stomp.Frame) (mode ackMode, ok bool) {
	switch f.Headers.Get(stomp.HeaderAck) {
	case "", "auto":
		return ackAuto, true
	case "client":
		return ackClient, true
	case "client-individual":
		return ackIndividual, s.state.Version > stomp.Version10
	}
	return 0, false
}

// prefetch reads how many messages the client wants at a time; 0 asks for as many as possible.
func (s *Session) prefetch(f *stomp.Frame) (n int, problem string) {
	text, ok := f.Headers.Lookup("prefetch-count")
	if !ok {
		return min(s.cfg.Prefetch, s.cfg.MaxPrefetch), ""
	}
	wanted, err := strconv.ParseUint(text, 10, 31)
	switch {
	case err != nil:
		return 0, "prefetch-count is not a number"
	case wanted == 0:
		return s.cfg.MaxPrefetch, ""
	}
	return min(int(wanted), s.cfg.MaxPrefetch), ""
}

// unsubscribe ends a subscription by its id, or in 1.0 by its destination. STOMP 1.2, "UNSUBSCRIBE".
func (s *Session) unsubscribe(f *stomp.Frame) string {
	id, hasID := f.Headers.Lookup(stomp.HeaderID)
	destination, hasDestination := f.Headers.Lookup(stomp.HeaderDestination)
	if !hasID && (s.state.Version > stomp.Version10 || !hasDestination) {
		return "UNSUBSCRIBE without id"
	}
	sub := s.subs.byKey[subscriptionKey(id, hasID, destination)]
	if sub == nil {
		return "no such subscription"
	}
	s.subs.end(sub)
	sub.stop()
	s.processed(f)
	return ""
}

// subscriptionKey keeps ids and destinations apart.
func subscriptionKey(id string, hasID bool, destination string) string {
	if hasID {
		return "id " + id
	}
	return "destination " + destination
}

// ended is what the broker has to say against a subscription: the client does not keep up, or the broker is closed.
func (s *Session) ended(sub *subscription, err error) {
	if sub.closed || s.phase != phaseOpen {
		return
	}
	problem := "subscription has ended: " + err.Error()
	if sub.id == "" {
		s.fail("", false, problem)
		return
	}
	s.fail("", false, problem, stomp.HeaderSubscription, sub.id)
}

// post runs f on the session's loop, if that still runs. Safe for concurrent use.
func (s *Session) post(f func()) { _ = s.ctx.Channel().Post(f) }
