package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestSizeIsALowerBoundUnderEveryVersion(t *testing.T) {
	for v := range VersionUnknown + 4 {
		for _, f := range fixtures() {
			for _, body := range []string{"", "abc", strings.Repeat("x", refThreshold)} {
				if f.Command.Body() {
					f.Body.AppendString(body)
				}
				e := &Encoder{State: &State{Version: v}}
				size := e.Size(f)
				var out buffer.Writer
				out.Reset(nil, size)
				require.NoError(t, e.Encode(&out, f))
				if f.Body.Len() >= refThreshold {
					size += f.Body.Len() - f.Body.ownSize(refThreshold)
				}
				require.LessOrEqual(t, size, out.Len())
				if v != Version11 && v != Version12 && f.Body.Len() == 0 {
					require.Equal(t, size, out.Len(), "nothing is escaped")
				}
				out.Discard()
			}
			f.Release()
		}
	}
}

func TestFrameTakesOneBufferOfExactlyItsSize(t *testing.T) {
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
