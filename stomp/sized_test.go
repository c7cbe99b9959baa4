package stomp

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestSizeAndEncodeAgreeUnderEveryVersion(t *testing.T) {
	for v := range VersionUnknown + 4 {
		for _, f := range fixtures() {
			for _, body := range []string{"", "abc", strings.Repeat("x", refThreshold)} {
				if f.Command.Body() {
					f.Body.AppendString(body)
				}
				e := &Encoder{State: &State{Version: v}}
				size := e.Size(f)
				require.Equal(t, size, e.Size(f), "asked twice")
				var out buffer.Writer
				out.Reset(nil, size)
				require.NoError(t, e.Encode(&out, f))
				referenced := 0
				if f.Body.Len() >= refThreshold {
					referenced = f.Body.Len() - f.Body.ownSize(refThreshold)
				}
				require.Equal(t, out.Len(), size+referenced)
				out.Discard()
			}
			f.Release()
		}
	}
}

func TestFrameThatChangesAfterSizeIsEncodedAsItIs(t *testing.T) {
	text := []byte("value")
	changes := map[string]func(f *Frame){
		"nothing":                 func(*Frame) {},
		"longer value":            func(f *Frame) { f.Headers[0].Value = strings.Repeat("long", 100) },
		"value that takes escape": func(f *Frame) { f.Headers[0].Value = "a:b\n" },
		"value that is refused":   func(f *Frame) { f.Headers[0].Value = "a\x00b" },
		"same memory, other text": func(*Frame) { text[2] = '\n' },
		"shorter value":           func(f *Frame) { f.Headers[0].Value = "" },
		"no headers":              func(f *Frame) { f.Headers = nil },
		"one header more":         func(f *Frame) { f.Headers.Add("x", "y") },
		"wrong length":            func(f *Frame) { f.Headers.Add(HeaderContentLength, "77") },
		"no name":                 func(f *Frame) { f.Headers[0].Name = "" },
		"longer body":             func(f *Frame) { f.Body.AppendString("0123456789") },
		"large body":              func(f *Frame) { f.Body.AppendString(strings.Repeat("x", 5000)) },
		"command without a body":  func(f *Frame) { f.Command = CommandAck },
		"no command":              func(f *Frame) { f.Command = "" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			copy(text, "value")
			f := &Frame{Command: CommandSend, Headers: Headers{{"name", unsafeString(text)}}}
			f.Body.AppendString("body")
			e := encoder12()
			var out buffer.Writer
			out.Reset(nil, e.Size(f))
			change(f)
			want, errWant := encodeTo(t, encoder12(), f)
			err := e.Encode(&out, f)
			require.Equal(t, errWant, err)
			if err != nil {
				require.Zero(t, out.Len())
				out.Discard()
			} else {
				m := out.Take()
				require.Equal(t, want, flat(m))
				buffer.Release(m)
			}
			f.Release()
		})
	}
}

// unsafeString is a string that changes with p.
func unsafeString(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

func TestSizeIsExactAndOneBufferHoldsAFrame(t *testing.T) {
	for _, frames := range [][]*Frame{fixtures(), escapedFixtures()} {
		for _, f := range frames {
			f = benchFrame(f, 700)
			e := encoder12()
			var asked []int
			var out buffer.Writer
			out.Reset(allocatorFunc(func(n int) *buffer.Buffer {
				asked = append(asked, n)
				return buffer.Get(n)
			}), e.Size(f))
			require.NoError(t, e.Encode(&out, f))
			require.Equal(t, []int{out.Len()}, asked, "one buffer, and exactly as much as is written")
			out.Discard()
			f.Release()
		}
	}
}

type allocatorFunc func(n int) *buffer.Buffer

func (f allocatorFunc) Get(n int) *buffer.Buffer { return f(n) }

func TestCopyBelowDecidesWhatTravelsByReference(t *testing.T) {
	tests := []struct {
		name      string
		copyBelow int
		body      int
		parts     int
	}{
		{"default, below", 0, refThreshold - 1, 1},
		{"default, from there on", 0, refThreshold, 3},
		{"more is copied", 1 << 20, 10_000, 1},
		{"less is copied", 300, 300, 3},
		{"pieces up to 256 octets are copied anyway", 1, 256, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &Frame{Command: CommandSend}
			f.Body.AppendString(strings.Repeat("x", tt.body))
			e := &Encoder{CopyBelow: tt.copyBelow}
			var out buffer.Writer
			out.Reset(nil, e.Size(f))
			require.NoError(t, e.Encode(&out, f))
			switch m := out.Take().(type) {
			case *buffer.Buffer:
				require.Equal(t, 1, tt.parts)
				m.Release()
			case *buffer.Composite:
				require.Equal(t, m.Parts(), tt.parts)
				m.Release()
			}
			f.Release()
		})
	}
}

func TestDecodedSmallBodyIsCopiedWhateverTheThreshold(t *testing.T) {
	wire := []byte("SEND\n\n" + strings.Repeat("x", 600) + "\x00")
	in := buffer.FromBytes(wire)
	defer in.Release()
	m, _, err := new(Decoder).Decode(in)
	require.NoError(t, err)
	defer buffer.Release(m)
	got, err := encodeTo(t, &Encoder{CopyBelow: 1, Length: LengthNeeded}, m)
	require.NoError(t, err)
	require.Equal(t, string(wire), got)
}
