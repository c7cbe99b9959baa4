package codec

import "github.com/penstock-go/penstock/pipeline/buffer"

// This file has what decoders and encoders may implement beyond Decoder and Encoder. Two more methods are for
// those whose M is an interface, so that Pipeline.Check knows their types: `Emits() []reflect.Type` of decoders and
// `Takes() []reflect.Type` of encoders.

// EOFDecoder is implemented by decoders that have something to say when no more bytes will come. in holds
// what Decode left and may be empty. DecodeEOF is called again for as long as it gives messages and consumes.
// An error in the middle of a message matches io.ErrUnexpectedEOF.
//
// For a decoder without it the driver reports a *TruncatedError when bytes are left.
type EOFDecoder[M any] interface {
	DecodeEOF(in *buffer.Buffer) (m M, ok bool, err error)
}

// Backlogged is implemented by decoders that can have messages left that need no more bytes, such as
// decompressors. While Backlog is true, Decode is called also with an empty in, and may give a message without
// consuming.
type Backlogged interface {
	Backlog() bool
}

// Bounded is implemented by decoders that limit themselves what they leave in the buffer, in bytes. The driver
// lets them have that much although it is more than DefaultMaxHeld.
type Bounded interface {
	MaxHeld() int
}

// Resetter is implemented by codecs that hold pooled bytes or other resources between calls. Reset gives
// them back; the driver calls it when the handler has left the pipeline. Afterwards the codec is as new.
type Resetter interface {
	Reset()
}

// AllocatorUser is implemented by codecs that need memory of their own. The driver gives them the loop's
// allocator before the first call.
type AllocatorUser interface {
	UseAllocator(a buffer.Allocator)
}

// Checker is implemented by codecs whose settings can be wrong. The driver calls Check when it is added; an error
// keeps it out of the pipeline.
type Checker interface {
	Check() error
}
