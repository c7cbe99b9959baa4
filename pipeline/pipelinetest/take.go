package pipelinetest

import "github.com/penstock-go/penstock/pipeline/embedded"

// In takes the oldest message that reached the tail unread. The test fails at once when there is none, or it is no T.
// The message belongs to the caller.
func In[T any](c *Channel) T {
	c.t.Helper()
	m, err := embedded.In[T](c.Embedded)
	if err != nil {
		c.t.Fatalf("pipelinetest: %v%s", err, c.why())
	}
	return m
}

// Out takes the next message that reached the head; bytes are a *buffer.Buffer. The test fails at once when there is
// none, or it is no T. The message belongs to the caller.
func Out[T any](c *Channel) T {
	c.t.Helper()
	m, err := embedded.Out[T](c.Embedded)
	if err != nil {
		c.t.Fatalf("pipelinetest: %v%s", err, c.why())
	}
	return m
}
