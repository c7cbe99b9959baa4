package httpx_test

import (
	"bytes"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// shouter is another protocol: it answers in capitals.
type shouter struct{}

func (*shouter) HandleRead(ctx *pipeline.Context, msg any) error {
	defer ctx.Release(msg)
	return ctx.Write(buffer.FromBytes(bytes.ToUpper(msg.(*buffer.Buffer).Bytes())))
}

var _ pipeline.ReadHandler = (*shouter)(nil)
