package client

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// Subscription is a place that messages come from. Set the fields before Subscribe; it serves once. When the connection
// is lost it is made again with the next one, and what was not settled comes again.
type Subscription struct {
	// Destination is where from. Required.
	Destination string
	// Ack says when messages count as processed. 0 = AckAuto.
	Ack AckMode
	// Prefetch is how many messages that are not settled the server may send, in a prefetch-count header, which RabbitMQ
	// and package stomp/server know. 0 = as many as the server likes.
	Prefetch int
	// Headers are further headers of SUBSCRIBE, such as selector, EndHeaders those of UNSUBSCRIBE.
	Headers, EndHeaders stomp.Headers
	// Handle takes the messages, one after the other. It runs on the event loop of the connection, and keeps heart-beats and
	// all other subscriptions waiting while it runs: what takes long is done on another goroutine. m is lent until Handle
	// returns; Retain it to keep it. ctx is the place of the client's handler; its SetAutoRead(false) stops the messages of
	// all subscriptions. Required.
	Handle func(ctx *pipeline.Context, m *Message)
	// OnEnd hears that the server has refused to make the subscription again, by an *ServerError: it has ended. It runs on
	// the event loop. nil = nobody does.
	OnEnd func(err error)

	// Guarded by the client's mutex.
	client    *Client
	id        string
	ended     bool
	made      bool
	first     func(err error) // waits for the first answer; nil = nobody
	delivered uint64          // over this connection
	through   uint64          // the last one of those that is settled, with AckClient
}

// errSubscription is what a Subscription is refused with that lacks something.
var errSubscription = errors.New("stomp/client: subscription without Destination or Handle")

// Subscribe makes s, and waits for the server's receipt. While there is no connection it waits for one, unless neither
// Connect nor Start has been called: then s is noted and nil returned, and it is made by what they do.
//
// *ServerError: the server has refused, and closed the connection. When parent ends first its cause is returned. In both
// cases s has ended. ErrUsed, ErrBusy (too many), ErrClosed: nothing has been done. A server that sends no receipts for
// SUBSCRIBE needs StartSubscribe. Safe for concurrent use.
func (c *Client) Subscribe(parent context.Context, s *Subscription) error {
	if err := c.blocked(nil); err != nil {
		return err
	}
	done := make(chan error, 1)
	if err := c.StartSubscribe(s, func(err error) { done <- err }); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-parent.Done():
	}
	if err := s.StartUnsubscribe(nil); err != nil {
		return <-done // it has been refused just now
	}
	return context.Cause(parent)
}

// StartSubscribe is Subscribe that does not wait: done, unless it is nil, is called once with the outcome, on the event
// loop. An error says that nothing has been done and done is not called. Safe for concurrent use.
func (c *Client) StartSubscribe(s *Subscription, done func(err error)) error {
	if s.Destination == "" || s.Handle == nil {
		return errSubscription
	}
	c.mu.Lock()
	noted, err := c.enter(s, done)
	c.mu.Unlock()
	if noted && done != nil {
		done(nil)
	}
	return err
}

// enter puts s into the client. noted: nothing is under way. The client is locked.
func (c *Client) enter(s *Subscription, done func(err error)) (noted bool, err error) {
	switch {
	case c.phase == phaseClosing, c.phase == phaseClosed:
		return false, ErrClosed
	case s.client != nil:
		return false, ErrUsed
	case len(c.byID) >= orDefault(c.MaxSubscriptions, DefaultMaxSubscriptions):
		return false, ErrBusy
	}
	s.client, s.id = c, c.newID("s")
	if c.byID == nil {
		c.byID = make(map[string]*Subscription)
	}
	c.byID[s.id] = s
	c.subs = append(c.subs, s)
	if c.phase == phaseIdle {
		return true, nil
	}
	s.first = done
	if c.ready() {
		c.queue(c.conn, s.request())
	}
	return false, nil
}

// request makes the SUBSCRIBE frame for another connection. The client is locked.
func (s *Subscription) request() *request {
	s.delivered, s.through = 0, 0
	f := stomp.NewFrame(stomp.CommandSubscribe,
		stomp.HeaderID, s.id, stomp.HeaderDestination, s.Destination, stomp.HeaderAck, s.Ack.String())
	if s.Prefetch > 0 {
		f.Headers.Add("prefetch-count", strconv.Itoa(s.Prefetch))
	}
	f.Headers = append(f.Headers, s.Headers...)
	r := newRequest(f, s.answered)
	s.client.confirm(r)
	return r
}

// answered hears what has become of a SUBSCRIBE frame. When the connection was lost another one follows.
func (s *Subscription) answered(err error) {
	c := s.client
	c.mu.Lock()
	if errors.Is(err, ErrUnconfirmed) || errors.Is(err, ErrNotConnected) {
		c.mu.Unlock()
		return
	}
	first, end := s.first, s.OnEnd
	s.first = nil
	if err == nil || s.ended || !s.made {
		end = nil
	}
	s.made = true
	if err != nil {
		c.forget(s)
		delete(c.byID, s.id)
	}
	c.mu.Unlock()
	if first != nil {
		first(err)
	}
	if end != nil {
		end(err)
	}
}

// forget keeps s from being made again. The client is locked.
func (c *Client) forget(s *Subscription) {
	s.ended = true
	c.subs = slices.DeleteFunc(c.subs, func(o *Subscription) bool { return o == s })
}

// Unsubscribe ends s, and waits for the server's receipt; until then messages may come. While there is no connection it
// does not wait. ErrEnded: it has ended before, or not begun. ErrUnconfirmed: the connection was lost, and so the
// subscription has ended. Safe for concurrent use.
func (s *Subscription) Unsubscribe(parent context.Context) error {
	c := s.client
	if c == nil {
		return ErrEnded
	}
	return c.outcome(parent, s.StartUnsubscribe)
}

// StartUnsubscribe is Unsubscribe that does not wait: done, unless it is nil, is called once with the outcome, on the
// event loop, or before it returns. An error says that done is not called. Safe for concurrent use.
func (s *Subscription) StartUnsubscribe(done func(err error)) error {
	c := s.client
	if c == nil {
		return ErrEnded
	}
	c.mu.Lock()
	if s.ended {
		c.mu.Unlock()
		return ErrEnded
	}
	c.forget(s)
	first := s.first
	s.first = nil
	if c.ready() {
		f := stomp.NewFrame(stomp.CommandUnsubscribe, stomp.HeaderID, s.id)
		f.Headers = append(f.Headers, s.EndHeaders...)
		r := newRequest(f, func(err error) { s.left(done, err) })
		c.confirm(r)
		c.queue(c.conn, r)
		c.mu.Unlock()
	} else {
		c.mu.Unlock()
		s.left(done, nil)
	}
	if first != nil {
		first(ErrEnded)
	}
	return nil
}

// left is the end of s.
func (s *Subscription) left(done func(err error), err error) {
	s.client.mu.Lock()
	delete(s.client.byID, s.id)
	s.client.mu.Unlock()
	if done != nil {
		done(err)
	}
}
