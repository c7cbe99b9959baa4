package pipelinetest

// Feed lets the peer send s byte by byte (with Config.Whole in one piece), each as its own read. What comes after the
// channel has closed is dropped, as on a real connection; on a channel that is closed from the start the test fails.
func (c *Channel) Feed(s string) {
	c.t.Helper()
	if c.cfg.Whole {
		c.FeedWhole(s)
		return
	}
	if !c.listening() {
		c.t.Fatalf("pipelinetest: feed of %d bytes to a closed channel%s", len(s), c.why())
	}
	for i := 0; i < len(s) && c.listening(); i++ {
		c.keep(c.FeedString(s[i : i+1]))
	}
}

// FeedBytes is Feed for a slice.
func (c *Channel) FeedBytes(p []byte) {
	c.t.Helper()
	c.Feed(string(p))
}

// FeedWhole is Feed in one piece.
func (c *Channel) FeedWhole(s string) {
	c.t.Helper()
	if !c.listening() {
		c.t.Fatalf("pipelinetest: feed of %d bytes to a closed channel%s", len(s), c.why())
	}
	c.keep(c.FeedString(s))
}

// listening reports whether the peer can still send.
func (c *Channel) listening() bool { return !c.Socket.Closed() && !c.PeerEnded() }

// WriteInbound sends messages through the pipeline as if a decoder had made them. It takes them.
func (c *Channel) WriteInbound(msgs ...any) { c.keep(c.Embedded.WriteInbound(msgs...)) }

// WriteOutbound writes messages from the tail and flushes. It takes them.
func (c *Channel) WriteOutbound(msgs ...any) { c.keep(c.Embedded.WriteOutbound(msgs...)) }

// Wire takes what the channel wrote to its socket since the last call.
func (c *Channel) Wire() string { return c.WireString() }
