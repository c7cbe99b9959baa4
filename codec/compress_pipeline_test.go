package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// generous lets test texts of any kind pass.
var generous = Cap{MaxRatio: 1 << 20}

func TestInflateStopsWhileTheChannelIsUnwritable(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			const size = 1 << 20
			echo := pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) })
			ch := whole(t, NewDecoder(&Inflater{Format: c, Cap: generous}), echo)
			ch.Block()
			stream := bombOf(t, c, size)
			ch.Feed(stream)
			high := ch.Channel().Options().WriteHigh
			require.LessOrEqual(t, ch.Channel().Pending(), high+inflatePiece)
			ch.Feed(stream)
			require.GreaterOrEqual(t, ch.Unread(), len(stream), "no more is read while it waits")
			require.LessOrEqual(t, ch.Channel().Pending(), high+inflatePiece)
			for taken := 0; taken < size; taken += 100_000 {
				ch.AcceptBytes(100_000)
				require.LessOrEqual(t, ch.Channel().Pending(), high+inflatePiece)
			}
			ch.Unblock()
			if c == Zlib || c == Deflate {
				ch.ExpectError(ErrCorrupted) // a second stream
				require.Len(t, ch.Wire(), size)
				return
			}
			require.Len(t, ch.Wire(), 2*size)
		})
	}
}

func TestInflateGivesTheEndAfterWhatWasHeldBack(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			got, ended := 0, -1
			off := pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
				got += b.Len()
				ctx.SetAutoRead(false)
				ctx.Release(b)
				return nil
			})
			cfg := pipelinetest.Config{Whole: true}
			cfg.Options.AllowHalfClose = true
			ch := pipelinetest.NewConfig(t, cfg, NewDecoder(&Inflater{Format: c}), off, onReadClosed(func() { ended = got }))
			ch.Feed(deflated(t, c, noise(170_000)))
			require.Less(t, got, 170_000)
			ch.PeerClose()
			require.Negative(t, ended)
			for n := 0; ended < 0; n++ {
				require.Less(t, n, 50)
				ch.Pipeline().Read()
				ch.RunPending()
			}
			require.Equal(t, 170_000, ended)
		})
	}
}

// onReadClosed is a handler that hears of the peer's end.
type onReadClosed func()

// HandleReadClosed calls the function.
func (f onReadClosed) HandleReadClosed(ctx *pipeline.Context) error {
	f()
	ctx.FireReadClosed()
	return nil
}

func TestInflateThatIsRemovedPassesCompressedBytesOn(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			inflate := NewDecoder(&Inflater{Format: c})
			var got []string
			first := pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
				got = append(got, string(b.Bytes()))
				ctx.Release(b)
				if at := ctx.Pipeline().ContextOf(inflate); at != nil {
					at.Remove()
				}
				return nil
			})
			text := noise(300_000)
			stream := deflated(t, c, text)
			ch := whole(t, inflate, first)
			ch.Feed(stream)
			require.Greater(t, len(got), 1)
			require.True(t, strings.HasPrefix(text, got[0]))
			rest := strings.Join(got[1:], "")
			require.True(t, strings.HasSuffix(stream, rest))
			require.Greater(t, len(rest), 20_000)
			require.NoError(t, goleak.Find())
		})
	}
}

func TestInflateLeavesNothingBehindHoweverTheChannelEnds(t *testing.T) {
	for name, end := range map[string]func(ch *pipelinetest.Channel){
		"reset by the peer": func(ch *pipelinetest.Channel) { ch.PeerReset() },
		"closed at once":    func(ch *pipelinetest.Channel) { ch.Channel().CloseWith(pipeline.CloseNow, nil) },
		"closed by us":      func(ch *pipelinetest.Channel) { _ = ch.Channel().Close() },
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range formats {
				t.Run(c.String(), func(t *testing.T) {
					ch := whole(t, NewDecoder(&Inflater{Format: c}), NewDeflate(&Deflater{Format: c}),
						pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
					stream := deflated(t, c, noise(3000))
					ch.Feed(stream[:len(stream)-20])
					end(ch)
					ch.RunPending()
					require.True(t, ch.Closed())
					for err := ch.CheckErr(); err != nil; err = ch.CheckErr() {
						require.ErrorIs(t, err, pipeline.ErrReset)
					}
					require.NoError(t, goleak.Find())
				})
			}
		})
	}
}

