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
	everySecond(ctx, func(now string) {
		h := new(httpx.Header)
		for _, f := range [][2]string{
			{"content-type", answerType}, {"server", answerServer}, {"date", now}, {"content-length", answerLength},
		} {
			if err := h.Add(f[0], f[1]); err != nil {
				panic(err) //nolint:forbidigo // the fields are constants: a mistake in this program
			}
		}
		s.fields.Store(h)
	})
}

// answer makes one.
func (s *sharedFields) answer() *httpx.FullResponse {
	r := httpx.NewFullResponse(200)
	r.Header.AddAll(s.fields.Load())
	r.SetBodyString(answerBody)
	return r
}

// serveExchange is the whole server: codec, what every server must do, and a handler.
func serveExchange(ctx context.Context) error {
	shared := &sharedFields{}
	shared.keep(ctx)
	return servePenstock(ctx, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&opener{shared}) })
}

// opener installs the server and goes.
type opener struct{ shared *sharedFields }

// HandleAdded installs.
func (o *opener) HandleAdded(ctx *pipeline.Context) error {
	return httpx.Install(ctx, httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler {
		return []pipeline.Handler{&answers{o.shared}}
	}})
}

// serveCodec has the codec and a handler only.
func serveCodec(ctx context.Context) error {
	shared := &sharedFields{}
	shared.keep(ctx)
	return servePenstock(ctx, func(ch *pipeline.Channel) error {
		state := new(httpx.State)
		return ch.Pipeline().AddLast(
			codec.NewDecoder[any](httpx.NewRequestDecoder(httpx.DecoderConfig{}, state)),
			codec.NewEncoder[any](httpx.NewResponseEncoder(state)),
			&answers{shared})
	})
}

// answers answers every request. It looks at nothing but the message's type.
type answers struct{ shared *sharedFields }

// HandleRead answers.
func (a *answers) HandleRead(ctx *pipeline.Context, msg any) error {
	_, ok := msg.(*httpx.Request)
	buffer.Release(msg)
	if !ok {
		return nil
	}
	return ctx.Write(a.shared.answer())
}
