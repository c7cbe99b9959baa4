package server

import (
	"cmp"
	"slices"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// counts are a session's counters.
type counts struct {
	frames, messages, unroutable, unencodable, pauses uint64
}

// Stats are a session's counters since its start and what it holds now.
type Stats struct {
	Frames        uint64 `json:"frames"`        // processed or refused
	Messages      uint64 `json:"messages"`      // MESSAGE frames written
	Unroutable    uint64 `json:"unroutable"`    // sent to temporary destinations that are gone, and dropped
	Unencodable   uint64 `json:"unencodable"`   // given up because the session's version can't say them, or the channel refuses them
	Pauses        uint64 `json:"pauses"`        // times that a full destination stopped reading
	Subscriptions int    `json:"subscriptions"` // open
	Transactions  int    `json:"transactions"`  // open
	Temporaries   int    `json:"temporaries"`   // destinations of its own
	Unanswered    int    `json:"unanswered"`    // frames that wait for Config.Publish or behind one that does
}

// SubscriptionStats are those of one subscription. Broker has the backlog that waits for credit.
type SubscriptionStats struct {
	ID          string               `json:"id"`          // "" where a 1.0 client gave none
	Destination string               `json:"destination"` // as the client gave it
	Ack         string               `json:"ack"`         // auto, client or client-individual
	Waiting     int                  `json:"waiting"`     // given out by the broker, for the socket to take them
	Broker      broker.ConsumerStats `json:"broker"`
}

// Stats returns the session's counters. Call it on the event loop only.
func (s *Session) Stats() Stats {
	return Stats{
		Frames: s.counts.frames, Messages: s.counts.messages,
		Unroutable: s.counts.unroutable, Unencodable: s.counts.unencodable, Pauses: s.counts.pauses,
		Subscriptions: len(s.subs.byKey), Transactions: len(s.txs.open), Temporaries: len(s.temps), Unanswered: s.answers.n,
	}
}

// Subscriptions returns the open subscriptions with their backlogs, oldest first. Call it on the event loop only.
func (s *Session) Subscriptions() []SubscriptionStats {
	subs := make([]*subscription, 0, len(s.subs.byKey))
	for _, sub := range s.subs.byKey {
		subs = append(subs, sub)
	}
	slices.SortFunc(subs, func(a, b *subscription) int { return cmp.Compare(a.serial, b.serial) })
	list := make([]SubscriptionStats, len(subs))
	for i, sub := range subs {
		s.inbox.take(sub)
		s.writers.add(sub)
		list[i] = SubscriptionStats{
			ID: sub.id, Destination: sub.destination, Ack: sub.mode.String(),
			Waiting: sub.waiting.n, Broker: sub.consumer.Stats(),
		}
	}
	return list
}

// Channel is the session's connection. Safe for concurrent use.
func (s *Session) Channel() *pipeline.Channel { return s.ctx.Channel() }

// Version is the version in force, stomp.VersionUnknown before CONNECTED. Call it on the event loop only.
func (s *Session) Version() stomp.Version { return s.state.Version }

// Login is the client's user name, "" before CONNECTED. Call it on the event loop only.
func (s *Session) Login() string { return s.user }

// Host is the virtual host that the client asked for, "" before CONNECTED. Call it on the event loop only.
func (s *Session) Host() string { return s.host }
