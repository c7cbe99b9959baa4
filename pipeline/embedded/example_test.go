package embedded_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// shout answers in capital letters, and says goodbye after a minute.
type shout struct{}

// HandleActive starts the minute.
func (shout) HandleActive(ctx *pipeline.Context) error {
	ctx.After(time.Minute, func() {
		_ = ctx.Write(buffer.FromString("BYE"))
		ctx.Close()
	})
	ctx.FireActive()
	return nil
}

// HandleRead answers.
func (shout) HandleRead(ctx *pipeline.Context, msg any) error {
	b, ok := msg.(*buffer.Buffer)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	defer ctx.Release(b)
	return ctx.Write(buffer.FromBytes(bytes.ToUpper(b.Bytes())))
}

func Example() {
	ch, err := embedded.New(embedded.Config{}, shout{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ch.FeedString("hello"), ch.WireString())
	ch.AdvanceTime(time.Minute)
	fmt.Println(ch.WireString(), ch.FINSent(), ch.Channel().Closed())
	_, err = ch.Finish()
	fmt.Println(err)
	// Output:
	// <nil> HELLO
	// BYE true true
	// <nil>
}

func ExamplePipe() {
	server, _ := embedded.New(embedded.Config{}, shout{})
	client, _ := embedded.New(embedded.Config{})
	fmt.Println(embedded.Pipe(client, server))
	fmt.Println(client.WriteOutbound(buffer.FromString("ping")))
	answer, err := embedded.In[*buffer.Buffer](client)
	fmt.Printf("%s %v\n", answer.Bytes(), err)
	answer.Release()
	// Output:
	// <nil>
	// <nil>
	// PING <nil>
}

func ExampleNetwork() {
	n := embedded.NewNetwork(embedded.Config{})
	n.Listen("shout:1", func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(shout{}) })
	var dial pipeline.DialFunc = n.Dial // what a protocol's client takes
	ch, err := dial(context.Background(), "shout:1", func(*pipeline.Channel) error { return nil })
	fmt.Println(ch.RemoteAddr(), err)
	n.AdvanceTime(time.Minute)
	answer, err := embedded.In[*buffer.Buffer](n.Dialed("shout:1")[0])
	fmt.Printf("%s %v %v\n", answer.Bytes(), err, ch.Closed())
	answer.Release()
	// Output:
	// shout:1 <nil>
	// BYE <nil> true
}
