package transport_test

import (
	"strings"
	"sync"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// probe is the last handler of every channel in the suite. It records what it sees, for any goroutine, and
// does what its hooks say. Reads that no hook takes are kept as data.
type probe struct {
	pipeline.Unshared
	initFails error // what the channel's init fails with

	onAdded, onActive, onReadComplete, onWritability, onReadClosed, onInactive, onRemoved func(*pipeline.Context)

	onRead  func(*pipeline.Context, *buffer.Buffer) error
	onError func(*pipeline.Context, error) error

	inside int // callbacks on the stack; on the loop

	mu     sync.Mutex
	ctx    *pipeline.Context
	events []string
	data   strings.Builder
	errs   []error
	nested bool
}

// note records an event.
func (p *probe) note(event string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, event)
}

// enter records an event and gives what ends it.
func (p *probe) enter(ctx *pipeline.Context, event string) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx = ctx
	p.events = append(p.events, event)
	if event == "inactive" && p.inside > 0 {
		p.nested = true
	}
	p.inside++
	return func() { p.inside-- }
}

func (p *probe) run(ctx *pipeline.Context, event string, hook func(*pipeline.Context)) error {
	defer p.enter(ctx, event)()
	if hook != nil {
		hook(ctx)
	}
	return nil
}

// fail records an error that the test looks at later.
func (p *probe) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errs = append(p.errs, err)
}

// all is a copy of the events so far, with repetitions left out.
func (p *probe) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var events []string
	for _, e := range p.events {
		if len(events) == 0 || events[len(events)-1] != e {
			events = append(events, e)
		}
	}
	return events
}

// count is how often an event came.
func (p *probe) count(event string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, e := range p.events {
		if e == event {
			n++
		}
	}
	return n
}

// saw is a condition to wait for.
func (p *probe) saw(event string) func() bool {
	return func() bool { return p.count(event) > 0 }
}

// has is the condition that n bytes have been read.
func (p *probe) has(n int) func() bool {
	return func() bool { return len(p.read()) >= n }
}

// read is what was read so far.
func (p *probe) read() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data.String()
}

func (p *probe) failures() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]error(nil), p.errs...)
}

func (p *probe) isNested() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nested
}

// context is the probe's place in its pipeline; use it on the loop only.
func (p *probe) context() *pipeline.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ctx
}

// HandleAdded records and runs the hook, like those below.
func (p *probe) HandleAdded(ctx *pipeline.Context) error { return p.run(ctx, "added", p.onAdded) }

// HandleActive implements pipeline.ActiveHandler.
func (p *probe) HandleActive(ctx *pipeline.Context) error { return p.run(ctx, "active", p.onActive) }

// HandleRead implements pipeline.ReadHandler.
func (p *probe) HandleRead(ctx *pipeline.Context, msg any) error {
	defer p.enter(ctx, "read")()
	b := msg.(*buffer.Buffer)
	if p.onRead != nil {
		return p.onRead(ctx, b)
	}
	p.keep(b)
	return nil
}

// keep takes b and adds it to the data.
func (p *probe) keep(b *buffer.Buffer) {
	p.mu.Lock()
	p.data.Write(b.Bytes())
	p.mu.Unlock()
	b.Release()
}

// HandleReadComplete implements pipeline.ReadCompleteHandler.
func (p *probe) HandleReadComplete(ctx *pipeline.Context) error {
	return p.run(ctx, "readComplete", p.onReadComplete)
}

// HandleWritability implements pipeline.WritabilityHandler.
func (p *probe) HandleWritability(ctx *pipeline.Context) error {
	event := "unwritable"
	if ctx.Channel().Writable() {
		event = "writable"
	}
	return p.run(ctx, event, p.onWritability)
}

// HandleReadClosed implements pipeline.ReadClosedHandler.
func (p *probe) HandleReadClosed(ctx *pipeline.Context) error {
	return p.run(ctx, "readClosed", p.onReadClosed)
}

// HandleError implements pipeline.ErrorHandler. Errors go onward when no hook takes them.
func (p *probe) HandleError(ctx *pipeline.Context, err error) error {
	defer p.enter(ctx, "error")()
	p.fail(err)
	if p.onError != nil {
		return p.onError(ctx, err)
	}
	return err
}

// HandleInactive implements pipeline.InactiveHandler.
func (p *probe) HandleInactive(ctx *pipeline.Context) error {
	return p.run(ctx, "inactive", p.onInactive)
}

// HandleRemoved implements pipeline.RemovedHandler.
func (p *probe) HandleRemoved(ctx *pipeline.Context) error {
	return p.run(ctx, "removed", p.onRemoved)
}

// echo sends back what it reads.
func echo(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }

// bytesOf makes a message.
func bytesOf(s string) *buffer.Buffer { return buffer.FromString(s) }

// pattern is n bytes in which every place looks different; a shorter pattern is the beginning of a longer one.
func pattern(n int) string { return wholePattern()[:n] }

var wholePattern = sync.OnceValue(func() string {
	p := make([]byte, 12<<20)
	for i := range p {
		p[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return string(p)
})
