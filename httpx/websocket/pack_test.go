package websocket

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inflated is what payload was before, by the standard library; dict is what came before it.
func inflated(t testing.TB, payload, dict string) string {
	t.Helper()
	r := flate.NewReaderDict(strings.NewReader(payload+endOfMessage), []byte(dict))
	p, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(p)
}

func TestPackedMessagesAreReadByOthers(t *testing.T) {
	leakCheck(t)
	for _, payload := range []string{"", "a", "Hello", strings.Repeat("Hello ", 100_000)} {
		for level := 1; level <= 9; level++ {
			p, err := newPacker(mostWindowBits, level)
			require.NoError(t, err)
			m := NewText(payload)
			packed, err := p.pack(m)
			require.NoError(t, err)
			require.Equal(t, payload, inflated(t, packed.Text(), ""))
			second, err := p.pack(m)
			require.NoError(t, err)
			require.Equal(t, payload, inflated(t, second.Text(), payload[max(0, len(payload)-1<<15):]))
			m.Release()
			packed.Release()
			second.Release()
			p.giveBack()
		}
	}
	p, err := newPacker(mostWindowBits, 1)
	require.NoError(t, err)
	m := NewText("")
	packed, err := p.pack(m)
	require.NoError(t, err)
	require.Equal(t, "\x00", packed.Text(), "RFC 7692, 7.2.3.6")
	packed.Release()
	m.Release()
}

func TestAMessageOfAnySizeLosesExactlyItsMarker(t *testing.T) {
	leakCheck(t)
	noise := make([]byte, 200_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	p, err := newPacker(mostWindowBits, 1)
	require.NoError(t, err)
	for n := 490; n < 540; n++ { // around the size of the first buffer
		p.w.Reset(&p.gather)
		m := NewBinary(noise[:n])
		packed, err := p.pack(m)
		require.NoError(t, err)
		require.Equal(t, noise[:n], []byte(inflated(t, packed.Text(), "")))
		m.Release()
		packed.Release()
	}
}

func TestSmallWindowsAreKept(t *testing.T) {
	// The same text twice, farther apart than the window: it must be sent again.
	for bits := leastWindowBits; bits < mostWindowBits; bits++ {
		r := rand.New(rand.NewPCG(1, uint64(bits)))
		noise := make([]byte, 1<<bits)
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		far := append(append(bytes.Clone(noise), noise[:100]...), noise...)
		p, err := newPacker(bits, 1)
		require.NoError(t, err)
		m := NewBinary(far)
		packed, err := p.pack(m)
		require.NoError(t, err)
		require.Greater(t, packed.Len(), 2*len(noise), "%d bits", bits)
		require.Equal(t, far, []byte(inflated(t, packed.Text(), "")))
		require.LessOrEqual(t, farthest(t, packed.Text()), 1<<bits)
		m.Release()
		packed.Release()

		near := bytes.Repeat(noise[:1<<(bits-1)], 6)
		m = NewBinary(near)
		p.w.Reset(&p.gather)
		packed, err = p.pack(m)
		require.NoError(t, err)
		require.Less(t, packed.Len(), len(near)/2)
		require.Equal(t, near, []byte(inflated(t, packed.Text(), "")))
		d := farthest(t, packed.Text())
		require.LessOrEqual(t, d, 1<<bits)
		require.Positive(t, d)
		m.Release()
		packed.Release()
	}
}
