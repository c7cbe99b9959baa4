// Package server has the server's side of STOMP connections: sessions behind the codec of package stomp, and
// topics in memory that carry messages from one session to others.
//
// Start with [Install], which puts a [Session] into a pipeline, and [Topics], which sessions share:
//
//	topics := &server.Topics{}
//	rule := handlers.Rule{Name: "STOMP", Match: server.Match, Install: func(ctx *pipeline.Context) error {
//		return server.Install(ctx, server.Config{Topics: topics})
//	}}
//
// Sessions run on their channel's event loop. A message's body is shared by reference between all
// subscribers, those up to 64 KiB from one copy; each subscriber's frame holds references of its own.
package server
