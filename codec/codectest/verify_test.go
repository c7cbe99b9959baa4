package codectest_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// frame is a message that owns its bytes.
type frame struct{ body string }

var errTooLong = errors.New("frame too long")

// prefixed reads frames of a two-byte length and as many bytes.
type prefixed struct{}

// Decode reads one frame.
func (prefixed) Decode(in *buffer.Buffer) (*frame, bool, error) {
	n, ok, err := length(in)
	if !ok || err != nil {
		return nil, false, err
	}
	in.Skip(2)
	return &frame{string(in.Next(n))}, true, nil
}

// length is that of a frame that is complete. The largest allowed is 32 KiB - 1.
func length(in *buffer.Buffer) (n int, ok bool, err error) {
	if in.Len() < 2 {
		return 0, false, nil
	}
	n = int(binary.BigEndian.Uint16(in.Peek(2)))
	if n >= 1<<15 {
		return 0, false, errTooLong
	}
	return n, in.Len() >= 2+n, nil
}

// stream is the wire form of frames with these bodies.
func stream(bodies ...string) []byte {
	var b bytes.Buffer
	for _, s := range bodies {
		b.Write(binary.BigEndian.AppendUint16(nil, uint16(len(s))))
		b.WriteString(s)
	}
	return b.Bytes()
}

func frames(bodies ...string) []*frame {
	var all []*frame
	for _, s := range bodies {
		all = append(all, &frame{s})
	}
	return all
}

// five are the bodies of a short stream.
func five() []string { return []string{"a", "", "three", strings.Repeat("long", 20), "\xff\x00"} }

// decoderFunc is a decoder without state.
type decoderFunc[M any] func(in *buffer.Buffer) (M, bool, error)

// Decode calls the function.
func (f decoderFunc[M]) Decode(in *buffer.Buffer) (M, bool, error) { return f(in) }

// lent is a message that holds a reference of its input.
type lent struct{ body buffer.Slice }

// Retain adds a reference.
func (l *lent) Retain() { l.body.Retain() }

// Release gives one up.
func (l *lent) Release() { l.body.Release() }

func sameBody(want, got *lent) bool { return bytes.Equal(want.body.Bytes(), got.body.Bytes()) }

func TestCore33FramesAreTheSameAtEverySplit(t *testing.T) {
	codectest.Verify(t, func() codectest.Decoder[*frame] { return prefixed{} },
		stream(five()...), frames(five()...), codectest.Options[*frame]{})
}

func TestVerifyAcceptsMessagesThatHoldReferences(t *testing.T) {
	bodies := []string{"short", strings.Repeat("x", 1000)}
	var want []*lent
	for _, s := range bodies {
		b := buffer.FromString(s)
		defer b.Release()
		want = append(want, &lent{b.Slice(0, b.Len())})
	}
	codectest.Verify(t, func() codectest.Decoder[*lent] {
		return decoderFunc[*lent](func(in *buffer.Buffer) (*lent, bool, error) {
			n, ok, err := length(in)
			if !ok || err != nil {
				return nil, false, err
			}
			in.Skip(2)
			return &lent{in.ReadSlice(n)}, true, nil
		})
	}, stream(bodies...), want, codectest.Options[*lent]{Equal: sameBody})
	for _, w := range want {
		w.Release()
	}
}

func TestVerifyComparesBuffersByTheirBytes(t *testing.T) {
	want := buffer.FromString("hello")
	defer want.Release()
	newDecoder := func() codectest.Decoder[*buffer.Buffer] {
		return decoderFunc[*buffer.Buffer](func(in *buffer.Buffer) (*buffer.Buffer, bool, error) {
			n, ok, err := length(in)
			if !ok || err != nil {
				return nil, false, err
			}
			in.Skip(2)
			s := in.ReadSlice(n)
			defer s.Release()
			return s.Buffer(), true, nil
		})
	}
	codectest.Verify(t, newDecoder, stream("hello"), []*buffer.Buffer{want}, codectest.Options[*buffer.Buffer]{})
	other := buffer.FromString("world")
	defer other.Release()
	requireCaught(t, `message 0 is *buffer.Buffer "hello"`, func(t *fake) {
		codectest.Verify(t, newDecoder, stream("hello"), []*buffer.Buffer{other}, codectest.Options[*buffer.Buffer]{})
	})
}

