// Package broker keeps messages in memory between those who publish and those who consume them, for every messaging
// protocol alike.
//
// Start with [Broker], whose zero value is ready, [Broker.Publish] and [Broker.Attach]. A [Message] has a destination,
// ordered properties and a body by reference. A destination is a topic or a queue, which its name tells ([DefaultKind]);
// it comes into being by its first use and vanishes when it is empty and unused.
//
//	Publish(message) --> topic --> backlog of each subscription --> Deliver(delivery) --> Accept, Retry, Release, Reject
//	                 --> queue (one backlog) --> the next consumer that has credit ----> the same
//
// A topic gives every subscription its own backlog; what is published to nobody is gone. A queue gives each message to one
// of its consumers in turn. Either way a consumer gets as many deliveries as it has credit ([Consumer.Grant]), and each of
// them has to be settled. What is released, tried again, or unsettled when its consumer closes returns to its old place and
// comes again with Redelivered set, at once to a consumer with credit. Order: one publisher's messages come in the order
// in which it published them, and all subscriptions to one topic by its name see the same order.
//
// Everything is bounded. A backlog, what is unsettled included, has a high mark of half its limits: publishers are asked to
// pause by what Publish returns ([Pause]) and called when a quarter is left. At the limit the [Policy] rules: publishing
// fails, the oldest message is dropped, or the subscription ends.
//
// Calls never block, start no goroutine, and are safe for concurrent use unless they say otherwise. A queue has one lock; a
// topic has one for its list of subscriptions and, taken under it, one for each of them. [ConsumerConfig] Deliver, Closed and
// Filter, what [Pause.OnResume] calls, and the build function of [Message.Form] run with such locks held, on the goroutine
// of whoever caused them: they may look, queue and post, and call nothing of the broker, its consumers, deliveries, pauses
// or transactions. [Broker] Dead is called without locks and may call everything.
//
// Bytes: whoever publishes a message gives its reference away, also when that fails; a delivery lends its message until it
// is settled or its consumer is closed.
package broker
