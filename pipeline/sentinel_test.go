package pipeline_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestI2WhatNobodyReadEndsAtTheTail(t *testing.T) {
	t.Run("core-17 released once, counted, logged once per type with the handlers' names", func(t *testing.T) {
		b := newBare(t, pipeline.Options{}, pipeline.Named("first", &asks{}), pipeline.Named("second", &asks{}))
		b.feed("nobody")
		b.feed("reads")
		b.Pipeline().FireRead(&message{})
		require.Zero(t, b.Loop().Pool().Live())
		require.EqualValues(t, 3, b.Loop().Stats().Unread)
		logged := b.logs.String()
		require.Equal(t, 1, strings.Count(logged, "type=*buffer.Buffer"), logged)
		require.Equal(t, 1, strings.Count(logged, "type=*pipeline_test.message"), logged)
		require.Equal(t, 2, strings.Count(logged, `handlers="[first second]"`), logged)
		require.NotContains(t, logged, "nobody", "never the content")
	})
	t.Run("a counted message loses the one reference that came with it", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		m := &counted{refs: 2}
		b.Pipeline().FireRead(m)
		require.Equal(t, 1, m.refs)
	})
	t.Run("an unhandled error is logged once and closes", func(t *testing.T) {
		bad := errors.New("bad input")
		fails := handle(func(ctx *pipeline.Context, msg any) error {
			ctx.Release(msg)
			return bad
		})
		b := newBare(t, pipeline.Options{}, pipeline.Named("parser", fails))
		b.wire.fin = true
		b.feed("x")
		require.True(t, b.Closed())
		require.Same(t, bad, b.Cause())
		require.Equal(t, 1, strings.Count(b.logs.String(), "level=ERROR"), b.logs)
		require.Contains(t, b.logs.String(), "handler=parser event=read err=\"bad input\"")
		require.EqualValues(t, 1, b.Loop().Stats().Errors)
	})
	t.Run("later errors of the channel are logged at debug", func(t *testing.T) {
		fails := handle(func(*pipeline.Context, any) error { return errors.New("again and again") })
		b := newBare(t, pipeline.Options{}, fails)
		for range 3 {
			b.Pipeline().FireRead(&message{})
		}
		require.Equal(t, 1, strings.Count(b.logs.String(), "level=ERROR"), b.logs)
		require.Equal(t, 2, strings.Count(b.logs.String(), "level=DEBUG"), b.logs)
	})
	t.Run("that a closing channel is closed is no news", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		b.Pipeline().Close(pipeline.CloseDrain, nil)
		b.Pipeline().FireError(&net.OpError{Op: "write", Err: net.ErrClosed})
		require.NotContains(t, b.logs.String(), "level=ERROR")
		require.NoError(t, b.Cause())
	})
}

func TestMessagesThatAreNotBytesAreRefusedAtTheHead(t *testing.T) {
	b := newBare(t, pipeline.Options{})
	m := &counted{refs: 1}
	err := b.Pipeline().Write(m)
	require.ErrorIs(t, err, pipeline.ErrNoEncoder)
	require.ErrorContains(t, err, "*pipeline_test.counted reached the head")
	require.Zero(t, m.refs)
	require.True(t, b.IsOpen())
}
