// Package server has the server's side of STOMP connections: sessions behind the codec of package stomp, which publish to
// and deliver from the broker of package handlers/broker.
//
// Start with [Config], of which the zero value works, and [Init], which makes sessions of all connections of a port. On a port
// that speaks other protocols, too, and over WebSocket, [Install] puts a [Session] into a pipeline:
//
//	cfg := server.Config{Broker: &broker.Broker{}}
//	rule := handlers.Rule{Name: "STOMP", Match: server.Match, Install: func(ctx *pipeline.Context) error {
//		return server.Install(ctx, cfg)
//	}}
//
// # What a session does
//
//	CONNECT, STOMP   version, virtual host, Authenticate, heart-beats, then CONNECTED
//	SEND             Authorize, then Broker.Publish or Config.Publish, at once or in a transaction
//	SUBSCRIBE        Authorize, then a consumer of the broker: ack auto, client (cumulative) or client-individual
//	ACK, NACK        by message-id in 1.0, message-id and subscription in 1.1, id in 1.2; requeue:false gives up a message
//	BEGIN, COMMIT, ABORT, UNSUBSCRIBE, DISCONNECT
//
// Receipts come in the order in which they were asked for, each after its frame was processed, also when Config.Publish
// answers later. What a session does not know or may not do is answered by ERROR, and the connection closes.
//
// # Credit
//
// A subscription has up to its prefetch-count of messages that are not settled. With ack auto a message counts as accepted
// when its last octet was handed to the kernel: what was not sent goes back to its queue. In the other modes
// it counts until ACK or NACK. Messages beyond that wait in the broker, where Config.Policy rules what a slow consumer gets.
//
// # Temporary destinations
//
// Every session has its own /temp-queue/NAME and /temp-topic/NAME, for any NAME but 32 hexadecimal digits. In SUBSCRIBE, in
// SEND and in the reply-to of SEND they stand for destinations of the broker with names that nobody can guess, which end with
// the session. What is sent to one that is gone is dropped and counted.
//
// # Threads and octets
//
// Sessions run on their channel's event loop. A message is encoded once for each version; its body is shared by reference
// between all subscribers, and a delivery allocates nothing.
package server
