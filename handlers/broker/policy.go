package broker

// Policy is what happens when messages come faster than they are consumed: for a topic's subscription by ConsumerConfig
// Policy, for all queues by Broker Overflow.
type Policy uint8

const (
	// PolicyDefault is PolicyPause for queues, whose publishers wait for each other's consumers anyway, and PolicyDisconnect
	// for subscriptions of topics, so that one that takes nothing does not stop the others.
	PolicyDefault Policy = iota
	// PolicyPause asks publishers to pause above half of the limits, see [Pause]. At the limit publishing fails with
	// ErrFull and nobody gets the message, so nothing that was accepted is lost. The message that crosses a limit is
	// still accepted.
	PolicyPause
	// PolicyDropOldest drops the oldest messages that have not been given out until the backlog is within its limits,
	// and counts them.
	PolicyDropOldest
	// PolicyDisconnect ends the subscription at its limit: Closed is called with ErrSlow. On a queue, which has nobody to
	// disconnect, publishing fails with ErrFull, without a pause before.
	PolicyDisconnect
)

// String names the policy for logs.
func (p Policy) String() string {
	switch p {
	case PolicyDropOldest:
		return "drop oldest"
	case PolicyDisconnect:
		return "disconnect"
	case PolicyPause:
		return "pause"
	case PolicyDefault:
	}
	return "default"
}

// or returns p, or the one that is the default here.
func (p Policy) or(otherwise Policy) Policy {
	if p == PolicyDefault {
		return otherwise
	}
	return p
}
