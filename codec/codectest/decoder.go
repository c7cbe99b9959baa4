package codectest

import "github.com/penstock-go/penstock/pipeline/buffer"

// Decoder is codec.Decoder, word for word: every decoder of package codec's drivers is one.
type Decoder[M any] interface {
	Decode(in *buffer.Buffer) (m M, ok bool, err error)
}

// eofDecoder is codec.EOFDecoder.
type eofDecoder[M any] interface {
	DecodeEOF(in *buffer.Buffer) (m M, ok bool, err error)
}

// drop lets a decoder that is abandoned in the middle of a message give back what it holds, by the method that it has
// for that.
func drop(d any) {
	switch d := d.(type) {
	case interface{ Release() }:
		d.Release()
	case interface{ Reset() }:
		d.Reset()
	case interface{ Close() error }:
		_ = d.Close() // nothing is left to report
	}
}

// backlogged reports whether a decoder is a codec.Backlogged that has messages left.
func backlogged(decoder any) bool {
	b, ok := decoder.(interface{ Backlog() bool })
	return ok && b.Backlog()
}
