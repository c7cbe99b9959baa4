package broker

import "errors"

// Errors of this package, to be told apart by errors.Is.
var (
	// ErrClosed says that the broker has been closed.
	ErrClosed = errors.New("broker: closed")
	// ErrFull says that a queue, the backlog of a subscription that pauses publishers, or the whole broker has reached
	// its limit. Nobody got the message.
	ErrFull = errors.New("broker: destination is full")
	// ErrNoDestination says that a temporary destination does not exist, or no longer.
	ErrNoDestination = errors.New("broker: no such temporary destination")
	// ErrNotOwner says that a temporary destination has been attached to without the owner's [Temporary].
	ErrNotOwner = errors.New("broker: temporary destination of somebody else")
	// ErrTooManyDestinations says that MaxDestinations has been reached.
	ErrTooManyDestinations = errors.New("broker: too many destinations")
	// ErrTooManyConsumers says that MaxConsumers has been reached.
	ErrTooManyConsumers = errors.New("broker: too many consumers")
	// ErrName says that a destination's name is empty or too long, or as a pattern has too many segments or # or > before
	// its end.
	ErrName = errors.New("broker: bad destination name")
	// ErrPublished says that a message has been published before. Clone it.
	ErrPublished = errors.New("broker: message published twice")
	// ErrSlow ends a consumer with PolicyDisconnect that did not keep up.
	ErrSlow = errors.New("broker: consumer is too slow")
	// ErrSettled says that a delivery is settled, is part of a transaction, or went away with its consumer.
	ErrSettled = errors.New("broker: delivery is settled")
	// ErrTransactionTooLarge says that a transaction would pass MaxActions or MaxTransactionBytes.
	ErrTransactionTooLarge = errors.New("broker: transaction is too large")
	// ErrTransactionDone says that a transaction has been committed or aborted before.
	ErrTransactionDone = errors.New("broker: transaction is done")
)
