package codec

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestDeflateHandlerSendsACompleteStream(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			ch := pipelinetest.New(t, NewDeflate(&Deflater{Format: c}))
			r := &Inflater{Format: c}
			defer r.Reset()
			var wire strings.Builder
			for _, text := range []string{"first", "second", prose(50_000)} {
				ch.WriteOutbound(buffer.FromString(text))
				sent := ch.Wire()
				wire.WriteString(sent)
				got, errs := inflateAll(t, r, false, sent)
				require.Empty(t, errs)
				require.Equal(t, text, got, "complete at each flush")
			}
			_ = ch.Channel().Close()
			ch.RunPending()
			wire.WriteString(ch.Wire())
			require.Equal(t, "firstsecond"+prose(50_000), inflated(t, c, wire.String()), "ended properly")
		})
	}
}

func TestDeflateHandlerFlushesOncePerBatch(t *testing.T) {
	ch := whole(t, NewDeflate(&Deflater{Format: Zlib}), NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
		return ctx.Write(buffer.FromString(s))
	}))
	ch.Feed(encoded("a", "b", "c"))
	require.Equal(t, 1, strings.Count(ch.Wire(), "\x00\x00\xff\xff"), "one sync marker")
	ch.Pipeline().Flush()
	ch.RunPending()
	require.Empty(t, ch.Wire(), "nothing new, nothing sent")
}

func TestDeflateHandlerCompletesPromisesInOrderWhenTheirBytesAreSent(t *testing.T) {
	ch := pipelinetest.New(t, NewDeflate(&Deflater{Format: Gzip}))
	ch.Block()
	var order []string
	for _, s := range []string{"a", "b", "c"} {
		p := ch.Promise()
		p.OnDone(func(err error) {
			require.NoError(t, err)
			order = append(order, s)
		})
		ch.Pipeline().WriteWith(buffer.FromString(s), p)
	}
	ch.RunPending()
	require.Empty(t, order)
	ch.Unblock()
	require.Equal(t, []string{"a", "b", "c"}, order)
}

func TestDeflateHandlerCountsAgainstTheWatermarkBeforeTheFlush(t *testing.T) {
	ch := pipelinetest.New(t, NewDeflate(&Deflater{Format: Deflate}))
	ch.Block()
	n, text := 0, noise(1_000_000)
	for ; ch.Channel().Writable() && n < 100; n++ {
		require.NoError(t, ch.Pipeline().Write(buffer.FromString(text[n*10_000:(n+1)*10_000])))
	}
	require.Less(t, n, 12)
	ch.Unblock()
}

func TestDeflateHandlerWithoutDataWritesNothing(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			ch := pipelinetest.New(t, NewDeflate(&Deflater{Format: c}))
			_ = ch.Channel().Close()
			ch.RunPending()
			require.Empty(t, ch.Wire())
		})
	}
}

func TestDeflateHandlerEndsTheStreamForAHalfClose(t *testing.T) {
	cfg := pipelinetest.Config{}
	cfg.Options.AllowHalfClose = true
	ch := pipelinetest.NewConfig(t, cfg, NewDeflate(&Deflater{Format: Gzip}))
	o := write(ch, buffer.FromString("text"))
	p, closed := ch.Watch()
	ch.Pipeline().Close(pipeline.CloseWrite, p)
	refused := write(ch, buffer.FromString("too late"))
	ch.RunPending()
	require.Equal(t, "text", inflated(t, Gzip, ch.Wire()))
	require.Equal(t, []bool{true, true}, []bool{o.Done, closed.Done})
	require.ErrorIs(t, refused.Err, pipeline.ErrWriteClosed)
}

