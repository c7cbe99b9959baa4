package pipelinetest

import "github.com/penstock-go/penstock/pipeline/embedded"

// Finish closes the channel, runs everything, and fails the test with one line for each thing that is left over: unread
// messages, live buffers, promises that never completed, timers that nobody stopped, errors that nobody expected. Bytes
// on the wire and user events may be left. It happens by itself at the end of the test, where nothing is reported when
// the test has failed already.
func (c *Channel) Finish() embedded.Leftovers {
	c.t.Helper()
	chain := c.Pipeline().String()
	l := c.finish()
	if err := l.Err(); err != nil {
		c.t.Errorf("pipelinetest: left over by %s\n%v", chain, err)
	}
	return l
}

func (c *Channel) finish() embedded.Leftovers {
	c.gather()
	before := c.errs
	c.errs = nil
	l, err := c.Embedded.Finish()
	if err != nil && l.Err() == nil {
		before = append(before, err) // it did not take place
	}
	l.Errors = append(before, l.Errors...)
	return l
}

// cleanup is Finish at the end of the test.
func (c *Channel) cleanup() {
	c.t.Helper()
	if c.t.Failed() {
		c.finish()
		return
	}
	c.Finish()
}
