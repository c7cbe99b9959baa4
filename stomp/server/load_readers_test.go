//go:build load

package server_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// reader is a client with a subscription of a queue or a topic, which connects again when its connection is lost.
type reader struct {
	*mix
	name   string
	client *client.Client
	queue  bool
	later  *sync.WaitGroup // acknowledgements that take their time

	mu     sync.Mutex
	newest *client.Message // cumulative: not acknowledged yet
	behind int             // how many with it
}

// reads runs a reader until the readers have to end.
func (m *mix) reads(destination string, number int, ack client.AckMode) {
	c := m.newClient()
	c.Reconnect = client.Reconnect{Min: 10 * time.Millisecond, Max: 300 * time.Millisecond}
	if ack == client.AckClientIndividual && c.Versions[0] == stomp.Version10 {
		c.Versions[0] = stomp.Version11
	}
	r := &reader{mix: m, name: fmt.Sprintf("reader %d of %s", number, destination), client: c, queue: ack != client.AckAuto, later: new(sync.WaitGroup)}
	sub := &client.Subscription{
		Destination: destination, Ack: ack, Prefetch: 1 + rand.IntN(60),
		Handle: func(_ *pipeline.Context, msg *client.Message) {
			m.ledger.deliver(r.name, msg.Body().String(), msg.Header("redelivered") == "true", r.queue)
			switch ack {
			case client.AckClient:
				r.collect(msg)
			case client.AckClientIndividual:
				r.settle(msg)
			case client.AckAuto:
			}
		},
		OnEnd: func(err error) { m.ledger.fault("%s ended: %v", r.name, err) },
	}
	if err := c.StartSubscribe(sub, nil); err != nil {
		m.ledger.fault("%s: %v", r.name, err)
	}
	if err := c.Start(); err != nil {
		m.ledger.fault("%s: %v", r.name, err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for open := true; open; {
		select {
		case <-tick.C:
			r.flush()
		case <-m.readersEnd:
			open = false
		}
	}
	_ = c.Close(m.parent)
	r.later.Wait()
	r.flush()
}

// collect acknowledges some messages by the newest.
func (r *reader) collect(m *client.Message) {
	m.Retain()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.newest != nil {
		r.newest.Release()
	}
	r.newest = m
	if r.behind++; r.behind > rand.IntN(10) {
		r.settleAll()
	}
}

func (r *reader) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settleAll()
}

// settleAll is for those who have the lock: an older message must not be acknowledged behind a newer one.
func (r *reader) settleAll() {
	m := r.newest
	if m == nil {
		return
	}
	r.newest, r.behind = nil, 0
	if rand.IntN(50) == 0 && r.client.Version() >= stomp.Version11 {
		r.check(m.Nack())
	} else {
		r.check(m.Ack())
	}
	m.Release()
}

// settle acknowledges, refuses, does so later or in a transaction.
func (r *reader) settle(m *client.Message) {
	switch n := rand.IntN(100); {
	case n < 80:
		r.check(m.Ack())
	case n < 85:
		r.check(m.Nack())
	case n < 92:
		r.postpone(m)
	default:
		tx, err := r.client.Begin()
		if err != nil {
			r.postpone(m)
			return
		}
		r.check(tx.Ack(m))
		if n < 94 {
			r.check(tx.Abort())
			r.postpone(m)
			return
		}
		r.check(tx.StartCommit(func(error) {}))
	}
}

func (r *reader) postpone(m *client.Message) {
	m.Retain()
	r.later.Add(1)
	time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, func() {
		r.check(m.Ack())
		m.Release()
		r.later.Done()
	})
}

// check is for what fails only when the connection is lost.
func (r *reader) check(err error) {
	for _, fine := range []error{nil, client.ErrStale, client.ErrNotConnected, client.ErrClosed, client.ErrUnconfirmed, client.ErrEnded} {
		if errors.Is(err, fine) {
			return
		}
	}
	r.ledger.fault("%s: %v", r.name, err)
}
