package codec

import (
	"slices"

	"github.com/penstock-go/penstock/pipeline"
)

// flights completes the promises of messages that travel together, as the compressed bytes of a flush do: when the
// bytes of a flight have left, so have its messages. The bytes go under a promise of their own, since a message that
// is part of a stream can't be cancelled any more.
type flights struct {
	promises []*pipeline.Promise // of messages, in the order of writing; those before first are complete
	first    int
	sizes    []int // messages of each flight that is on its way; those before landed have arrived
	landed   int
	boarding int         // messages at the end that are not on their way
	turned   bool        // the flight whose promise completes never left
	land     func(error) // f.arrive, bound once
}

// board adds the promise of a message; nil is none.
func (f *flights) board(p *pipeline.Promise) {
	if p == nil {
		return
	}
	f.promises = append(f.promises, p)
	f.boarding++
}

// leave returns the promise to send the bytes of all that boarded under, nil when nobody wants to know.
func (f *flights) leave(ctx *pipeline.Context) *pipeline.Promise {
	if f.boarding == 0 {
		return nil
	}
	if f.land == nil {
		f.land = f.arrive
	}
	f.sizes = append(f.sizes, f.boarding)
	f.boarding = 0
	p := ctx.NewPromise()
	p.OnDone(f.land)
	return p
}

// arrive completes the promises of the oldest flight, as bytes leave in order. Their listeners may write and flush.
func (f *flights) arrive(err error) {
	if f.turned {
		return
	}
	n := f.sizes[f.landed]
	f.landed++
	if f.landed > len(f.sizes)/2 {
		f.sizes = slices.Delete(f.sizes, 0, f.landed)
		f.landed = 0
	}
	for ; n > 0; n-- {
		p := f.promises[f.first]
		f.first++
		if f.first > len(f.promises)/2 {
			f.promises = slices.Delete(f.promises, 0, f.first)
			f.first = 0
		}
		if err != nil {
			p.Fail(err)
		} else {
			p.Succeed()
		}
	}
}

// turnBack says that the bytes of the latest flight were refused; p is what leave returned. Its messages wait again.
func (f *flights) turnBack(p *pipeline.Promise, err error) {
	if p == nil {
		return
	}
	last := len(f.sizes) - 1
	f.boarding += f.sizes[last]
	f.sizes = f.sizes[:last]
	f.turned = true
	p.Fail(err)
	f.turned = false
}

// strand fails the promises of messages whose bytes will never leave.
func (f *flights) strand(err error) {
	from := len(f.promises) - f.boarding
	stranded := slices.Clone(f.promises[from:])
	f.promises = slices.Delete(f.promises, from, len(f.promises))
	f.boarding = 0
	for _, p := range stranded {
		p.Fail(err)
	}
}
