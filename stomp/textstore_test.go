package stomp

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// textFrames are heads that lie in memory of each kind.
var textFrames = map[string]string{
	"nothing":     "SEND\n\n\x00",
	"short":       "SEND\ndestination:/queue/a\nuser:one\n\nbody\x00",
	"escaped":     "SEND\ndestination:esc\\caped\nu\\ns\\\\er:\\n\\n\n\nbody\x00",
	"grown":       "SEND\ndestination:" + strings.Repeat("d", 700) + "\nuser:one\n\nbody\x00",
	"in a buffer": "SEND\ndestination:" + strings.Repeat("d", 3000) + "\nuser:one\n\nbody\x00",
	"large body":  "SEND\ndestination:/queue/a\nuser:one\n\n" + strings.Repeat("b", 5000) + "\x00",
}

// decodeFrame returns the frame of wire, whose read buffer is overwritten and gone.
func decodeFrame(t *testing.T, wire string, stream bool) *Frame {
	t.Helper()
	d := &Decoder{State: &State{Version: Version12}, Stream: stream}
	var a Aggregator
	in := buffer.FromString(wire)
	head := in.Bytes()[:strings.Index(wire, "\n\n")]
	for {
		m, ok, err := d.Decode(in)
		require.NoError(t, err)
		require.True(t, ok)
		f, whole, err := a.Add(m)
		require.NoError(t, err)
		if whole {
			for i := range head {
				head[i] = '!'
			}
			in.Release()
			return f
		}
	}
}

func TestStringsOfAFrameOutliveTheReadBuffer(t *testing.T) {
	for name, wire := range textFrames {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", name, stream), func(t *testing.T) {
				live := buffer.SharedStats().Live
				want := decodeAll(t, &Decoder{State: &State{Version: Version12}}, [][]byte{[]byte(wire)}).Frames[0]
				f := decodeFrame(t, wire, stream)
				require.Equal(t, want, plain(f))
				f.Release()
				require.Equal(t, live, buffer.SharedStats().Live)
			})
		}
	}
}

func TestCloneAndDetachedStringsOutliveTheFrame(t *testing.T) {
	for name, wire := range textFrames {
		t.Run(name, func(t *testing.T) {
			live := buffer.SharedStats().Live
			f := decodeFrame(t, wire, false)
			want := plain(f)
			clone := f.Clone()
			own := f.Headers.Own()
			f.Detach()
			detached := append(Headers{}, f.Headers...)
			requireNoneInside(t, f, clone.Headers, own, detached)
			f.Release()
			reuseFrames()
			require.Equal(t, want, plain(clone))
			require.Equal(t, want.Headers, append(Headers{}, own...))
			require.Equal(t, want.Headers, detached)
			clone.Release()
			require.Equal(t, live, buffer.SharedStats().Live)
		})
	}
}

// requireNoneInside checks that no string of lists lies in f's own memory.
func requireNoneInside(t *testing.T, f *Frame, lists ...Headers) {
	t.Helper()
	if len(f.few) == 0 {
		return
	}
	from := uintptr(unsafe.Pointer(&f.few[0]))
	to := from + uintptr(len(f.few))
	for _, list := range lists {
		for _, h := range list {
			for _, s := range []string{h.Name, h.Value} {
				at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
				require.False(t, len(s) > 0 && at >= from && at < to, "%q is a view", s)
			}
		}
	}
}

// reuseFrames writes over the memory of frames that have gone back to the pool.
func reuseFrames() {
	junk := []byte("SEND\n" + strings.Repeat("junk:junk\n", 50) + "\n\x00")
	for range 4 {
		in := buffer.FromBytes(junk)
		m, _, _ := new(Decoder).Decode(in)
		defer buffer.Release(m)
		in.Release()
	}
}

func TestOwnHeadersOfNothing(t *testing.T) {
	require.Nil(t, Headers(nil).Own())
	require.Empty(t, Headers{}.Own())
	require.Equal(t, Headers{{"", ""}, {"ack", "x"}}, Headers{{"", ""}, {"ack", "x"}}.Own())
}

// A short frame must not keep the buffer alive that it was read into together with much else.
func TestShortFramesHoldNoReadBuffer(t *testing.T) {
	for _, wire := range []string{textFrames["short"], "SEND\n\n" + strings.Repeat("b", copyBelow-1) + "\x00"} {
		d := new(Decoder)
		in := buffer.Get(64 << 10)
		in.AppendString(wire)
		m, ok, err := d.Decode(in)
		require.NoError(t, err)
		require.True(t, ok)
		require.True(t, in.Unique())
		in.Release()
		m.(*Frame).Release()
	}
}
