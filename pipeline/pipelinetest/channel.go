package pipelinetest

import (
	"log/slog"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// Embedded is the channel under a Channel, under a name that does not hide its method Channel.
type Embedded = embedded.Channel

// Channel is an embedded.Channel, with all its methods, that reports to a test. The methods here stand in front of those
// of the same name: they return no errors, since errors are kept until ExpectError or the end of the test.
//
// Call its methods on the test's goroutine.
type Channel struct {
	*Embedded
	t    testing.TB
	cfg  Config
	errs []error // returned by calls and not expected yet
}

// Config sets a Channel up. The zero value is what New uses.
type Config struct {
	embedded.Config
	// Whole makes Feed send its bytes in one piece instead of one by one.
	Whole bool
	// SkipCheck leaves out Pipeline.Check after set-up.
	SkipCheck bool
}

// New makes a channel with the given handlers, and finishes it at the end of the test. The test fails at once when a
// handler can't be added, and when the types of messages that the handlers declare don't fit together. A decoder at the
// end of the chain fits: the test itself takes its messages, by In; so does a handler at the front, by Out.
func New(t testing.TB, handlers ...pipeline.Handler) *Channel {
	t.Helper()
	return NewConfig(t, Config{}, handlers...)
}

// NewConfig is New with settings.
func NewConfig(t testing.TB, cfg Config, handlers ...pipeline.Handler) *Channel {
	t.Helper()
	return NewInit(t, cfg, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) })
}

// NewInit is New with settings and a function that fills the pipeline, as servers take one.
func NewInit(t testing.TB, cfg Config, init func(*pipeline.Channel) error) *Channel {
	t.Helper()
	if cfg.Name == "" {
		cfg.Name = t.Name()
	}
	if cfg.Options.Logger == nil {
		cfg.Options.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	e, err := embedded.NewInit(cfg.Config, init)
	if err != nil {
		t.Fatalf("pipelinetest: %v", err)
	}
	c := &Channel{Embedded: e, t: t, cfg: cfg}
	t.Cleanup(c.cleanup)
	if err := e.Pipeline().Check(); err != nil && !cfg.SkipCheck && misfit(e.Pipeline()) {
		t.Fatalf("pipelinetest: handlers don't fit together:\n%v", err)
	}
	return c
}

// Promise is NewPromise: the test fails if it never completes.
func (c *Channel) Promise() *pipeline.Promise { return c.NewPromise() }

// Outcome is how a promise ended.
type Outcome struct {
	Done bool
	Err  error
}

// Watch gives a promise like Promise does, and where to see how it ends. A promise itself can't be asked afterwards.
func (c *Channel) Watch() (*pipeline.Promise, *Outcome) {
	o := &Outcome{}
	p := c.NewPromise()
	p.OnDone(func(err error) { o.Done, o.Err = true, err })
	return p, o
}
