package pipeline_test

import (
	"fmt"
	"strings"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// upper is a handler of its own type: it reads buffers and answers in capital letters.
type upper struct{}

// HandleRead owns msg: it keeps nothing of it and releases it.
func (upper) HandleRead(ctx *pipeline.Context, msg any) error {
	b, ok := msg.(*buffer.Buffer)
	if !ok {
		ctx.FireRead(msg) // not ours
		return nil
	}
	out := ctx.Alloc(b.Len())
	out.AppendString(strings.ToUpper(string(b.Bytes())))
	ctx.Release(b)
	return ctx.Write(out)
}

// A pipeline over memory: one typed function that looks at what comes in and passes it on, and one handler
// that answers.
func Example() {
	look := pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
		fmt.Println("in: ", b.Len(), "bytes")
		ctx.FireRead(b)
		return nil
	})
	ch, err := embedded.New(embedded.Config{}, look, upper{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ch.FeedString("hello"); err != nil {
		fmt.Println(err)
	}
	fmt.Println("out:", ch.WireString())
	left, err := ch.Finish()
	fmt.Println(len(left.Buffers), err)
	// Output:
	// in:  5 bytes
	// out: HELLO
	// 0 <nil>
}
