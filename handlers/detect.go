package handlers

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Rule is one protocol that Detect may find.
type Rule struct {
	// Name stands in DetectedEvent and in refusals.
	Name string
	// Match judges the first bytes; it must not keep them.
	Match func(prefix []byte) codec.Verdict
	// Install adds the protocol's handlers right behind ctx (ctx.AddAfter).
	Install func(ctx *pipeline.Context) error
}

// Detect tells protocols apart by the first bytes of a connection: it holds them until one rule says Yes,
// installs that protocol in its own place, leaves, and passes the bytes on. Rules are asked in order; a
// later Yes waits for an earlier More. When no rule is left, or MaxBytes were not enough, the peer gets
// Refusal, the pipeline an error that matches ErrUnknownProtocol, and the channel closes.
type Detect struct {
	pipeline.Unshared
	// Rules are asked in this order.
	Rules []Rule
	// MaxBytes is how many bytes the rules may ask for. 0 = 64.
	MaxBytes int
	// Deadline is the time from accept until the protocol that was found says Ready; see ExpectReady.
	// 0 = 10 s.
	Deadline time.Duration
	// Refusal is sent to peers that speak none of the protocols. "" = nothing.
	Refusal string

	held *buffer.Buffer
	done bool
}

// DetectedEvent is fired, as a value, before the first bytes of a protocol that was found.
type DetectedEvent struct{ Protocol string }

// DefaultDetectBytes is Detect.MaxBytes when that is 0.
const DefaultDetectBytes = 64

// ErrUnknownProtocol is matched by the error of a connection whose first bytes fit no rule.
var ErrUnknownProtocol = errors.New("handlers: unknown protocol")

var (
	_ pipeline.AddedHandler   = (*Detect)(nil)
	_ pipeline.ReadHandler    = (*Detect)(nil)
	_ pipeline.RemovedHandler = (*Detect)(nil)
)

// HandleAdded starts the deadline.
func (d *Detect) HandleAdded(ctx *pipeline.Context) error {
	ExpectReady(ctx.Channel(), d.Deadline)
	return nil
}

// HandleRead collects bytes until a rule decides.
func (d *Detect) HandleRead(ctx *pipeline.Context, msg any) error {
	b, ok := msg.(*buffer.Buffer)
	switch {
	case !ok:
		ctx.FireRead(msg)
		return nil
	case d.done: // and not removed: the channel is closing
		ctx.Release(b)
		return nil
	}
	d.hold(ctx, b)
	rule, verdict := d.judge(d.held.Bytes())
	switch {
	case verdict == codec.Yes:
		d.install(ctx, rule)
	case verdict == codec.No || d.held.Len() >= d.maxBytes():
		d.refuse(ctx)
	}
	return nil
}

func (d *Detect) hold(ctx *pipeline.Context, b *buffer.Buffer) {
	if d.held == nil && b.Len() >= d.maxBytes() {
		d.held = b
		return
	}
	if d.held == nil {
		d.held = ctx.Alloc(max(d.maxBytes(), b.Len())) // not the large read buffer
	}
	d.held.Append(b.Bytes())
	ctx.Release(b)
}

func (d *Detect) maxBytes() int {
	if d.MaxBytes <= 0 {
		return DefaultDetectBytes
	}
	return d.MaxBytes
}

// judge asks the rules; the first that is not No decides.
func (d *Detect) judge(prefix []byte) (*Rule, codec.Verdict) {
	prefix = prefix[:min(len(prefix), d.maxBytes())]
	for i := range d.Rules {
		if v := d.Rules[i].Match(prefix); v != codec.No {
			return &d.Rules[i], v
		}
	}
	return nil, codec.No
}

func (d *Detect) install(ctx *pipeline.Context, rule *Rule) {
	bytes := d.held
	d.held, d.done = nil, true
	if err := rule.Install(ctx); err != nil {
		ctx.Release(bytes)
		end(ctx, fmt.Errorf("handlers: installing %s: %w", rule.Name, err))
		return
	}
	ctx.Remove()
	ctx.FireEvent(DetectedEvent{Protocol: rule.Name})
	if !ctx.Channel().IsOpen() {
		ctx.Release(bytes)
		return
	}
	ctx.FireRead(bytes)
}

func (d *Detect) refuse(ctx *pipeline.Context) {
	prefix := string(d.held.Bytes()[:min(d.held.Len(), 64)])
	ctx.Release(d.held)
	d.held, d.done = nil, true
	if d.Refusal != "" {
		out := ctx.Alloc(len(d.Refusal))
		out.AppendString(d.Refusal)
		_ = ctx.Write(out) // the channel closes in any case
	}
	names := make([]string, len(d.Rules))
	for i := range d.Rules {
		names[i] = d.Rules[i].Name
	}
	end(ctx, fmt.Errorf("%w: first bytes %q fit none of %s", ErrUnknownProtocol, prefix, strings.Join(names, ", ")))
}

// end closes the channel with err, also when an error handler takes err.
func end(ctx *pipeline.Context, err error) {
	ctx.FireError(err)
	if ctx.Channel().IsOpen() {
		ctx.Pipeline().Close(pipeline.CloseDrain, nil)
	}
}

// HandleRemoved passes bytes that were not judged yet to whoever comes next.
func (d *Detect) HandleRemoved(ctx *pipeline.Context) error {
	if b := d.held; b != nil {
		d.held = nil
		if ctx.Channel().IsOpen() {
			ctx.FireRead(b)
			return nil
		}
		ctx.Release(b)
	}
	return nil
}
