package broker

// The limits of a broker whose fields are zero.
const (
	DefaultMaxMessages         = 10_000   // messages of a queue or subscription
	DefaultMaxBytes            = 64 << 20 // their bytes
	DefaultMaxTotalBytes       = 1 << 30  // of all messages together, see Broker.MaxTotalBytes
	DefaultMaxDeliveries       = 16       // tries of a message
	DefaultMaxDestinations     = 100_000  // queues, topics and wildcard subscriptions at a time
	DefaultMaxConsumers        = 200_000  // of all destinations together
	DefaultMaxActions          = 1_024    // of a transaction
	DefaultMaxTransactionBytes = 8 << 20  // of the messages of a transaction
	// MaxNameBytes is the longest name of a destination.
	MaxNameBytes = 1_024
	// MaxSegments is the most segments that a name with wildcards may have.
	MaxSegments = 32
)

// bounds are the limits of one backlog.
type bounds struct {
	messages int
	bytes    int64
}

// reached reports whether a backlog of n messages and that many bytes takes no more.
func (b bounds) reached(n int, bytes int64) bool { return n >= b.messages || bytes >= b.bytes }

// passed reports whether a backlog is beyond the limits.
func (b bounds) passed(n int, bytes int64) bool { return n > b.messages || bytes > b.bytes }

// high reports whether publishers should pause.
func (b bounds) high(n int, bytes int64) bool { return n > b.messages/2 || bytes > b.bytes/2 }

// low reports whether they may go on.
func (b bounds) low(n int, bytes int64) bool { return n <= b.messages/4 && bytes <= b.bytes/4 }

// or returns v, or the default when it is not positive.
func or[T int | int64](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}
