package codec

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// DefaultMaxWhole is the limit of what an Aggregator puts together, in bytes.
const DefaultMaxWhole = 1 << 20

// Assembly says how parts of type Part become one Whole, a pointer type. Its functions are called on the event loop.
type Assembly[Part, Whole any] struct {
	// Name stands in errors, such as "stomp aggregator". "" = the type of Whole.
	Name string
	// MaxBytes is the limit of one whole, as Bytes counts. 0 = DefaultMaxWhole.
	MaxBytes int
	// Accepts reports whether a message is a part; what is none passes also between the parts of a whole. nil = every
	// Part is. Required when Part is an interface type.
	Accepts func(msg any) bool
	// Start begins a whole with p, which it takes. ok == false without an error: p stands for itself and passes. An
	// error, such as a declared length over the limit, is reported, and the rest of the message dropped; p stays
	// the Aggregator's then. Required.
	Start func(p Part) (w Whole, ok bool, err error)
	// Append adds p to w and takes p, also when it fails. An error is reported, and w and the rest of the message dropped.
	// Required.
	Append func(w Whole, p Part) error
	// Last reports whether p ends its whole; it is asked before Start and Append take p. Required.
	Last func(p Part) bool
	// Bytes is how many bytes p adds. It is asked before Start and Append take p. Required.
	Bytes func(p Part) int
	// TooLong gives the error for a whole that exceeds the limit; w is dropped afterwards. nil = *TooLongError.
	TooLong func(w Whole, limitBytes int) error
}

// Aggregator puts the parts of messages together and fires each whole. A whole over the limit is one error, and
// the rest of it is dropped as it comes. What is not complete is released when the handler leaves the pipeline.
// Handlers of protocols embed it or wrap it.
//
// Its methods are for the event loop only.
type Aggregator[Part, Whole any] struct {
	pipeline.Unshared
	how      Assembly[Part, Whole]
	whole    Whole
	open     bool // whole is being put together
	skipping bool // the rest of a dropped message is
	bytes    int  // of whole
	took     bool // a part, since the last read complete
	fired    bool // a message, since the last read complete
}

// NewAggregator makes the handler that assembles how it says.
func NewAggregator[Part, Whole any](how Assembly[Part, Whole]) *Aggregator[Part, Whole] {
	return &Aggregator[Part, Whole]{how: how}
}

var (
	_ pipeline.AddedHandler        = (*Aggregator[any, any])(nil)
	_ pipeline.ReadHandler         = (*Aggregator[any, any])(nil)
	_ pipeline.ReadCompleteHandler = (*Aggregator[any, any])(nil)
	_ pipeline.InactiveHandler     = (*Aggregator[any, any])(nil)
	_ pipeline.RemovedHandler      = (*Aggregator[any, any])(nil)
)

// HandleAdded refuses an Assembly that lacks a function.
func (a *Aggregator[Part, Whole]) HandleAdded(*pipeline.Context) error {
	h := &a.how
	if h.Start == nil || h.Append == nil || h.Last == nil || h.Bytes == nil {
		return wrongSettings("%s: Start, Append, Last and Bytes are required", a.name())
	}
	if h.Accepts == nil && reflect.TypeFor[Part]().Kind() == reflect.Interface {
		return wrongSettings("%s: Accepts is required for parts of an interface type", a.name())
	}
	return nil
}

// HandleRead takes parts and fires wholes; other messages pass.
func (a *Aggregator[Part, Whole]) HandleRead(ctx *pipeline.Context, msg any) error {
	p, ok := msg.(Part)
	if !ok || a.how.Accepts != nil && !a.how.Accepts(msg) {
		a.fire(ctx, msg)
		return nil
	}
	last := a.how.Last(p)
	n := a.how.Bytes(p)
	switch {
	case a.skipping:
		a.took, a.skipping = true, !last
		ctx.Release(msg)
		return nil
	case a.open:
		return a.more(ctx, p, n, last)
	default:
		return a.first(ctx, p, n, last)
	}
}

// first begins a whole.
func (a *Aggregator[Part, Whole]) first(ctx *pipeline.Context, p Part, n int, last bool) error {
	w, ok, err := a.how.Start(p)
	switch {
	case err != nil:
		a.took, a.skipping = true, !last
		ctx.Release(p)
		return err
	case !ok:
		a.fire(ctx, p)
		return nil
	}
	a.took, a.open, a.whole, a.bytes = true, true, w, n
	if n > a.limit() {
		return a.tooLong(last)
	}
	a.end(ctx, last)
	return nil
}

// more adds to the whole.
func (a *Aggregator[Part, Whole]) more(ctx *pipeline.Context, p Part, n int, last bool) error {
	a.took = true
	if n > a.limit()-a.bytes {
		ctx.Release(p)
		return a.tooLong(last)
	}
	a.bytes += n
	if err := a.how.Append(a.whole, p); err != nil {
		a.drop(!last)
		return err
	}
	a.end(ctx, last)
	return nil
}

// end fires the whole when its last part has come.
func (a *Aggregator[Part, Whole]) end(ctx *pipeline.Context, last bool) {
	if !last {
		return
	}
	w := a.whole
	a.forget()
	a.fire(ctx, w)
}

func (a *Aggregator[Part, Whole]) fire(ctx *pipeline.Context, msg any) {
	a.fired = true
	ctx.FireRead(msg)
}

func (a *Aggregator[Part, Whole]) tooLong(last bool) error {
	err := error(&TooLongError{Codec: a.name(), Limit: a.limit()})
	if a.how.TooLong != nil {
		err = a.how.TooLong(a.whole, a.limit())
	}
	a.drop(!last)
	return err
}

// drop releases what is not complete; skip: more of it will come.
func (a *Aggregator[Part, Whole]) drop(skip bool) {
	if a.open {
		w := a.whole
		a.forget()
		buffer.Release(w)
	}
	a.skipping = skip
}

func (a *Aggregator[Part, Whole]) forget() {
	var none Whole
	a.whole, a.open, a.bytes = none, false, 0
}

func (a *Aggregator[Part, Whole]) limit() int { return orDefault(a.how.MaxBytes, DefaultMaxWhole) }

func (a *Aggregator[Part, Whole]) name() string {
	if a.how.Name != "" {
		return a.how.Name
	}
	return "aggregator of " + reflect.TypeFor[Whole]().String()
}

// HandleReadComplete passes on; when reading is by request and the batch gave parts but nothing whole it asks for
// another.
func (a *Aggregator[Part, Whole]) HandleReadComplete(ctx *pipeline.Context) error {
	if a.took && !a.fired && !ctx.Channel().AutoRead() {
		ctx.Read()
	}
	a.took, a.fired = false, false
	ctx.FireReadComplete()
	return nil
}

// HandleInactive drops what is not complete, then passes on.
func (a *Aggregator[Part, Whole]) HandleInactive(ctx *pipeline.Context) error {
	a.drop(false)
	ctx.FireInactive()
	return nil
}

// HandleRemoved drops what is not complete.
func (a *Aggregator[Part, Whole]) HandleRemoved(*pipeline.Context) error {
	a.drop(false)
	a.took, a.fired = false, false
	return nil
}

// Flow says what the handler reads and emits. Parts that stand for themselves pass besides.
func (a *Aggregator[Part, Whole]) Flow() pipeline.Flow {
	return pipeline.Flow{Reads: []reflect.Type{reflect.TypeFor[Part]()}, Emits: []reflect.Type{reflect.TypeFor[Whole]()}}
}

// String is the handler's name.
func (a *Aggregator[Part, Whole]) String() string { return a.name() }
