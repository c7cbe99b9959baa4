//go:build load

package server_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// sender is a client that sends until its connection is lost; then there is another one.
type sender struct {
	*mix
	client *client.Client
	queued *account // what it sent to queues
	told   *account // and to topics
	window chan struct{}
	open   sync.WaitGroup // outcomes that have not come
}

// sends runs senders, one after the other, until the load ends.
func (m *mix) sends(number int) {
	for life := 0; m.running(); life++ {
		s := &sender{mix: m, client: m.newClient(), window: make(chan struct{}, 64)}
		s.client.Reconnect.Attempts = -1
		if s.client.Connect(m.parent) == nil {
			name := fmt.Sprintf("%d.%d", number, life)
			s.queued, s.told = m.ledger.open("queue"+name), m.ledger.open("topic"+name)
			for turns := rand.IntN(200); turns > 0 && m.running() && s.turn(); turns-- {
				m.rest(30)
			}
		}
		_ = s.client.Close(m.parent) // the connection may be lost already
		s.open.Wait()
		m.ledger.count("senders")
	}
}

// turn sends something, and reports whether the connection is still there.
func (s *sender) turn() bool {
	switch n := rand.IntN(100); {
	case n < 6:
		return s.transaction(n < 2)
	case n < 20:
		_, body := s.ledger.next(s.told, size())
		return s.client.StartSend(frame("/topic/"+digit(topics), body), nil) == nil
	}
	for range rand.IntN(30) + 1 {
		if !s.one() {
			return false
		}
	}
	return true
}

func (s *sender) one() bool {
	s.window <- struct{}{}
	number, body := s.ledger.next(s.queued, size())
	s.open.Add(1)
	done := func(err error) {
		s.outcome(err, number, number+1)
		<-s.window
		s.open.Done()
	}
	if err := s.client.StartSend(frame(s.queue(), body), done); err != nil {
		s.ledger.note(s.queued, number, number+1, never)
		<-s.window
		s.open.Done()
		return errors.Is(err, client.ErrBusy)
	}
	return true
}

// outcome notes what has become of messages.
func (s *sender) outcome(err error, from, to int) {
	var refused *client.ServerError
	switch {
	case err == nil:
		s.ledger.note(s.queued, from, to, confirmed)
	case errors.As(err, &refused):
		s.ledger.fault("the server says %v", err)
		fallthrough
	case errors.Is(err, client.ErrUnconfirmed), errors.Is(err, client.ErrClosed):
		s.ledger.note(s.queued, from, to, doubtful)
	default:
		s.ledger.note(s.queued, from, to, never)
	}
}

func (s *sender) transaction(abort bool) bool {
	tx, err := s.client.Begin()
	if err != nil {
		return false
	}
	from, to := 0, 0
	for i := range rand.IntN(5) + 1 {
		number, body := s.ledger.next(s.queued, size())
		if i == 0 {
			from = number
		}
		to = number + 1
		if err = tx.StartSend(frame(s.queue(), body)); err != nil {
			break
		}
	}
	if abort || err != nil {
		s.ledger.note(s.queued, from, to, never)
		return tx.Abort() == nil && err == nil
	}
	s.open.Add(1)
	err = tx.StartCommit(func(err error) {
		if errors.Is(err, client.ErrUnconfirmed) {
			s.ledger.group(s.queued, from, to)
		} else {
			s.outcome(err, from, to)
		}
		s.open.Done()
	})
	if err != nil {
		s.ledger.note(s.queued, from, to, never)
		s.open.Done()
	}
	return err == nil
}

func frame(destination, body string) *stomp.Frame {
	f := stomp.NewFrame(stomp.CommandSend, stomp.HeaderDestination, destination)
	f.Body.AppendString(body)
	return f
}

// size is how large a body is: mostly small.
func size() int {
	if rand.IntN(500) == 0 {
		return rand.IntN(200_000)
	}
	return rand.IntN(1 << rand.IntN(12))
}
