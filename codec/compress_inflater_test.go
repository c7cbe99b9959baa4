package codec

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestInflaterIsNotFooledByCuts(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			stream := deflated(t, c, prose(700))
			everyCut(stream, func(how string, pieces ...string) {
				d := &Inflater{Format: c}
				got, errs := inflateAll(t, d, true, pieces...)
				require.Empty(t, errs, how)
				require.Equal(t, prose(700), got, how)
				d.Reset()
			})
		})
	}
}

func TestInflaterStopsBombsAtTheCap(t *testing.T) {
	const bomb = 4 << 20
	streams := map[Compression]string{}
	for _, c := range formats {
		streams[c] = bombOf(t, c, bomb)
	}
	for name, limit := range map[string]Cap{
		"default":         {},
		"bytes only":      {MaxBytes: 2 << 20, MaxRatio: 1 << 40},
		"ratio only":      {MaxBytes: 1 << 40},
		"few bytes":       {MaxBytes: 100},
		"a ratio of five": {MaxBytes: 1 << 40, MaxRatio: 5},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range formats {
				t.Run(c.String(), func(t *testing.T) {
					d := &Inflater{Format: c, Cap: limit}
					out := 0
					var errs []error
					in := buffer.FromString(streams[c])
					defer in.Release()
					for in.Len() > 0 || d.Backlog() {
						f, ok, err := d.Decode(in)
						if err != nil {
							errs = append(errs, err)
						}
						if ok {
							out += f.Len()
							f.Release()
						}
					}
					most := min(orDefault(limit.MaxBytes, 16<<20), max(orDefault(limit.MaxRatio, 100)*len(streams[c]), 64<<10))
					require.LessOrEqual(t, out, most+64<<10)
					require.Len(t, errs, 1)
					require.ErrorIs(t, errs[0], ErrInflatedTooMuch)
					got, more := inflateAll(t, d, true, "and so on")
					require.Empty(t, got)
					require.Empty(t, more, "said once")
					d.Reset()
				})
			}
		})
	}
}

// bombOf is a small stream that inflates to n zeros.
func bombOf(t testing.TB, c Compression, n int) string {
	t.Helper()
	d := &Deflater{Format: c, Level: 2}
	zeros := make([]byte, 1<<20)
	for range n >> 20 {
		_, err := d.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, d.Close())
	return taken(t, d.Take())
}

func TestRenewCountsAnewForTheCap(t *testing.T) {
	w, r := &Deflater{Format: Zlib}, &Inflater{Format: Zlib, Messages: true, Cap: Cap{MaxBytes: 1000, MaxRatio: 1000}}
	for range 10 {
		r.Renew()
		_, err := w.Write([]byte(strings.Repeat("x", 900)))
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		got, errs := inflateAll(t, r, false, taken(t, w.Take()))
		require.Empty(t, errs)
		require.Len(t, got, 900)
	}
	w.Reset()
	r.Reset()
}

func TestInflaterReportsDamageOnceAndDropsTheRest(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			stream := deflated(t, c, prose(5000))
			for at := 0; at < len(stream); at += 1 + len(stream)/40 {
				damaged := stream[:at] + string(stream[at]^0x55) + stream[at+1:]
				d := &Inflater{Format: c}
				_, errs := inflateAll(t, d, true, damaged, "more", "and more")
				require.NotEmpty(t, errs, "byte %d", at)
				require.Len(t, errs, 1, "byte %d", at)
				d.Reset()
			}
		})
	}
}

func TestInflaterRefusesGarbage(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			d := &Inflater{Format: c}
			got, errs := inflateAll(t, d, false, "\xff\xff\xff this is not compressed data at all")
			require.Empty(t, got)
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], ErrCorrupted)
			d.Reset()
		})
	}
}

func TestInflaterReportsATruncatedStream(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			stream := deflated(t, c, prose(3000))
			for n := 1; n < len(stream); n += 101 {
				d := &Inflater{Format: c}
				got, errs := inflateAll(t, d, true, stream[:n])
				require.Len(t, errs, 1, "%d of %d bytes", n, len(stream))
				require.ErrorIs(t, errs[0], io.ErrUnexpectedEOF)
				require.True(t, strings.HasPrefix(prose(3000), got))
				d.Reset()
			}
			d := &Inflater{Format: c}
			_, errs := inflateAll(t, d, true)
			require.Empty(t, errs, "no stream at all is none that is truncated")
		})
	}
}

