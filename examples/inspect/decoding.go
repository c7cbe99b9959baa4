package main

import (
	"errors"
	"fmt"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// decoding is one decoder at work in a pipeline.
type decoding struct {
	decoder pipeline.Handler
	message func(msg any) error // is lent each message that comes out
	eof     bool                // the input ends behind the last piece
	probe   string              // a good message: behind a refusal it must be dropped
	discard bool                // it must be dropped without a refusal, too
}

// decoded is what a decoding came to, besides messages.
type decoded struct {
	refusal   error  // what the decoder said against its input
	rest      []byte // octets that it left to the next protocol, or waits with
	discarded bool   // the probe was dropped
}

// errBroken is a mistake of the decoder, whatever it was given.
var errBroken = errors.New("the decoder broke its promises")

// run feeds pieces to the decoder as if they arrived one by one, looks at it, and takes it out of the pipeline. look
// is called while the decoder still is as the last piece left it.
func (d *decoding) run(pieces [][]byte, look func()) (decoded, error) {
	t := &tap{message: d.message}
	ch, err := embedded.New(embedded.Config{Options: pipeline.Options{AllowHalfClose: true}}, d.decoder, t)
	if err != nil {
		return decoded{}, err
	}
	for _, p := range pieces {
		t.failed = errors.Join(t.failed, ch.Feed(p))
	}
	if d.eof {
		ch.PeerClose()
		ch.RunPending()
	}
	look()
	var result decoded
	if !d.eof && (t.refusal != nil || d.discard) {
		result.discarded = true
		t.message = func(any) error { result.discarded = false; return nil }
		t.failed = errors.Join(t.failed, ch.FeedString(d.probe))
	}
	ch.Pipeline().ContextOf(d.decoder).Remove()
	ch.RunPending()
	if _, err := ch.Finish(); err != nil {
		t.failed = errors.Join(t.failed, err)
	}
	if t.refusal != nil && !d.eof && !result.discarded {
		t.failed = errors.Join(t.failed, fmt.Errorf("%w: a message behind a refusal", errBroken))
	}
	result.refusal, result.rest = t.refusal, t.rest
	return result, t.failed
}

// tap stands behind a decoder and notes what comes.
type tap struct {
	pipeline.Unshared
	message func(msg any) error
	refusal error
	rest    []byte
	failed  error
}

var (
	_ pipeline.ReadHandler  = (*tap)(nil)
	_ pipeline.ErrorHandler = (*tap)(nil)
)

// HandleRead takes messages; octets come from a decoder that was removed.
func (t *tap) HandleRead(ctx *pipeline.Context, msg any) error {
	defer ctx.Release(msg)
	if b, ok := msg.(*buffer.Buffer); ok {
		t.rest = append(t.rest, b.Bytes()...)
		return nil
	}
	t.failed = errors.Join(t.failed, t.message(msg))
	return nil
}

// HandleError takes what the decoder says against its input, so that the connection stays open.
func (t *tap) HandleError(_ *pipeline.Context, err error) error {
	if t.refusal != nil {
		t.failed = errors.Join(t.failed, fmt.Errorf("%w: a second refusal: %w", errBroken, err))
	}
	t.refusal = err
	return nil
}

// encode writes messages through an encoder in a pipeline and returns the octets. It takes the messages.
func encode(encoder pipeline.Handler, msgs ...any) ([]byte, error) {
	ch, err := embedded.New(embedded.Config{}, encoder)
	if err != nil {
		return nil, err
	}
	refusal := ch.WriteOutbound(msgs...)
	octets := ch.Wire()
	if _, err := ch.Finish(); err != nil {
		return nil, err
	}
	return octets, refusal
}
