package pipeline

// Writable reports that the outbound queue has not risen above the high watermark since it was last
// below the low one. Producers stop when it is false and go on at HandleWritability. It is false for good, without
// an event, once a write has failed or a close has begun. After CloseWrite it goes on telling how much is queued.
// Call it on the event loop only.
func (c *Channel) Writable() bool {
	return !c.out.unwritable && !c.out.failed && c.state < stateClosing
}

// checkHigh notices that the queue has risen above the high watermark. Handlers hear of it at once, so
// that a producer further up stops within the same batch.
func (c *Channel) checkHigh() {
	if c.out.unwritable || c.Pending() <= c.opts.WriteHigh {
		return
	}
	c.out.unwritable = true
	if !c.out.told {
		c.out.told = true
		c.pipe.head.FireWritability()
	}
}

// checkLow notices that the queue has sunk below the low watermark. Handlers hear of it at the end of
// the batch and not inside the flush; when the queue has risen again by then they hear nothing, since
// nothing has changed for them.
func (c *Channel) checkLow() {
	if c.out.unwritable && c.Pending() < c.opts.WriteLow {
		c.out.unwritable = false
		c.touch()
	}
}

func (c *Channel) tellWritable() {
	if c.out.told && !c.out.unwritable && !c.out.failed && c.state == stateActive {
		c.out.told = false
		c.pipe.head.FireWritability()
	}
}
