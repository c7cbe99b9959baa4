package codec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Each target feeds a decoder whatever the fuzzer finds, whole and in two pieces, and requires the same frames;
// frames that come out are encoded again and must come back.

func FuzzLine(f *testing.F) {
	fuzzFrames(f, func() Decoder[*buffer.Buffer] { return &Line{MaxBytes: 20} }, LineEncoder{CRLF: true})
}

func FuzzDelimiter(f *testing.F) {
	ds := delims("--", "-x-", ";")
	fuzzFrames(f, func() Decoder[*buffer.Buffer] { return &Delimiter{Delimiters: ds, MaxBytes: 20} }, DelimiterEncoder{Delimiters: ds})
}

func FuzzFixedLength(f *testing.F) {
	fuzzFrames(f, func() Decoder[*buffer.Buffer] { return &FixedLength{Bytes: 3} }, plainBytes{})
}

func FuzzLengthField(f *testing.F) {
	fuzzFrames(f, func() Decoder[*buffer.Buffer] {
		return &LengthField{LengthBytes: 2, Adjustment: -1, Strip: 2, MaxBytes: 40}
	}, LengthPrefix{LengthBytes: 2, Adjustment: -1})
}

func FuzzLengthFieldWide(f *testing.F) {
	fuzzFrames(f, func() Decoder[*buffer.Buffer] {
		return &LengthField{LengthBytes: 8, LittleEndian: true, Strip: 8, MaxBytes: 40, ReportLate: true}
	}, LengthPrefix{LengthBytes: 8, LittleEndian: true})
}

func FuzzVarint(f *testing.F) {
	fuzzFrames(f, func() Decoder[*buffer.Buffer] { return &Varint{MaxBytes: 40} }, VarintPrefix{})
}

// plainBytes writes bytes as they are.
type plainBytes struct{}

func (plainBytes) Size(msg any) int { return payloadLen(msg) }

func (plainBytes) Encode(out *buffer.Writer, msg any) error {
	appendPayload(out, msg)
	return nil
}

func fuzzFrames(f *testing.F, newDecoder func() Decoder[*buffer.Buffer], e Encoder[any]) {
	f.Helper()
	f.Fuzz(func(t *testing.T, input []byte, cut uint16) {
		at := int(cut) % (len(input) + 1)
		want := frames(t, newDecoder(), string(input))
		require.Equal(t, want, frames(t, newDecoder(), string(input[:at]), string(input[at:])), "cut at %d", at)
		in := buffer.FromBytes(input)
		defer func() { in.Release() }()
		d := newDecoder()
		for in.Len() > 0 {
			before := in.Len()
			m, ok, err := d.Decode(in)
			if ok && err == nil {
				comesBack(t, newDecoder(), e, m)
				m.Release()
			}
			if in.Len() == before {
				break
			}
		}
	})
}

// comesBack requires that a frame which a decoder gave comes back when it is encoded, unless the encoder refuses it.
func comesBack(t *testing.T, d Decoder[*buffer.Buffer], e Encoder[any], m *buffer.Buffer) {
	t.Helper()
	var out buffer.Writer
	out.Reset(nil, e.Size(m))
	if err := e.Encode(&out, m); err != nil {
		out.Discard()
		require.ErrorIs(t, err, ErrUnframeable, "only a frame that another delimiter ended can't be sent with ours")
		return
	}
	v := out.View()
	back := buffer.FromBytes(v.Bytes())
	v.Release()
	out.Discard()
	defer back.Release()
	got, ok, err := d.Decode(back)
	require.NoError(t, err)
	require.True(t, ok)
	defer got.Release()
	require.Equal(t, m.Bytes(), got.Bytes())
	require.Zero(t, back.Len())
}
