// Package handlers has pipeline handlers that serve every protocol: telling protocols apart by their first
// bytes, deadlines, idle detection, flow control and flush consolidation.
//
// Handlers are structs whose zero value works; the defaults stand in the field comments. Those that keep
// state embed pipeline.Unshared: make one for each channel. Their methods are called on the event loop.
// Messages that a handler does not know pass through it untouched, with their reference.
package handlers
