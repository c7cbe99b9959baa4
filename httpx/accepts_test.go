package httpx

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestEncoderTakesWhatItAccepts(t *testing.T) {
	e := NewResponseEncoder(nil)
	for _, typ := range e.Takes() {
		require.True(t, e.Accepts(reflect.Zero(typ).Interface()), typ)
	}
	b := buffer.FromString("octets behind an upgrade")
	defer b.Release()
	for _, other := range []any{b, new(Request), "text", nil, new(State)} {
		require.False(t, e.Accepts(other), "%T", other)
	}
}

func TestDecodersEmitWhatTheySay(t *testing.T) {
	check := func(d decoder, emits []reflect.Type, input string) {
		in := buffer.FromString(input)
		defer in.Release()
		seen := map[reflect.Type]bool{}
		for in.Len() > 0 {
			m, ok, err := d.Decode(in)
			require.NoError(t, err)
			if ok {
				require.Contains(t, emits, reflect.TypeOf(m))
				seen[reflect.TypeOf(m)] = true
				buffer.Release(m)
			}
		}
		require.Len(t, seen, len(emits))
	}
	r, s := NewRequestDecoder(DecoderConfig{}, nil), NewResponseDecoder(DecoderConfig{}, nil)
	check(r, r.Emits(), postChunked+"1\r\na\r\n0\r\n\r\n")
	check(s, s.Emits(), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
}
