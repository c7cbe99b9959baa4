package codec

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// big is a source of 200 KiB.
func big() *source {
	s := &source{}
	for range 20 {
		s.pieces = append(s.pieces, strings.Repeat("x", 10<<10))
	}
	return s
}

func TestO8DrainedCloseWaitsForTheTransfer(t *testing.T) {
	for _, how := range []pipeline.CloseMode{pipeline.CloseDrain, pipeline.CloseWrite} {
		t.Run(how.String(), func(t *testing.T) {
			cfg := pipelinetest.Config{}
			cfg.Options.AllowHalfClose = true
			ch := pipelinetest.NewConfig(t, cfg, &ChunkedWriter{})
			s := big()
			ch.Block()
			o := write(ch, s.chunks())
			behind := write(ch, buffer.FromString("end"))
			p, closed := ch.Watch()
			ch.Pipeline().Close(how, p)
			refused := write(ch, buffer.FromString("too late"))
			require.ErrorIs(t, refused.Err, net.ErrClosed)
			ch.RunPending()
			require.False(t, closed.Done)
			ch.Unblock()
			require.Equal(t, strings.Repeat("x", 200<<10)+"end", ch.Wire())
			require.Equal(t, []bool{true, true, true}, []bool{o.Done, behind.Done, closed.Done})
			require.True(t, ch.FINSent())
			require.Equal(t, 1, s.closed)
		})
	}
}

func TestO8NothingIsReadBehindADrainedClose(t *testing.T) {
	var got []string
	ch := whole(t, NewDecoder(&words{}), &ChunkedWriter{}, onWord(func(ctx *pipeline.Context, s string) error {
		got = append(got, s)
		if err := ctx.Write(big().chunks()); err != nil {
			return err
		}
		ctx.Close()
		return nil
	}))
	ch.Block()
	ch.Feed(encoded("one", "two"))
	ch.Feed(encoded("three"))
	require.Equal(t, []string{"one"}, got)
	ch.Unblock()
	require.Equal(t, []string{"one"}, got)
	require.Equal(t, 200<<10, ch.DiscardWire())
}

func TestO8CloseWaitsForASuspendedTransferForAWhile(t *testing.T) {
	newOne := func(t *testing.T) (*pipelinetest.Channel, *ChunkedWriter, *source, *pipelinetest.Outcome) {
		t.Helper()
		w := &ChunkedWriter{}
		ch := pipelinetest.New(t, w)
		s := &source{pieces: []string{"one"}, dry: true}
		o := write(ch, s.chunks())
		ch.Pipeline().Close(pipeline.CloseDrain, nil)
		ch.RunPending()
		require.True(t, ch.Channel().IsOpen())
		return ch, w, s, o
	}
	t.Run("in time", func(t *testing.T) {
		ch, w, s, o := newOne(t)
		ch.AdvanceTime(DefaultCloseWait - time.Second)
		s.pieces = []string{"two"}
		w.ResumeTransfer()
		ch.AdvanceTime(DefaultCloseWait - time.Second) // it has had something to send since
		require.True(t, ch.Channel().IsOpen())
		s.dry = false
		w.ResumeTransfer()
		ch.RunPending()
		require.True(t, ch.Channel().Closed())
		require.NoError(t, o.Err)
		require.Equal(t, "onetwo", ch.Wire())
	})
	t.Run("too late", func(t *testing.T) {
		ch, w, s, o := newOne(t)
		w.ResumeTransfer()
		ch.AdvanceTime(DefaultCloseWait)
		require.True(t, ch.Channel().Closed())
		require.ErrorIs(t, o.Err, ErrTransferStalled)
		require.Equal(t, 1, s.closed)
		w.ResumeTransfer() // nobody is there
	})
	t.Run("close now", func(t *testing.T) {
		ch, _, s, o := newOne(t)
		ch.Channel().CloseWith(pipeline.CloseNow, nil)
		ch.RunPending()
		require.ErrorIs(t, o.Err, pipeline.ErrClosed)
		require.Equal(t, 1, s.closed)
	})
}

func TestO8RemovalFailsTheQueueAndKeepsTheFileOpenForPiecesOnTheirWay(t *testing.T) {
	w := &ChunkedWriter{}
	ch := pipelinetest.New(t, w)
	f := tempFile(t, []byte(strings.Repeat("x", 300<<10)))
	ch.Block()
	o := write(ch, NewFileChunks(f, 0, 300<<10, 0))
	behind := write(ch, buffer.FromString("behind"))
	ch.RunPending()
	onTheirWay := ch.Channel().Pending()
	require.Positive(t, onTheirWay)
	ch.Pipeline().ContextOf(w).Remove()
	require.ErrorIs(t, behind.Err, ErrWriterRemoved)
	ch.Unblock()
	require.Equal(t, onTheirWay, ch.DiscardWire(), "sent from the file, which is still open")
	require.ErrorIs(t, o.Err, ErrWriterRemoved)
	require.Error(t, f.Close(), "and closed by now")
}

func TestO8RemovalLetsAWaitingCloseGo(t *testing.T) {
	w := &ChunkedWriter{}
	ch := pipelinetest.New(t, w)
	write(ch, (&source{dry: true}).chunks())
	p, closed := ch.Watch()
	ch.Pipeline().Close(pipeline.CloseDrain, p)
	ch.RunPending()
	ch.Pipeline().ContextOf(w).Remove()
	ch.RunPending()
	require.True(t, closed.Done)
}

func TestO8WhatWaitsBehindATransferIsBounded(t *testing.T) {
	cfg := pipelinetest.Config{}
	cfg.Options.HardCap = 100 << 10
	w := &ChunkedWriter{}
	ch := pipelinetest.NewConfig(t, cfg, w)
	s := &source{dry: true}
	write(ch, s.chunks())
	ch.RunPending()
	require.NoError(t, ch.Pipeline().Write(buffer.Wrap(make([]byte, 60<<10))))
	require.ErrorIs(t, ch.Pipeline().Write(buffer.Wrap(make([]byte, 60<<10))), pipeline.ErrOutboundFull)
	s.dry = false
	w.ResumeTransfer()
	ch.RunPending()
	require.Equal(t, 60<<10, ch.DiscardWire())
	require.Zero(t, w.waiting)
}

func TestO8SmallPiecesLetOtherChannelsHaveTheirTurn(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	s := &source{}
	for range 3 * maxPieces {
		s.pieces = append(s.pieces, "x")
	}
	write(ch, s.chunks())
	ch.RunPending()
	require.Equal(t, strings.Repeat("x", 3*maxPieces), ch.Wire())
	require.Equal(t, int64(3), ch.Loop().Stats().Tasks, "a new round after so many")
}
