package pipelinetest

import "errors"

// keep remembers an error until ExpectError or the end of the test.
func (c *Channel) keep(err error) {
	if err != nil {
		c.errs = append(c.errs, err)
	}
}

// gather moves what the channel has recorded behind what its calls returned.
func (c *Channel) gather() {
	for err := c.CheckErr(); err != nil; err = c.CheckErr() {
		c.keep(err)
	}
}

// ExpectError takes the oldest error that no handler dealt with and returns it. The test fails when there is none, or
// errors.Is(err, target) is false; a nil target fits every error.
func (c *Channel) ExpectError(target error) error {
	c.t.Helper()
	c.gather()
	if len(c.errs) == 0 {
		c.t.Fatalf("pipelinetest: no error, want %v", target)
		return nil
	}
	err := c.errs[0]
	c.errs = c.errs[1:]
	if target != nil && !errors.Is(err, target) {
		c.t.Fatalf("pipelinetest: error %q, want %q", err, target)
	}
	return err
}

// why names the oldest error that nobody expected, as the likely reason of another failure.
func (c *Channel) why() string {
	c.gather()
	if len(c.errs) == 0 {
		return ""
	}
	return "\nthe channel has reported: " + c.errs[0].Error()
}
