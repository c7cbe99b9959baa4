// Package handlers has pipeline handlers that serve every protocol: telling protocols apart by their first
// bytes, deadlines, idle detection, flow control and flush consolidation.
//
// Start with [Detect], which puts the protocol that a peer speaks into its own place, [ExpectReady] and [Ready], the
// deadline until a session stands, and [Idle]. [FlowControl] hands out one message for each request,
// [FlushConsolidation] makes one flush of many.
//
// Handlers are structs whose zero value works; the defaults stand in the field comments. Those that keep
// state embed pipeline.Unshared: make one for each channel. Their methods are called on the event loop.
// Messages that a handler does not know pass through it untouched, with their reference.
package handlers