func TestInflateOfDamagedInputClosesTheChannelOnce(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			ch := pipelinetest.New(t, NewDecoder(&Inflater{Format: c}))
			ch.Feed("\xff\xff\xff this is no stream")
			ch.ExpectError(ErrCorrupted)
			require.True(t, ch.Closed())
		})
	}
}

func TestInflateDropsTheRestWhenTheErrorIsTaken(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			var errs []error
			ch := pipelinetest.New(t, NewDecoder(&Inflater{Format: c}), pipelineErrors(func(err error) { errs = append(errs, err) }))
			ch.Feed("\xff\xff\xff this is no stream")
			ch.Feed(deflated(t, c, "nor is this any more"))
			ch.PeerClose()
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], ErrCorrupted)
		})
	}
}

func TestInflateInRopesAndSharedBuffers(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			stream := deflated(t, c, prose(20_000))
			third := len(stream) / 3
			b := buffer.FromString(stream[:third])
			b.Retain()
			ch := pipelinetest.New(t, NewDecoder(&Inflater{Format: c}))
			ch.WriteInbound(b, rope(stream[third:2*third], stream[2*third:]))
			var got strings.Builder
			for m := ch.ReadInbound(); m != nil; m = ch.ReadInbound() {
				got.WriteString(taken(t, m))
			}
			require.Equal(t, prose(20_000), got.String())
			require.Equal(t, stream[:third], taken(t, b))
		})
	}
}

func TestDeflatePromisesCanNotBeCancelled(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			cfg := pipelinetest.Config{}
			cfg.Options.ManualFlush = true
			ch := pipelinetest.NewConfig(t, cfg, NewDeflate(&Deflater{Format: c}))
			p, o := ch.Watch()
			ch.Pipeline().WriteWith(buffer.FromString("one "), p)
			require.False(t, p.Cancel(), "its bytes are in the stream")
			second := write(ch, buffer.FromString("two"))
			ch.Pipeline().Flush()
			ch.RunPending()
			require.Equal(t, []bool{true, true}, []bool{o.Done, second.Done})
			r := &Inflater{Format: c}
			defer r.Reset()
			got, errs := inflateAll(t, r, false, ch.Wire())
			require.Empty(t, errs)
			require.Equal(t, "one two", got)
		})
	}
}

func TestDeflateMakesOneMessageOfAFlush(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			var sent []string
			drop := pipeline.OnWrite(func(_ *pipeline.Context, msg any, _ *pipeline.Promise) error {
				sent = append(sent, taken(t, msg))
				return nil
			})
			ch := pipelinetest.New(t, drop, NewDeflate(&Deflater{Format: c}))
			ch.WriteOutbound(buffer.FromString("a"), buffer.FromString("b"), rope("c", "d"), buffer.Get(0))
			require.Len(t, sent, 1, "handlers in front may make a frame of each")
			r := &Inflater{Format: c}
			defer r.Reset()
			got, errs := inflateAll(t, r, false, sent...)
			require.Empty(t, errs)
			require.Equal(t, "abcd", got)
		})
	}
}

func TestDeflateMessagesWithoutBytesComplete(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			ch := pipelinetest.New(t, NewDeflate(&Deflater{Format: c}))
			o := write(ch, buffer.Get(0))
			ch.RunPending()
			require.True(t, o.Done)
			require.NoError(t, o.Err)
		})
	}
}
