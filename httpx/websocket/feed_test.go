package websocket

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// show is a message as tests write it: its kind, and its octets quoted.
func show(msg any) string {
	switch m := msg.(type) {
	case whole:
		return fmt.Sprintf("%s %q", m.kind, m.payload)
	case *Message:
		return fmt.Sprintf("%s %q", m.Type, m.Bytes())
	case *Piece:
		var octets []byte
		if m.Data != nil {
			octets = m.Data.Bytes()
		}
		return fmt.Sprintf("piece %s %q %t %t", m.Type, octets, m.First, m.Last)
	case *Ping:
		return fmt.Sprintf("ping %q", m.Data)
	case *Pong:
		return fmt.Sprintf("pong %q", m.Data)
	case *Close:
		return fmt.Sprintf("close %d %q", m.Code, m.Reason)
	}
	return fmt.Sprintf("%T", msg)
}

// whole is a message without buffers, which needs no release.
type whole struct {
	kind    Type
	payload string
}

func textOf(payload string) whole   { return whole{TypeText, payload} }
func binaryOf(payload string) whole { return whole{TypeBinary, payload} }

// joinPieces makes whole messages of pieces, and leaves the rest as it is.
func joinPieces(got []any) []any {
	var joined []any
	var open []byte
	for _, msg := range got {
		p, ok := msg.(*Piece)
		if !ok {
			joined = append(joined, msg)
			continue
		}
		if p.First {
			open = nil
		}
		if p.Data != nil {
			open = append(open, p.Data.Bytes()...)
		}
		if p.Last {
			joined = append(joined, whole{p.Type, string(open)})
		}
	}
	return joined
}

// options are those of codectest for a decoder.
func options(stream, once bool) codectest.Options[any] {
	o := codectest.Options[any]{
		Equal:    func(want, got any) bool { return show(want) == show(got) },
		Show:     show,
		Once:     once,
		Modifies: true,
	}
	if stream {
		o.Join = joinPieces
	}
	return o
}

// verify feeds input in all ways, to a decoder of whole messages and to one that streams.
func verify(t *testing.T, config Decoder, input []byte, want ...any) {
	t.Helper()
	once := false
	for _, m := range want {
		_, isClose := m.(*Close)
		once = once || isClose
	}
	for _, stream := range []bool{false, true} {
		if len(input) > 8<<10 {
			verifyLarge(t, config.decoder(stream), input, want)
			continue
		}
		codectest.Verify(t, config.factory(stream), input, want, options(stream, once))
	}
}

// verifyLarge is verify for inputs of which every cut would take too long.
func verifyLarge(t *testing.T, d *Decoder, input []byte, want []any) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{len(input), 1, 3, 1000, 4096, 1 + r.IntN(100), 1 + r.IntN(len(input))} {
		got, err := run(t, d, input, n)
		require.NoError(t, err)
		require.Equal(t, shown(want), shown(joinPieces(got)))
		for _, m := range got {
			buffer.Release(m)
		}
		d.Reset()
	}
}

// run decodes input in pieces of n octets and returns what comes out, to be released, and the error.
func run(t testing.TB, d *Decoder, input []byte, n int) (got []any, err error) {
	t.Helper()
	in := buffer.Get(len(input))
	defer func() {
		in.Release()
		d.Reset()
	}()
	for at := 0; ; at += n {
		if at < len(input) {
			if !in.Unique() { // a message holds what was consumed
				fresh := buffer.Get(len(input))
				fresh.Append(in.Bytes())
				in.Release()
				in = fresh
			}
			in.Append(input[at:min(at+n, len(input))])
		}
		for {
			m, ok, err := d.Decode(in)
			if err != nil {
				return got, err
			}
			if !ok {
				break
			}
			got = append(got, m)
		}
		if at >= len(input) {
			_, _, err := d.DecodeEOF(in)
			return got, err
		}
	}
}

func (d *Decoder) decoder(stream bool) *Decoder { return d.factory(stream)().(*Decoder) }

func shown(msgs []any) (list []string) {
	for _, m := range msgs {
		list = append(list, show(m))
	}
	return list
}

// verifyError is verify for input that ends in an error with code.
func verifyError(t *testing.T, config Decoder, input []byte, code Code, want ...any) {
	t.Helper()
	for _, stream := range []bool{false, true} {
		codectest.VerifyError(t, config.factory(stream), input, want, codeError(code), options(stream, true))
	}
}

// factory makes decoders with the settings of d.
func (d *Decoder) factory(stream bool) func() codectest.Decoder[any] {
	return func() codectest.Decoder[any] {
		return &Decoder{
			Client: d.Client, Limits: d.Limits, Stream: stream, AllowNonMinimal: d.AllowNonMinimal, Deflate: d.Deflate,
		}
	}
}

// codeError is an error that matches every *Error with the code.
type codeError Code

func (c codeError) Error() string { return Code(c).String() }

// Is makes errors.Is find a code.
func (e *Error) Is(target error) bool {
	c, ok := target.(codeError)
	return ok && e.Code == Code(c)
}

// decodeAll decodes input that comes whole and shows what it gives.
func decodeAll(t testing.TB, d *Decoder, input []byte) (got []string, err error) {
	t.Helper()
	in := buffer.FromBytes(input)
	defer in.Release()
	for {
		m, ok, err := d.Decode(in)
		if err != nil || !ok {
			return got, err
		}
		got = append(got, show(m))
		buffer.Release(m)
	}
}

// wireOf is what e makes of msgs, which it releases.
func wireOf(t testing.TB, e *Encoder, msgs ...any) []byte {
	t.Helper()
	var wire []byte
	for _, msg := range msgs {
		octets, err := encode(e, msg)
		require.NoError(t, err)
		wire = append(wire, octets...)
		buffer.Release(msg)
	}
	return wire
}

// encode is what e makes of msg.
func encode(e *Encoder, msg any) ([]byte, error) {
	var out buffer.Writer
	out.Reset(nil, e.Size(msg))
	if err := e.Encode(&out, msg); err != nil {
		if n := out.Len(); n > 0 {
			err = fmt.Errorf("%d octets written in spite of: %w", n, err)
		}
		out.Discard()
		return nil, err
	}
	taken := out.Take()
	defer buffer.Release(taken)
	if c, ok := taken.(*buffer.Composite); ok {
		return bytes.Clone(c.Bytes()), nil
	}
	return bytes.Clone(taken.(*buffer.Buffer).Bytes()), nil
}

// frame is one masked frame: the first octet and the payload.
func frame(first byte, payload string) []byte {
	h := header{op: opcode(first & 0xf), masked: true, key: 0x3d21fa37, length: uint64(len(payload))}
	p := make([]byte, maxHeader+len(payload))
	n := h.put(p)
	p[0] = first
	h.key.apply(p[n:], []byte(payload))
	return p[:n+len(payload)]
}

// plainFrame is one frame without a mask.
func plainFrame(first byte, payload string) []byte {
	h := header{op: opcode(first & 0xf), length: uint64(len(payload))}
	p := make([]byte, maxHeader, maxHeader+len(payload))
	n := h.put(p)
	p[0] = first
	return append(p[:n], payload...)
}

func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	p, err := hex.DecodeString(text)
	require.NoError(t, err)
	return p
}
