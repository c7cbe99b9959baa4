package transport_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func ExampleServeConn() {
	ours, theirs := net.Pipe() // or a TLS connection, an SSH channel, …
	go func() {
		_, _ = io.WriteString(theirs, "ping")
		reply := make([]byte, 4)
		_, _ = io.ReadFull(theirs, reply)
		fmt.Printf("%s\n", reply)
		_ = theirs.Close()
	}()
	err := transport.ServeConn(context.Background(), ours, nil, func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
			return ctx.Write(b) // echo
		}))
	})
	fmt.Println("closed:", err)
	// Output:
	// ping
	// closed: <nil>
}
