package main

import (
	"context"
	"sync/atomic"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// sharedFields are the answer's field lines, made anew once a second.
type sharedFields struct{ fields atomic.Pointer[httpx.Header] }

func (s *sharedFields) keep(ctx context.Context) {
	everySecond(ctx, func(now string) { s.fields.Store(answerFields(now)) })
}

// answerFields are those of every answer.
func answerFields(date string) *httpx.Header {
	h := new(httpx.Header)
	for _, f := range [][2]string{
		{"content-type", answerType}, {"server", answerServer}, {"date", date}, {"content-length", answerLength},
	} {
		if err := h.Add(f[0], f[1]); err != nil {
			panic(err) //nolint:forbidigo // the fields are constants: a mistake in this program
		}
	}
	return h
}

// newAnswer makes an answer with those fields.
func newAnswer(fields *httpx.Header) *httpx.FullResponse {
	r := httpx.NewFullResponse(200)
	r.Header.AddAll(fields)
	r.SetBodyString(answerBody)
	return r
}

// serveExchange is the whole server, with a function that answers.
func serveExchange(ctx context.Context) error {
	shared := &sharedFields{}
	shared.keep(ctx)
	return servePenstock(ctx, httpx.Init(httpx.ServerConfig{Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
		return x.Reply(newAnswer(shared.fields.Load()))
	}}))
}

// serveCodec has the codec and a handler only: nobody refuses bad requests or closes after the last answer.
func serveCodec(ctx context.Context) error {
	shared := &sharedFields{}
	shared.keep(ctx)
	return servePenstock(ctx, func(ch *pipeline.Channel) error {
		return addCodec(ch, shared.fields.Load)
	})
}

// addCodec fills a pipeline with decoder, encoder and a handler that answers with those fields.
func addCodec(ch *pipeline.Channel, fields func() *httpx.Header) error {
	state := new(httpx.State)
	return ch.Pipeline().AddLast(
		codec.NewDecoder[any](httpx.NewRequestDecoder(httpx.DecoderConfig{}, state)),
		codec.NewEncoder[any](httpx.NewResponseEncoder(state)),
		&answers{fields})
}

// answers answers every request. It looks at nothing but the message's type.
type answers struct{ fields func() *httpx.Header }

// HandleRead answers.
func (a *answers) HandleRead(ctx *pipeline.Context, msg any) error {
	_, ok := msg.(*httpx.Request)
	buffer.Release(msg)
	if !ok {
		return nil
	}
	return ctx.Write(newAnswer(a.fields()))
}
