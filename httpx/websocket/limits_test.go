package websocket

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZeroAndNegativeLimitsAreTheDefaults(t *testing.T) {
	want := Limits{Frame: 1 << 20, Message: 4 << 20, Fragments: 1024}
	require.Equal(t, want, Limits{}.filled())
	require.Equal(t, want, Limits{Frame: -1, Message: -1, Fragments: -1}.filled())
	own := Limits{Frame: 1, Message: 2, Fragments: 3}
	require.Equal(t, own, own.filled())
	v := reflect.ValueOf(Limits{}.filled())
	for i := range v.NumField() {
		require.Positive(t, v.Field(i).Int(), v.Type().Field(i).Name)
	}
}

func TestLimitsHoldExactly(t *testing.T) {
	l := Limits{Frame: 10, Message: 15, Fragments: 3}
	ten, five := strings.Repeat("x", 10), strings.Repeat("y", 5)
	for _, tt := range []struct {
		name   string
		frames [][]byte
		code   Code
		want   []any
	}{
		{"a frame of the limit", [][]byte{frame(0x82, ten)}, 0, []any{binaryOf(ten)}},
		{"a frame beyond", [][]byte{frame(0x82, ten+"x")}, CodeTooBig, nil},
		{"a message of the limit", [][]byte{frame(0x02, ten), frame(0x80, five)}, 0, []any{binaryOf(ten + five)}},
		{"a message beyond", [][]byte{frame(0x02, ten), frame(0x80, five+"y")}, CodeTooBig, nil},
		{"fragments up to the limit", [][]byte{frame(0x02, "a"), frame(0, "b"), frame(0x80, "c")}, 0, []any{binaryOf("abc")}},
		{"one fragment more", [][]byte{frame(0x02, "a"), frame(0, ""), frame(0, ""), frame(0x80, "c")}, CodePolicy, nil},
		{"control frames do not count", [][]byte{
			frame(0x02, ten), frame(0x89, ten+ten), frame(0x8a, ""), frame(0x89, ""), frame(0x80, five),
		}, 0, []any{&Ping{Data: []byte(ten + ten)}, &Pong{}, &Ping{}, binaryOf(ten + five)}},
		{"the next message begins at zero", [][]byte{frame(0x82, ten), frame(0x82, ten)}, 0, []any{binaryOf(ten), binaryOf(ten)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var input []byte
			for _, f := range tt.frames {
				input = append(input, f...)
			}
			if tt.code != 0 {
				verifyError(t, Decoder{Limits: l}, input, tt.code, tt.want...)
				return
			}
			verify(t, Decoder{Limits: l}, input, tt.want...)
		})
	}
}

func TestSizesAreRefusedBeforeAnyPayloadComes(t *testing.T) {
	d := new(Decoder)
	_, err := decodeAll(t, d, fromHex(t, "82ff0000000000100001"))
	require.ErrorIs(t, err, codeError(CodeTooBig), "without the masking key")
	d = new(Decoder)
	_, err = decodeAll(t, d, fromHex(t, "82ff7fffffffffffffff"))
	require.ErrorIs(t, err, codeError(CodeTooBig))
}
