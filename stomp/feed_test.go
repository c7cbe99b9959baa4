package stomp

import (
	"errors"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// got is what came out of a decoder, copied, so that it can be compared after everything was released.
type got struct {
	Frames []plainFrame
	Err    Reason
	EOLs   uint64
}

type plainFrame struct {
	Command Command
	Headers Headers
	Body    string
}

func plain(f *Frame) plainFrame {
	headers := f.Headers.Own()
	if headers == nil {
		headers = Headers{}
	}
	return plainFrame{f.Command, headers, f.Body.String()}
}

// decodeAll feeds input in chunks as a driver does: new octets are appended to what a call left. It checks that
// no octet of the input changes and that every buffer comes back.
func decodeAll(t testing.TB, d *Decoder, chunks [][]byte) got {
	t.Helper()
	live := buffer.SharedStats().Live
	var g got
	var agg Aggregator
	in := buffer.Get(0)
	for _, chunk := range chunks {
		if !in.Unique() || in.Len() == 0 {
			fresh := buffer.FromBytes(in.Bytes())
			in.Release()
			in = fresh
		}
		in.Append(chunk)
		window := in.Bytes()
		window = window[:min(len(window), 256)] // enough, and linear for tests of large frames
		before := string(window)
		err := drain(t, d, in, &agg, &g)
		if before != string(window) {
			require.Equal(t, before, string(window), "input was changed")
		}
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Zero(t, in.Len())
			g.Err = e.Reason
			break
		}
	}
	in.Release()
	g.EOLs = d.EOLs()
	if g.Err != "" {
		requireDead(t, d)
	}
	d.Reset()
	agg.Reset()
	require.Equal(t, live, buffer.SharedStats().Live, "buffers leaked")
	return g
}

// drain decodes all that is in in. Subframes go through the aggregator.
func drain(t testing.TB, d *Decoder, in *buffer.Buffer, agg *Aggregator, g *got) error {
	t.Helper()
	for {
		m, ok, err := d.Decode(in)
		if ok != (m != nil) {
			require.Fail(t, "ok and message disagree")
		}
		if err != nil {
			require.False(t, ok)
			return err
		}
		if !ok {
			return nil
		}
		if _, beat := m.(*EOL); beat {
			continue
		}
		f, whole, err := agg.Add(m)
		require.NoError(t, err)
		if whole {
			g.Frames = append(g.Frames, plain(f))
			f.Release()
		}
	}
}

// requireDead checks that a failed decoder drops a perfect frame.
func requireDead(t testing.TB, d *Decoder) {
	t.Helper()
	in := buffer.FromString("RECEIPT\nreceipt-id:1\n\n\x00")
	defer in.Release()
	m, ok, err := d.Decode(in)
	require.Nil(t, m)
	require.False(t, ok)
	require.NoError(t, err)
	require.Zero(t, in.Len())
}

func bytewise(p []byte) [][]byte {
	chunks := make([][]byte, len(p))
	for i := range p {
		chunks[i] = p[i : i+1]
	}
	return chunks
}

func randomly(rng *rand.Rand, p []byte) [][]byte {
	var chunks [][]byte
	for len(p) > 0 {
		n := 1 + rng.Intn(min(len(p), 1+rng.Intn(40)))
		chunks = append(chunks, p[:n])
		p = p[n:]
	}
	return chunks
}

// forEachSplit runs f with input whole, byte by byte, cut in two everywhere, and at random places.
func forEachSplit(input []byte, f func(how string, chunks [][]byte)) {
	f("whole", [][]byte{input})
	f("byte by byte", bytewise(input))
	for i := 1; i < len(input) && len(input) < 2048; i++ {
		f("two pieces", [][]byte{input[:i], input[i:]})
	}
	rng := rand.New(rand.NewSource(1))
	for range 100 {
		f("random splits", randomly(rng, input))
	}
}

// encodeTo encodes m as a driver does and returns the octets.
func encodeTo(t testing.TB, e *Encoder, m any) (string, error) {
	t.Helper()
	live := buffer.SharedStats().Live
	var out buffer.Writer
	out.Reset(nil, e.Size(m))
	err := e.Encode(&out, m)
	if err != nil {
		require.Zero(t, out.Len(), "a refused message left octets behind")
		require.Equal(t, live, buffer.SharedStats().Live)
		return "", err
	}
	msg := out.Take()
	text := flat(msg)
	buffer.Release(msg)
	require.Equal(t, live, buffer.SharedStats().Live, "buffers leaked")
	return text, nil
}

func flat(msg any) string {
	switch m := msg.(type) {
	case *buffer.Buffer:
		return string(m.Bytes())
	case *buffer.Composite:
		return string(m.Bytes())
	}
	return ""
}

func reasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}
