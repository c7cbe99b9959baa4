package server

import (
	"strings"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// subscription is one SUBSCRIBE of one session.
type subscription struct {
	ch          *pipeline.Channel
	destination string
	id          string // "" where 1.0 clients gave none
}

// send publishes; the answer says what was wrong. STOMP 1.2, "SEND".
func (s *Session) send(ctx *pipeline.Context, f *stomp.Frame) string {
	destination, ok := f.Headers.Lookup("destination")
	switch {
	case !ok || destination == "":
		return "SEND without destination"
	case f.Headers.Get("transaction") != "":
		return "transactions are not supported"
	}
	if s.cfg.Topics.Publish(destination, f) {
		s.pause(ctx)
	}
	return ""
}

// pauseFor is how long a sender that outruns the loops of its subscribers is not read.
const pauseFor = 2 * time.Millisecond

// pause stops reading for a moment; the decoder stops behind the frame at hand.
func (s *Session) pause(ctx *pipeline.Context) {
	ctx.SetAutoRead(false)
	if s.resume == nil {
		s.resume = ctx.After(pauseFor, func() { ctx.SetAutoRead(true) })
		return
	}
	s.resume.Reset(pauseFor)
}

// subscribe listens to a topic. 1.0 clients may leave the id out; the destination stands for it then.
// STOMP 1.2, "SUBSCRIBE".
func (s *Session) subscribe(ctx *pipeline.Context, f *stomp.Frame) string {
	destination, ok := f.Headers.Lookup("destination")
	if !ok || destination == "" {
		return "SUBSCRIBE without destination"
	}
	if ack := f.Headers.Get("ack"); ack != "" && ack != "auto" {
		return "ack mode is not supported, use auto"
	}
	id, hasID := f.Headers.Lookup("id")
	if !hasID && s.state.Version > stomp.Version10 {
		return "SUBSCRIBE without id"
	}
	key := subscriptionKey(id, hasID, destination)
	switch {
	case s.subs[key] != nil:
		return "subscription exists already"
	case len(s.subs) >= s.cfg.MaxSubscriptions:
		return "too many subscriptions"
	}
	if s.subs == nil {
		s.subs = make(map[string]*subscription)
	}
	sub := &subscription{ch: ctx.Channel(), destination: strings.Clone(destination), id: strings.Clone(id)}
	s.subs[key] = sub
	s.cfg.Topics.add(sub)
	return ""
}

// unsubscribe ends a subscription by its id, or in 1.0 by its destination. STOMP 1.2, "UNSUBSCRIBE".
func (s *Session) unsubscribe(f *stomp.Frame) string {
	id, hasID := f.Headers.Lookup("id")
	destination, hasDestination := f.Headers.Lookup("destination")
	if !hasID && (s.state.Version > stomp.Version10 || !hasDestination) {
		return "UNSUBSCRIBE without id"
	}
	key := subscriptionKey(id, hasID, destination)
	sub := s.subs[key]
	if sub == nil {
		return "no such subscription"
	}
	delete(s.subs, key)
	s.cfg.Topics.remove(sub)
	return ""
}

// subscriptionKey keeps ids and destinations apart.
func subscriptionKey(id string, hasID bool, destination string) string {
	if hasID {
		return "id " + id
	}
	return "destination " + destination
}
