package server

import (
	"strconv"
	"sync"

	"github.com/penstock-go/penstock/stomp"
)

// Topics passes messages from senders to all present subscribers of a destination, in memory. The order
// of one sender's messages is kept for each subscriber. A subscriber that does not keep up until its
// channel's hard cap is passed is closed; the others do not notice. The zero value is ready. Safe for
// concurrent use.
type Topics struct {
	mu        sync.Mutex
	topics    map[string][]*subscription
	published uint64
	delivered uint64
}

// TopicStats are counters since the start.
type TopicStats struct {
	Topics        int    `json:"topics"`
	Subscriptions int    `json:"subscriptions"`
	Published     uint64 `json:"published"` // messages of SEND
	Delivered     uint64 `json:"delivered"` // of these to subscribers, each counted
}

// Publish sends f's body and headers as MESSAGE to every subscriber of destination. It does not keep f; the bytes of a
// body above 64 KiB are shared with it.
// STOMP 1.2, "MESSAGE".
//
// It reports true when the loop of a subscriber is behind: the sender should pause, or it would outrun loops whose
// peers read as fast as they can.
func (t *Topics) Publish(destination string, f *stomp.Frame) (behind bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.published++
	subs := t.topics[destination]
	if len(subs) == 0 {
		return false
	}
	id := strconv.FormatUint(t.published, 10)
	headers := f.Headers.Own() // the copies are sent later, on other loops
	var own stomp.Body
	defer own.Reset()
	body := &f.Body
	if f.Body.Len() <= copyMost {
		for i := range f.Body.Parts() {
			own.AppendBytes(f.Body.Part(i))
		}
		body = &own
	}
	kept := subs[:0] // Send only queues, so that no handler runs under the lock
	for _, sub := range subs {
		if err := sub.ch.Send(sub.message(id, headers, body), nil); err != nil {
			_ = sub.ch.Close() // it does not keep up, or is gone already; one close is enough
			continue
		}
		t.delivered++
		behind = behind || sub.ch.Posted() > postedMost
		kept = append(kept, sub)
	}
	clear(subs[len(kept):])
	t.set(destination, kept)
	return behind
}

// postedMost is how much may wait for the loop of one subscriber before senders pause.
const postedMost = 256 << 10

// set replaces the subscriptions of a destination.
func (t *Topics) set(destination string, list []*subscription) {
	if len(list) == 0 {
		delete(t.topics, destination)
		return
	}
	t.topics[list[0].destination] = list // assigning puts the new key's string in place; a frame's is soon gone
}

// copyMost is the largest body that is copied, once for all subscribers: it may wait long in their queues, and would
// keep the whole read buffer that it came in, which may be many times larger than what the queue counts.
const copyMost = 64 << 10

// message is a message with these headers and that body as this subscriber gets it. The body is shared, not copied.
func (sub *subscription) message(id string, headers stomp.Headers, body *stomp.Body) *stomp.Frame {
	m := stomp.NewFrame(stomp.CommandMessage, "destination", sub.destination, "message-id", id)
	if sub.id != "" {
		m.Headers.Add("subscription", sub.id)
	}
	for _, h := range headers {
		switch h.Name {
		case "destination", "message-id", "subscription", "receipt", "content-length", "transaction", "ack":
		default:
			m.Headers.Add(h.Name, h.Value)
		}
	}
	m.Body.AppendBody(body)
	return m
}

func (t *Topics) add(sub *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.topics == nil {
		t.topics = make(map[string][]*subscription)
	}
	t.topics[sub.destination] = append(t.topics[sub.destination], sub)
}

func (t *Topics) remove(sub *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.topics[sub.destination]
	for i, other := range list {
		if other == sub {
			list = append(list[:i], list[i+1:]...)
			break
		}
	}
	t.set(sub.destination, list)
}

// Stats are the counters as of now.
func (t *Topics) Stats() TopicStats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := TopicStats{Topics: len(t.topics), Published: t.published, Delivered: t.delivered}
	for _, list := range t.topics {
		s.Subscriptions += len(list)
	}
	return s
}
