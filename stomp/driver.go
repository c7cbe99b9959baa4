package stomp

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// This file has what the drivers of package codec look for beside the codec proper: codec.NewDecoder runs a
// Decoder, codec.NewEncoder an Encoder without hooks, codec.NewMessageEncoder one with hooks, and
// codec.NewMessageDecoder an Aggregator.

var (
	frameType    = reflect.TypeFor[*Frame]()
	deliveryType = reflect.TypeFor[*Delivery]()
	headersType  = reflect.TypeFor[*HeadersSubframe]()
	contentType  = reflect.TypeFor[*ContentSubframe]()
	eolType      = reflect.TypeFor[*EOL]()
)

// Emits returns the types of the messages that Decode gives with the fields as they are set.
func (d *Decoder) Emits() []reflect.Type {
	types := []reflect.Type{frameType}
	if d.Stream {
		types = []reflect.Type{headersType, contentType}
	}
	if d.Beats {
		types = append(types, eolType)
	}
	return types
}

// MaxHeld returns how many octets Decode leaves in its buffer at most: those of a head.
func (d *Decoder) MaxHeld() int { return d.Limits.filled().Head + len("\r\n") }

// UseAllocator makes a the source of memory for bodies that come in pieces. Before, it is the shared pool.
func (d *Decoder) UseAllocator(a buffer.Allocator) { d.body.alloc = a }

// Takes returns the types of the messages that Encode writes.
func (e *Encoder) Takes() []reflect.Type {
	return []reflect.Type{frameType, deliveryType, headersType, contentType, eolType}
}

// UseAllocator makes a the source of memory for EncodeMessage. Before, it is the shared pool.
func (e *Encoder) UseAllocator(a buffer.Allocator) { e.alloc = a }

// EncodeMessage encodes m, passes the octets through the hook for its type, and gives the result to emit, which
// takes it. It does not keep m. Call it on the event loop only.
func (e *Encoder) EncodeMessage(m any, emit func(msg any)) error {
	e.out.Reset(e.alloc, e.Size(m))
	if err := e.Encode(&e.out, m); err != nil {
		e.out.Discard()
		return err
	}
	msg, err := e.Wrap(m, e.out.Take())
	if err != nil {
		return err
	}
	emit(msg)
	return nil
}

// Reset forgets an unfinished frame and makes the encoder ready for another stream.
func (e *Encoder) Reset() {
	e.out.Discard()
	e.stream = stream{}
}

// Takes returns the types of the messages that Add takes.
func (a *Aggregator) Takes() []reflect.Type {
	return []reflect.Type{contentType, headersType, frameType}
}

// Emits returns the type of the messages that Add gives.
func (a *Aggregator) Emits() []reflect.Type { return []reflect.Type{frameType} }

// UseAllocator makes al the source of memory for small pieces. Before, it is the shared pool.
func (a *Aggregator) UseAllocator(al buffer.Allocator) { a.body.alloc = al }

// DecodeMessage is Add for a message that stays the caller's: a complete frame goes to emit, which takes it. Call
// it on the event loop only.
func (a *Aggregator) DecodeMessage(m any, emit func(msg any)) error {
	buffer.Retain(m)
	f, ok, err := a.Add(m)
	if ok {
		emit(f)
	}
	return err
}
