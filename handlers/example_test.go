package handlers_test

import (
	"bytes"
	"fmt"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// A port for one protocol of our own, whose peers begin with "HI ".
func ExampleDetect() {
	greeting := handlers.Rule{
		Name: "greeting",
		Match: func(prefix []byte) codec.Verdict {
			n := min(len(prefix), 3)
			switch {
			case !bytes.Equal(prefix[:n], []byte("HI ")[:n]):
				return codec.No
			case n < 3:
				return codec.More
			}
			return codec.Yes
		},
		Install: func(ctx *pipeline.Context) error {
			handlers.Ready(ctx.Channel())
			return ctx.AddAfter(pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
		},
	}
	detect := &handlers.Detect{Rules: []handlers.Rule{greeting}, Refusal: "say HI first\n"}
	ch, err := embedded.New(embedded.Config{}, detect)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, piece := range []string{"H", "I there"} {
		if err := ch.FeedString(piece); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(ch.WireString())
	fmt.Println(ch.Pipeline())
	// Output:
	// HI there
	// bytes → handlers_test.ExampleDetect.func2.1
}
