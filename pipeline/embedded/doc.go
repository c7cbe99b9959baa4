// Package embedded runs a pipeline over memory: the same handlers, contexts, promises and watermarks as over a socket,
// with a peer that the program plays and a clock that stands still until it is advanced. It serves tests (package
// pipelinetest adds the failing) and programs that have bytes or messages but no connection.
//
// Start with New, Channel.Feed and Channel.Wire:
//
//	ch, err := embedded.New(embedded.Config{}, codec.NewDecoder(d), codec.NewEncoder(e), app)
//	err = ch.FeedString("ping\n") // the peer sends; what comes of it has happened when Feed returns
//	reply := ch.WireString()      // what the peer has received since the last call
//	left, err := ch.Finish()      // closes, and tells what nobody took or gave back
//
// Socket is the scripted peer: it can refuse bytes, end or reset the connection at a given byte, and fail writes.
// Pipe connects two channels back to back, and Network has a pipeline.DialFunc, so that clients and servers run against
// each other in one goroutine.
//
// # Goroutines
//
// The goroutine that calls New is the event loop: call everything here on it, including the methods of Channel() that
// are for the event loop only. The others keep their promise: Post, Send, Write and Close of the pipeline's channel are
// safe for concurrent use, and what they post runs at the next call that runs the loop, such as RunPending; RunUntil
// waits for it. Bind hands the channel over to another goroutine.
//
// # Bytes
//
// Messages follow the rule of all pipelines: WriteInbound and WriteOutbound take what they are given, and what
// ReadInbound, ReadOutbound, In and Out return belongs to the caller. Feed copies; Wire returns a copy.
package embedded
