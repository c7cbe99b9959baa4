//go:build !race && !bufdebug

package codec

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// A compressed message in, a compressed message out.
func TestCompressedEchoAllocatesNothingInTheSteadyState(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			var sent []byte
			drop := pipeline.OnWrite(func(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
				eachPiece(msg, func(piece []byte) bool {
					sent = append(sent, piece...)
					return true
				})
				ctx.Release(msg)
				if p != nil {
					p.Succeed()
				}
				return nil
			})
			back := pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
				ctx.WriteWith(b, ctx.NewPromise())
				return nil
			})
			ch := pipelinetest.New(t, drop, NewDecoder(&Inflater{Format: c}), NewDeflate(&Deflater{Format: c}), back)
			w := &Deflater{Format: c}
			defer w.Reset()
			i, messages := 0, make([][]byte, 500) // one and the same would shrink to less than a hundredth
			for i := range messages {
				messages[i] = []byte(chatter(i, 2000))
			}
			fire := func(p *pipeline.Pipeline) {
				_, _ = w.Write(messages[i%len(messages)])
				i++
				_ = w.Flush()
				p.FireRead(w.Take())
				p.FireReadComplete()
			}
			w.UseAllocator(ch.Loop().Pool())
			run := func() {
				sent = sent[:0]
				ch.Channel().Inject(fire)
			}
			for range 100 {
				run()
			}
			require.NotEmpty(t, sent)
			require.Zero(t, testing.AllocsPerRun(200, run))
		})
	}
}

// Starting over costs a coroutine, not the state of a library.
func TestStreamsReuseTheStateOfEarlierOnes(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which empties pools
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			text, d, w := []byte(prose(2000)), &Inflater{Format: c}, &Deflater{Format: c}
			run := func() {
				_, _ = w.Write(text)
				_ = w.Close()
				in, _ := w.Take().(*buffer.Buffer)
				for in.Len() > 0 || d.Backlog() {
					if f, ok, _ := d.Decode(in); ok {
						f.Release()
					}
				}
				in.Release()
				d.Reset()
				w.Reset()
			}
			require.LessOrEqual(t, testing.AllocsPerRun(100, run), 40.0)
			require.Less(t, bytesPerRun(100, run), uint64(4<<10))
		})
	}
}

// bytesPerRun is what one run of f allocates when the pools have what a run needs. A sync.Pool hides from one processor
// what was put back last on another: as in testing.AllocsPerRun there is only one, or whenever the scheduler moves the
// test the state of a library would be made anew.
func bytesPerRun(n int, f func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(n)
}

// Whoever keeps everything that comes out of a bomb keeps no more than the cap.
func TestBombsTakeNoMoreMemoryThanTheCap(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nothing is taken back: all that is allocated counts
	for name, limit := range map[string]Cap{
		"default":    {},
		"bytes only": {MaxRatio: 1 << 40},
		"one MiB":    {MaxBytes: 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range formats {
				t.Run(c.String(), func(t *testing.T) {
					bomb := bombOf(t, c, 20<<20)
					var kept []*buffer.Buffer
					keep := pipeline.OnRead(func(_ *pipeline.Context, b *buffer.Buffer) error {
						kept = append(kept, b)
						return nil
					})
					run := func() {
						ch := whole(t, NewDecoder(&Inflater{Format: c, Cap: limit}), keep)
						ch.Feed(bomb)
						ch.ExpectError(ErrInflatedTooMuch)
						for _, b := range kept {
							b.Release()
						}
						kept = kept[:0]
					}
					most := orDefault(limit.MaxBytes, DefaultMaxInflated)
					require.LessOrEqual(t, int(bytesPerRun(1, run)), most+64<<10)
				})
			}
		})
	}
}
