package codec_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// Quote is a price: step 1, a message type that travels as a pointer.
type Quote struct {
	Symbol string
	Cents  uint64
}

// ErrSymbol is what a symbol over 255 bytes is refused with.
var ErrSymbol = errors.New("quote: symbol too long")

// QuoteCodec is a byte that counts, the symbol, and eight bytes of price. It needs no state.
type QuoteCodec struct{}

// Decode is steps 2 to 5: wait for the whole message, then take exactly its bytes.
func (QuoteCodec) Decode(in *buffer.Buffer) (q *Quote, ok bool, err error) {
	b := in.Bytes()
	if len(b) < 1 || len(b) < 1+int(b[0])+8 {
		return nil, false, nil // wait for more
	}
	n := int(in.Next(1)[0])
	q = &Quote{Symbol: string(in.Next(n)), Cents: binary.BigEndian.Uint64(in.Next(8))}
	return q, true, nil
}

// Size and Encode are step 7.
func (QuoteCodec) Size(q *Quote) int { return 1 + len(q.Symbol) + 8 }

// Encode refuses what the peer could not read.
func (QuoteCodec) Encode(out *buffer.Writer, q *Quote) error {
	if len(q.Symbol) > 255 {
		return ErrSymbol // refused, nothing written
	}
	out.AppendByte(byte(len(q.Symbol)))
	out.AppendString(q.Symbol)
	out.AppendUint64(q.Cents)
	return nil
}

// Board remembers the last price of each symbol and answers with the change.
type Board struct{ last map[string]uint64 }

func (b *Board) quote(ctx *pipeline.Context, q *Quote) error {
	old := b.last[q.Symbol]
	b.last[q.Symbol] = q.Cents
	return ctx.Write(&Quote{q.Symbol, q.Cents - old})
}

// The codec of the ten steps, in a pipeline (step 10).
func Example() {
	board := &Board{last: map[string]uint64{}}
	ch, err := embedded.New(embedded.Config{},
		codec.NewDecoder(QuoteCodec{}), codec.NewEncoder(QuoteCodec{}), pipeline.OnRead(board.quote))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ch.Pipeline())
	for _, piece := range []string{"\x04AC", "ME\x00\x00\x00\x00\x00\x00\x00\x64", "\x04ACME\x00\x00\x00\x00\x00\x00\x00\x6e"} {
		if err := ch.FeedString(piece); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%q\n", ch.WireString())
	}
	_, err = ch.Finish()
	fmt.Println(err)
	// Output:
	// bytes → codec_test.QuoteCodec → *codec_test.Quote → codec_test.QuoteCodec → codec_test.(*Board).quote
	// ""
	// "\x04ACME\x00\x00\x00\x00\x00\x00\x00d"
	// "\x04ACME\x00\x00\x00\x00\x00\x00\x00\n"
	// <nil>
}

// Lines of text, in and out.
func ExampleLine() {
	ch, err := embedded.New(embedded.Config{},
		codec.NewDecoder(&codec.Line{}), codec.NewMessageDecoder(codec.TextDecoder{}), codec.NewEncoder(codec.LineEncoder{}),
		pipeline.OnRead(func(ctx *pipeline.Context, t *codec.Text) error {
			return ctx.Write(codec.NewText("hello " + t.S))
		}))
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = ch.FeedString("Ann\r\nBo\n") // an error would be one of the pipeline, and Finish tells it, too
	fmt.Printf("%q\n", ch.WireString())
	_, err = ch.Finish()
	fmt.Println(err)
	// Output:
	// "hello Ann\nhello Bo\n"
	// <nil>
}

// A body that is made while it is sent, and is not ready at first.
func ExampleChunkedWriter() {
	writer := &codec.ChunkedWriter{}
	ch, err := embedded.New(embedded.Config{}, writer)
	if err != nil {
		fmt.Println(err)
		return
	}
	var ready []string
	body := codec.NewChunks(func(ctx *pipeline.Context) (any, error) {
		if len(ready) == 0 {
			return nil, nil // nothing now
		}
		b := ctx.Alloc(len(ready[0]))
		b.AppendString(ready[0])
		ready = ready[1:]
		return b, nil
	}, func() error {
		fmt.Println("input closed")
		return nil
	})
	_ = ch.WriteOutbound(body, buffer.FromString("waits behind it"))
	ready = []string{"some of it"}
	writer.ResumeTransfer() // from any goroutine
	ch.RunPending()
	fmt.Printf("%q\n", ch.WireString())
	ch.Channel().CloseWith(pipeline.CloseNow, nil)
	ch.RunPending()
	// Output:
	// "some of it"
	// input closed
}