// piecewise streams the body of one frame as it comes.
type piecewise struct{ left int }

// Decode reads a length, or what has come of the body.
func (p *piecewise) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if p.left == 0 {
		if in.Len() < 2 {
			return nil, false, nil
		}
		p.left = int(in.ReadUint16())
	}
	n := min(p.left, in.Len())
	if n == 0 {
		return nil, false, nil
	}
	p.left -= n
	return &frame{string(in.Next(n))}, true, nil
}

func TestVerifyJoinsPiecesThatDependOnTheCuts(t *testing.T) {
	newDecoder := func() codectest.Decoder[*frame] { return &piecewise{} }
	join := func(got []*frame) []*frame {
		all := ""
		for _, f := range got {
			all += f.body
		}
		return frames(all)
	}
	opts := codectest.Options[*frame]{Join: join, EOF: true}
	codectest.Verify(t, newDecoder, stream("some", "pieces"), frames("somepieces"), opts)
	requireCaught(t, "byte by byte", func(t *fake) {
		codectest.Verify(t, newDecoder, stream("some", "pieces"), frames("some", "pieces"), codectest.Options[*frame]{})
	})
}

// untilEnd gives everything as one message when the stream ends.
type untilEnd struct{}

// Decode waits.
func (untilEnd) Decode(*buffer.Buffer) (*frame, bool, error) { return nil, false, nil }

// DecodeEOF gives what has come.
func (untilEnd) DecodeEOF(in *buffer.Buffer) (*frame, bool, error) {
	if in.Len() == 0 {
		return nil, false, nil
	}
	return &frame{string(in.Next(in.Len()))}, true, nil
}

func TestVerifyEndsTheStreamWhenAsked(t *testing.T) {
	newDecoder := func() codectest.Decoder[*frame] { return untilEnd{} }
	codectest.Verify(t, newDecoder, []byte("everything"), frames("everything"), codectest.Options[*frame]{EOF: true})
	requireCaught(t, "0 messages, want 1", func(t *fake) {
		codectest.Verify(t, newDecoder, []byte("everything"), frames("everything"), codectest.Options[*frame]{})
	})
}

// once is a handshake that refuses to come twice.
type once struct{ done bool }

// Decode reads the two bytes of the handshake.
func (o *once) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if in.Len() < 2 {
		return nil, false, nil
	}
	body := string(in.Next(2))
	if o.done {
		in.Skip(in.Len())
		return nil, false, errors.New("again")
	}
	o.done = true
	return &frame{body}, true, nil
}

func TestVerifyDoesNotRepeatAHandshake(t *testing.T) {
	newDecoder := func() codectest.Decoder[*frame] { return &once{} }
	codectest.Verify(t, newDecoder, []byte("hi"), frames("hi"), codectest.Options[*frame]{Once: true})
	requireCaught(t, "3 copies at once", func(t *fake) {
		codectest.Verify(t, newDecoder, []byte("hi"), frames("hi"), codectest.Options[*frame]{})
	})
}

func TestVerifyTakesASelectionOfCutsOfLongInput(t *testing.T) {
	body := strings.Repeat("0123456789", 1000)
	codectest.Verify(t, func() codectest.Decoder[*frame] { return prefixed{} },
		stream(body), frames(body), codectest.Options[*frame]{})
}

func TestVerifyAcceptsAnEmptyInput(t *testing.T) {
	require.Empty(t, reportOf(func(t *fake) {
		codectest.Verify(t, func() codectest.Decoder[*frame] { return prefixed{} }, nil, nil, codectest.Options[*frame]{})
	}))
}