func TestDeflateHandlerDropsTheStreamWhenTheChannelIsCut(t *testing.T) {
	for name, cut := range map[string]func(ch *pipelinetest.Channel){
		"close now": func(ch *pipelinetest.Channel) { ch.Channel().CloseWith(pipeline.CloseNow, nil) },
		"reset":     func(ch *pipelinetest.Channel) { ch.PeerReset() },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := pipelinetest.Config{}
			cfg.Options.ManualFlush = true
			ch := pipelinetest.NewConfig(t, cfg, NewDeflate(&Deflater{Format: Zstd}))
			o := write(ch, buffer.FromString("text"))
			cut(ch)
			ch.RunPending()
			require.ErrorIs(t, o.Err, pipeline.ErrClosed)
			require.Empty(t, ch.Wire())
		})
	}
}

func TestDeflateHandlerEndsTheStreamOnRemoval(t *testing.T) {
	h := NewDeflate(&Deflater{Format: Zlib})
	ch := pipelinetest.New(t, h)
	o := write(ch, buffer.FromString("compressed"))
	ch.Pipeline().ContextOf(h).Remove()
	ch.WriteOutbound(buffer.FromString("plain"))
	wire := ch.Wire()
	require.True(t, strings.HasSuffix(wire, "plain"))
	require.Equal(t, "compressed", inflated(t, Zlib, strings.TrimSuffix(wire, "plain")))
	require.True(t, o.Done)
}

func TestDeflateHandlerGivesUpWhenItsBytesAreRefused(t *testing.T) {
	cfg := pipelinetest.Config{}
	cfg.Options.HardCap, cfg.Options.WriteHigh = 30_000, 20_000
	ch := pipelinetest.NewConfig(t, cfg, NewDeflate(&Deflater{Format: Deflate}))
	ch.Block()
	outcomes := make([]*pipelinetest.Outcome, 6)
	text := noise(54_000)
	for i := range outcomes {
		outcomes[i] = write(ch, buffer.FromString(text[i*9_000:(i+1)*9_000]))
	}
	ch.RunPending()
	ch.ExpectError(pipeline.ErrOutboundFull)
	for _, o := range outcomes {
		require.ErrorIs(t, o.Err, pipeline.ErrOutboundFull)
	}
	ch.Unblock()
	require.True(t, ch.Closed(), "the peer can't make sense of what would follow")
}

func TestDeflateHandlerPassesOthersAndRefusesFiles(t *testing.T) {
	ch := pipelinetest.New(t, NewDeflate(&Deflater{Format: Gzip}))
	require.NoError(t, ch.Pipeline().Write(&word{"other"}))
	require.Equal(t, "other", pipelinetest.Out[*word](ch).s)
	f := tempFile(t, []byte("content"))
	require.ErrorIs(t, ch.Pipeline().Write(pipeline.NewFileRegion(f, 0, 7, true)), ErrUnframeable)
	require.ErrorIs(t, f.Close(), os.ErrClosed)
}

func TestDeflateHandlerWithWrongSettingsIsNotAdded(t *testing.T) {
	ch := pipelinetest.New(t, NewDeflate(&Deflater{Format: Gzip, Level: 99}))
	ch.ExpectError(ErrConfig)
}

func TestCompressedEchoBothWays(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			ch := whole(t,
				NewDecoder(&Inflater{Format: c}), NewDeflate(&Deflater{Format: c}), NewDecoder(&Line{}), NewEncoder(LineEncoder{}),
				pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
			w := &Deflater{Format: c}
			r := &Inflater{Format: c}
			for _, text := range []string{"one\n", "two\nthree\n", prose(1000) + "\n"} {
				_, err := io.WriteString(w, text)
				require.NoError(t, err)
				require.NoError(t, w.Flush())
				ch.Feed(taken(t, w.Take()))
				got, errs := inflateAll(t, r, false, ch.Wire())
				require.Empty(t, errs)
				require.Equal(t, text, got)
			}
			require.NoError(t, w.Close())
			ch.Feed(taken(t, w.Take()))
			ch.PeerClose()
			_, errs := inflateAll(t, r, true, ch.Wire())
			require.Empty(t, errs, "our stream was ended, too")
			r.Reset()
		})
	}
}
