package broker

import "sync/atomic"

// storage is what all messages of a broker take together: each once as long as anybody holds it, and what backlogs need to
// keep track of them.
type storage struct{ bytes atomic.Int64 }

const (
	messageCost  = 640 // of a message and the buffer of a small body, beyond the bytes that it counts
	deliveryCost = 128 // of a place in a backlog

	// A backlog's places are counted in steps, so that not every message costs an operation on shared memory. The first
	// ones are free: what limits them is the number of consumers.
	freePlaces = 64
	placeStep  = 64
)

// room reports whether the broker takes one more message.
func (b *Broker) room() error {
	if b.stored.bytes.Load() < or(b.MaxTotalBytes, int64(DefaultMaxTotalBytes)) {
		return nil
	}
	b.refused.Add(1)
	return ErrFull
}

func (s *storage) addMessage(m *Message)    { s.bytes.Add(int64(m.size) + messageCost) }
func (s *storage) removeMessage(m *Message) { s.bytes.Add(-int64(m.size) - messageCost) }

// places counts a backlog's places after held has changed. It expects mu to be held.
func (q *queue) places() {
	over := q.held - freePlaces
	step := 0
	switch {
	case over > q.counted:
		step = placeStep
	case q.counted > 0 && q.held <= freePlaces/2:
		step = -q.counted
	case over <= q.counted-2*placeStep:
		step = -placeStep
	}
	if step != 0 {
		q.counted += step
		q.broker.stored.bytes.Add(int64(step) * deliveryCost)
	}
}
