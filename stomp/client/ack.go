package client

// AckMode says when messages of a subscription count as processed. STOMP 1.2, "SUBSCRIBE ack Header".
type AckMode uint8

// The modes.
const (
	AckAuto             AckMode = iota // when they are sent
	AckClient                          // by Message.Ack, which counts for all before it as well
	AckClientIndividual                // by Message.Ack, one by one; since 1.1
)

// String returns the mode as the ack header spells it.
func (a AckMode) String() string {
	switch a {
	case AckClient:
		return "client"
	case AckClientIndividual:
		return "client-individual"
	case AckAuto:
	}
	return "auto"
}
