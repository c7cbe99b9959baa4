package codec

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestCapCounts(t *testing.T) {
	const k, m = 1 << 10, 1 << 20
	type step struct{ in, out, times int }
	for name, c := range map[string]struct {
		limit    Cap
		messages bool
		steps    []step
		refused  int // at which of all the steps together, -1: none
	}{
		"64 KiB always may come out":             {steps: []step{{0, 64 * k, 1}}, refused: -1},
		"and what the ratio allows":              {steps: []step{{10, 64*k + 1000, 1}}, refused: -1},
		"but not more":                           {steps: []step{{10, 64*k + 1100, 1}}, refused: 0},
		"a stream at the ratio is endless":       {steps: []step{{k, 100 * k, 1 << 20}}, refused: -1},
		"a stream above the ratio is not":        {steps: []step{{k, 101 * k, 1 << 20}}, refused: 64},
		"small steps with large gains are added": {steps: []step{{10, 2 * k, 1000}}, refused: 62},
		"a message has its bytes as a whole":     {messages: true, steps: []step{{k, 10 * k, 2000}}, refused: 1638},
		"a stream with the same bytes passes":    {steps: []step{{k, 10 * k, 2000}}, refused: -1},
		"a stretch has its bytes":                {limit: Cap{MaxRatio: 1 << 40}, steps: []step{{k, m, 100}}, refused: 16},
		"what came before pays for no bomb":      {steps: []step{{k, k, 1 << 20}, {k, m, 100}}, refused: 1<<20 + 6},
		"nor does it count against what follows": {steps: []step{{k, 99 * k, 1000}, {k, 64 * k, 1000}}, refused: -1},
		"a block that was read long before":      {limit: Cap{MaxRatio: 2}, steps: []step{{128 * k, 128 * k, 100}}, refused: -1},
	} {
		t.Run(name, func(t *testing.T) {
			var count tally
			n, refused := 0, -1
			for _, s := range c.steps {
				for i := 0; i < s.times && refused < 0; i++ {
					count.took(s.in, c.messages)
					if err := count.made(s.out, 0, c.limit, Gzip); err != nil {
						require.ErrorIs(t, err, ErrInflatedTooMuch)
						refused = n
					}
					n++
				}
			}
			require.Equal(t, c.refused, refused)
		})
	}
}

func TestCapDoesNotCountWhatWasOnlyReadAhead(t *testing.T) {
	var count tally
	count.took(4096, false)
	require.NoError(t, count.made(64<<10+100, 4095, Cap{}, Zlib))
	require.EqualError(t, count.made(100, 4095, Cap{}, Zlib),
		"codec: zlib: 1 bytes inflate to 65736 or more, limit 16777216 bytes, 1:100")
}

func TestCapLetsALongConnectionLive(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			w, r := &Deflater{Format: c}, &Inflater{Format: c, Cap: Cap{MaxBytes: 600_000, MaxRatio: 20}}
			defer w.Reset()
			defer r.Reset()
			total := 0
			for i := range 60 {
				_, err := w.Write([]byte(chatter(i, 20_000)))
				require.NoError(t, err)
				require.NoError(t, w.Flush())
				got, errs := inflateAll(t, r, false, taken(t, w.Take()))
				require.Empty(t, errs, "after %d bytes", total)
				total += len(got)
			}
			require.Equal(t, 1_200_000, total)
		})
	}
}

// chatter is n bytes of letters that compress a little, and other ones for each seed.
func chatter(seed, n int) string {
	r := rand.New(rand.NewPCG(7, uint64(seed)))
	b := make([]byte, n)
	for i, bits := 0, uint64(0); i < n; i++ {
		if i%16 == 0 {
			bits = r.Uint64()
		}
		b[i] = "etaoin shrdlu..."[bits&15]
		bits >>= 4
	}
	return string(b)
}

func TestCapCutsABombInALongConnection(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			limit := Cap{MaxBytes: 1 << 20}
			w, r := &Deflater{Format: c}, &Inflater{Format: c, Cap: limit}
			defer w.Reset()
			defer r.Reset()
			for range 10 {
				_, err := w.Write([]byte(noise(50_000)))
				require.NoError(t, err)
			}
			require.NoError(t, w.Flush())
			_, errs := inflateAll(t, r, false, taken(t, w.Take()))
			require.Empty(t, errs)
			for range 4 {
				_, err := w.Write(make([]byte, 1<<20))
				require.NoError(t, err)
			}
			require.NoError(t, w.Flush())
			got, errs := inflateAll(t, r, false, strings.SplitAfter(taken(t, w.Take()), "\x00")...)
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], ErrInflatedTooMuch)
			require.LessOrEqual(t, len(got), limit.MaxBytes)
		})
	}
}

func TestCapSaysTheSameHoweverBytesArrive(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			stream := deflated(t, c, noise(1000)+strings.Repeat("a", 300_000))
			var want string
			someCuts(stream, func(how string, pieces ...string) {
				d := &Inflater{Format: c}
				_, errs := inflateAll(t, d, true, pieces...)
				d.Reset()
				require.Len(t, errs, 1, how)
				require.ErrorIs(t, errs[0], ErrInflatedTooMuch, how)
				if want == "" {
					want = errs[0].Error()
				}
				require.Equal(t, want, errs[0].Error(), how)
			})
		})
	}
}

// someCuts is everyCut for inputs that are long.
func someCuts(input string, f func(how string, pieces ...string)) {
	f("whole", input)
	f("byte by byte", strings.Split(input, "")...)
	for i := 1; i < len(input); i += 1 + len(input)/20 {
		f("cut in two", input[:i], input[i:])
	}
}

func TestMessagesAreLimitedOneByOne(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			w := &Deflater{Format: c}
			r := &Inflater{Format: c, Messages: true, Cap: Cap{MaxBytes: 200_000}}
			defer w.Reset()
			defer r.Reset()
			i := 0
			message := func(n int) (int, []error) {
				r.Renew()
				i++
				_, err := w.Write([]byte(chatter(i, n)))
				require.NoError(t, err)
				require.NoError(t, w.Flush())
				got, errs := inflateAll(t, r, false, taken(t, w.Take()))
				return len(got), errs
			}
			for range 3 {
				n, errs := message(200_000)
				require.Empty(t, errs)
				require.Equal(t, 200_000, n)
			}
			n, errs := message(900_000)
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], ErrInflatedTooMuch)
			require.LessOrEqual(t, n, 200_000)
		})
	}
}

func TestABombIsRefusedBeforeItIsPassedOn(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			in := buffer.FromString(bombOf(t, c, 4<<20))
			defer in.Release()
			d := &Inflater{Format: c, Cap: Cap{MaxBytes: 1000}}
			defer d.Reset()
			f, ok, err := d.Decode(in)
			require.Nil(t, f)
			require.False(t, ok)
			require.ErrorIs(t, err, ErrInflatedTooMuch)
			require.Zero(t, in.Len(), "what nobody can use is dropped")
			require.False(t, d.Backlog())
		})
	}
}