func TestBytesBehindTheEndOfAStream(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			stream := deflated(t, c, "first ")
			t.Run("another stream", func(t *testing.T) {
				d := &Inflater{Format: c}
				got, errs := inflateAll(t, d, true, stream+deflated(t, c, "second"), "x")
				if c == Gzip || c == Zstd {
					require.Equal(t, "first second", got, "they are one")
				} else {
					require.Equal(t, "first ", got)
				}
				require.Len(t, errs, 1, "the x")
				require.ErrorIs(t, errs[0], map[bool]error{false: ErrCorrupted, true: io.ErrUnexpectedEOF}[c == Gzip || c == Zstd])
				d.Reset()
			})
			t.Run("junk", func(t *testing.T) {
				d := &Inflater{Format: c}
				got, errs := inflateAll(t, d, true, stream+"junk that is no header", "more")
				require.Equal(t, "first ", got)
				require.Len(t, errs, 1)
				require.ErrorIs(t, errs[0], ErrCorrupted)
				d.Reset()
			})
		})
	}
}

func TestZstdWindowIsLimited(t *testing.T) {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(16<<20))
	require.NoError(t, err)
	_, _ = w.Write([]byte("x"))
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
	d := &Inflater{Format: Zstd}
	_, errs := inflateAll(t, d, true, out.String())
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], ErrInflatedTooMuch)
	require.ErrorContains(t, errs[0], "window above 8388608 bytes")
	d.Reset()
	d = &Inflater{Format: Zstd, Cap: Cap{MaxWindow: 16 << 20}}
	got, errs := inflateAll(t, d, true, out.String())
	require.Empty(t, errs)
	require.Equal(t, "x", got)
	d.Reset()
}

func TestZstdSkippableFramesAreSkipped(t *testing.T) {
	skippable := "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
	d := &Inflater{Format: Zstd}
	got, errs := inflateAll(t, d, true, strings.Split(skippable+deflated(t, Zstd, "text")+skippable, "")...)
	require.Empty(t, errs)
	require.Equal(t, "text", got)
	d.Reset()
}

func TestResetEndsTheCoroutine(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			d := &Inflater{Format: c}
			stream := deflated(t, c, prose(5000))
			for range 3 {
				got, errs := inflateAll(t, d, false, stream[:len(stream)/2])
				require.Empty(t, errs)
				require.True(t, strings.HasPrefix(prose(5000), got))
				d.Reset()
				d.Reset()
			}
			got, errs := inflateAll(t, d, true, stream)
			require.Empty(t, errs)
			require.Equal(t, prose(5000), got)
			d.Reset()
		})
	}
	require.NoError(t, goleak.Find(), "coroutines are listed with the goroutines")
}

func TestInflateInAPipeline(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			var got []string
			ch := pipelinetest.New(t, NewDecoder(&Inflater{Format: c}), NewDecoder(&Line{}), NewMessageDecoder(TextDecoder{}),
				pipeline.OnRead(func(_ *pipeline.Context, m *Text) error {
					got = append(got, m.S)
					return nil
				}))
			ch.Feed(deflated(t, c, "one\ntwo\nthree\n"))
			require.Equal(t, []string{"one", "two", "three"}, got)
			ch.PeerClose()
		})
	}
}

func TestInflateStopsWhenReadingStops(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			text := strings.Repeat(prose(1000), 300)
			out, pieces := 0, 0
			ch := whole(t, NewDecoder(&Inflater{Format: c, Cap: Cap{MaxRatio: 1000}}), pipeline.OnLend(func(ctx *pipeline.Context, b *buffer.Buffer) error {
				pieces++
				out += b.Len()
				ctx.SetAutoRead(false)
				return nil
			}))
			ch.Feed(deflated(t, c, text))
			require.Equal(t, 1, pieces, "what is compressed stays compressed while nobody wants it")
			for n := 1; out < len(text); n++ {
				require.Less(t, n, 100)
				ch.Pipeline().Read()
				ch.RunPending()
			}
			require.Equal(t, len(text), out)
			ch.PeerClose()
		})
	}
}

func TestInflateReportsTheEndInTheMiddleOfAStream(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			ch := whole(t, NewDecoder(&Inflater{Format: c}))
			stream := deflated(t, c, "text")
			ch.Feed(stream[:len(stream)-1])
			ch.PeerClose()
			ch.ExpectError(io.ErrUnexpectedEOF)
			for m := ch.ReadInbound(); m != nil; m = ch.ReadInbound() {
				buffer.Release(m)
			}
		})
	}
}
