package broker

// Kind is what a destination does with its messages.
type Kind uint8

const (
	// KindTopic gives each message to every subscription there is at that moment.
	KindTopic Kind = iota
	// KindQueue keeps each message until one consumer has accepted it.
	KindQueue
)

// String returns "topic" or "queue".
func (k Kind) String() string {
	if k == KindQueue {
		return "queue"
	}
	return "topic"
}

// MarshalText writes the kind as String does, for JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// DefaultKind tells a destination's kind by the first segment of its name: "queue" or "temp-queue" is a queue, all else is
// a topic. Segments end at '/' and '.', and a slash in front does not count: "/queue/a", "queue/a" and "queue.a" are
// queues, "/queues/a" and "a" are topics. Safe for concurrent use.
func DefaultKind(name string) Kind {
	switch firstSegment(name) {
	case "queue", tempQueue:
		return KindQueue
	}
	return KindTopic
}

const (
	tempQueue = "temp-queue"
	tempTopic = "temp-topic"
)

// isTemporary reports whether a name is one of those that only Broker.Temporary gives out.
func isTemporary(name string) bool {
	switch firstSegment(name) {
	case tempQueue, tempTopic:
		return true
	}
	return false
}

func firstSegment(name string) string {
	if name != "" && name[0] == '/' {
		name = name[1:]
	}
	for i := range len(name) {
		if isSeparator(name[i]) {
			return name[:i]
		}
	}
	return name
}

func isSeparator(c byte) bool { return c == '/' || c == '.' }
