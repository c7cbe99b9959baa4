package main

import (
	"encoding/binary"
	"errors"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Quote is a price of a symbol. On the wire: length of the symbol (1 byte), symbol, cents (8 bytes,
// big-endian).
type Quote struct {
	Symbol string
	Cents  uint64
}

var errSymbol = errors.New("quote: symbol longer than 255 bytes")

// QuoteCodec is the wire format. It knows nothing of channels.
type QuoteCodec struct{}

// Decode takes one quote from the front of in, when all of it is there.
func (QuoteCodec) Decode(in *buffer.Buffer) (q *Quote, ok bool, err error) {
	b := in.Bytes()
	if len(b) < 1 || len(b) < 1+int(b[0])+8 {
		return nil, false, nil // wait for more
	}
	n := int(in.Next(1)[0])
	q = &Quote{Symbol: string(in.Next(n)), Cents: binary.BigEndian.Uint64(in.Next(8))}
	return q, true, nil
}

// Size is exact.
func (QuoteCodec) Size(q *Quote) int { return 1 + len(q.Symbol) + 8 }

// Encode appends one quote.
func (QuoteCodec) Encode(out *buffer.Writer, q *Quote) error {
	if len(q.Symbol) > 255 {
		return errSymbol // refused, nothing written
	}
	out.AppendByte(byte(len(q.Symbol)))
	out.AppendString(q.Symbol)
	out.AppendUint64(q.Cents)
	return nil
}
