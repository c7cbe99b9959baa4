package broker

import (
	"crypto/rand"
	"encoding/hex"
)

// Temporary is a destination with a name that nobody can guess: everybody may publish to it, only its owner may attach, by
// ConsumerConfig Temporary. It lives until it is closed. Safe for concurrent use.
type Temporary struct {
	dest *destination
}

// Temporary makes a temporary queue or topic. Errors: ErrTooManyDestinations, ErrClosed. The caller must Close the result.
func (b *Broker) Temporary(kind Kind) (*Temporary, error) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	prefix := "/" + tempTopic + "/"
	if kind == KindQueue {
		prefix = "/" + tempQueue + "/"
	}
	t := new(Temporary)
	d, err := b.open(prefix+hex.EncodeToString(random[:]), kind, t)
	if err != nil {
		return nil, err
	}
	t.dest = d
	return t, nil
}

// Name returns the destination's name: /temp-queue/ or /temp-topic/ and 32 hexadecimal digits.
func (t *Temporary) Name() string { return t.dest.name }

// Close removes the destination: its messages are dropped, its consumers end with ErrNoDestination, and so does whoever
// publishes to it. A second call does nothing.
func (t *Temporary) Close() {
	t.dest.end(ErrNoDestination)
	t.dest.broker.forget(t.dest)
}
