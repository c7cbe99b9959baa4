package codectest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// view is a message that points into the input without a reference.
type view struct{ body []byte }

func sameView(want, got *view) bool { return string(want.body) == string(got.body) }

func TestVerifyCatchesMessagesThatPointIntoTheInput(t *testing.T) {
	newDecoder := func() codectest.Decoder[*view] {
		return decoderFunc[*view](func(in *buffer.Buffer) (*view, bool, error) {
			n, ok, err := length(in)
			if !ok || err != nil {
				return nil, false, err
			}
			in.Skip(2)
			return &view{in.Next(n)}, true, nil
		})
	}
	requireCaught(t, "whole, input", func(t *fake) {
		codectest.Verify(t, newDecoder, stream("hello"), []*view{{[]byte("hello")}}, codectest.Options[*view]{
			Equal: sameView, Show: func(v *view) string { return string(v.body) },
		})
	})
}

// keeper remembers the bytes of the first half of a frame instead of leaving them in the input.
type keeper struct{ kept []byte }

// Decode joins what it remembers with what comes.
func (k *keeper) Decode(in *buffer.Buffer) (*frame, bool, error) {
	k.kept = append(k.kept[:len(k.kept):len(k.kept)], in.Bytes()...)
	if len(k.kept) == in.Len() {
		k.kept = in.Bytes() // the mistake: no copy
	}
	in.Skip(in.Len())
	if len(k.kept) < 7 {
		return nil, false, nil
	}
	f := &frame{string(k.kept[2:7])}
	k.kept = nil
	return f, true, nil
}

func TestVerifyCatchesADecoderThatKeepsItsInput(t *testing.T) {
	requireCaught(t, "cut at 3, input", func(t *fake) {
		codectest.Verify(t, func() codectest.Decoder[*frame] { return &keeper{} },
			stream("hello"), frames("hello"), codectest.Options[*frame]{})
	})
}

// headless forgets the length that it has consumed.
type headless struct{}

// Decode reads a frame that has come whole.
func (headless) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if in.Len() < 2 {
		return nil, false, nil
	}
	n := int(in.ReadUint16())
	if in.Len() < n {
		return nil, false, fmt.Errorf("have %d of %d bytes", in.Len(), n)
	}
	return &frame{string(in.Next(n))}, true, nil
}

// scripted are decoders of frames with one mistake each.
func scripted(mistake func(in *buffer.Buffer, n int) (*frame, bool, error)) func() codectest.Decoder[*frame] {
	return func() codectest.Decoder[*frame] {
		return decoderFunc[*frame](func(in *buffer.Buffer) (*frame, bool, error) {
			n, ok, err := length(in)
			if !ok || err != nil {
				return nil, false, err
			}
			return mistake(in, n)
		})
	}
}

// right is what comes of a frame without a mistake.
func right(in *buffer.Buffer, n int) (*frame, bool, error) {
	in.Skip(2)
	return &frame{string(in.Next(n))}, true, nil
}

func TestVerifyCatchesBrokenDecoders(t *testing.T) {
	for name, c := range map[string]struct {
		words      string
		newDecoder func() codectest.Decoder[*frame]
	}{
		"one that needs the frame whole": {"byte by byte, input", func() codectest.Decoder[*frame] { return headless{} }},
		"one that panics on a short frame": {"the decoder panicked: buffer: read past", func() codectest.Decoder[*frame] {
			return decoderFunc[*frame](func(in *buffer.Buffer) (*frame, bool, error) { return right(in, int(in.Peek(2)[1])) })
		}},
		"one that changes its input": {"the decoder changed its input", scripted(func(in *buffer.Buffer, n int) (*frame, bool, error) {
			in.Bytes()[0] = 'X'
			return right(in, n)
		})},
		"one that consumes nothing": {"without consuming anything", scripted(func(in *buffer.Buffer, n int) (*frame, bool, error) {
			return &frame{string(in.Peek(2 + n)[2:])}, true, nil
		})},
		"one that fails and succeeds": {`a message and the error "odd"`, scripted(func(in *buffer.Buffer, n int) (*frame, bool, error) {
			f, _, _ := right(in, n)
			return f, true, fmt.Errorf("odd")
		})},
		"one that appends to its input": {"appended to its input", scripted(func(in *buffer.Buffer, n int) (*frame, bool, error) {
			in.AppendString("more and more")
			return right(in, 0)
		})},
		"one that leaks": {"1 buffers are not released", scripted(func(in *buffer.Buffer, n int) (*frame, bool, error) {
			in.Retain()
			return right(in, n)
		})},
		"one that refuses what is right": {`the decoder failed: no`, scripted(func(*buffer.Buffer, int) (*frame, bool, error) {
			return nil, false, fmt.Errorf("no")
		})},
		"one that gives something else": {"want *codectest_test.frame &{body:hello}", scripted(func(in *buffer.Buffer, n int) (*frame, bool, error) {
			f, ok, err := right(in, n)
			f.body += "!"
			return f, ok, err
		})},
	} {
		t.Run(name, func(t *testing.T) {
			requireCaught(t, c.words, func(t *fake) {
				codectest.Verify(t, c.newDecoder, stream("hello"), frames("hello"), codectest.Options[*frame]{})
			})
		})
	}
}

func TestVerifyCatchesAMessageTooMany(t *testing.T) {
	requireCaught(t, "2 messages, want 1; the first of too many is *codectest_test.frame &{body:again}", func(t *fake) {
		codectest.Verify(t, newPrefixed, stream("hello", "again"), frames("hello"), codectest.Options[*frame]{})
	})
}

// impatient gives what has come when it was asked too often.
type impatient struct{ asked int }

// Decode counts how often it is asked while a frame is incomplete.
func (i *impatient) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if in.Len() == 0 {
		return nil, false, nil
	}
	n, ok, err := length(in)
	if ok {
		i.asked = 0
		return right(in, n)
	}
	if i.asked++; in.Len() < 3 || i.asked < 12 {
		return nil, false, err
	}
	return &frame{string(in.Next(in.Len()))}, true, nil
}

func TestVerifyCatchesADecoderThatCountsItsCalls(t *testing.T) {
	requireCaught(t, "asked twice", func(t *fake) {
		codectest.Verify(t, func() codectest.Decoder[*frame] { return &impatient{} },
			stream("hello"), frames("hello"), codectest.Options[*frame]{})
	})
}

// hoarder holds a reference of its input between two calls.
type hoarder struct {
	prefixed
	slice  buffer.Slice
	giveUp bool
}

// Decode holds on to the first long piece that it sees.
func (h *hoarder) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if h.slice.Len() == 0 && in.Len() > 300 {
		h.slice = in.Slice(0, in.Len())
	}
	f, ok, err := h.prefixed.Decode(in)
	if ok {
		h.slice.Release()
		h.slice = buffer.Slice{}
	}
	return f, ok, err
}

// Reset gives back what is held.
func (h *hoarder) Reset() {
	if h.giveUp {
		h.slice.Release()
		h.slice = buffer.Slice{}
	}
}

func TestVerifyCatchesADecoderThatIsDroppedWithBuffers(t *testing.T) {
	body := string(make([]byte, 600))
	verify := func(giveUp bool) func(t *fake) {
		return func(t *fake) {
			codectest.Verify(t, func() codectest.Decoder[*frame] { return &hoarder{giveUp: giveUp} },
				stream(body), frames(body), codectest.Options[*frame]{})
		}
	}
	requireCaught(t, "bytes only", verify(false))
	require.Empty(t, reportOf(verify(true)))
}

// masked changes its input on purpose.
func masked(in *buffer.Buffer, n int) (*frame, bool, error) {
	for i := range in.Bytes()[2 : 2+n] {
		in.Bytes()[2+i] ^= 1
	}
	return right(in, n)
}

func TestVerifyAllowsUnmaskingInPlaceWhenTold(t *testing.T) {
	codectest.Verify(t, scripted(masked), stream("\x01\x02"), frames("\x00\x03"), codectest.Options[*frame]{Modifies: true})
	requireCaught(t, "changed its input", func(t *fake) {
		codectest.Verify(t, scripted(masked), stream("\x01\x02"), frames("\x00\x03"), codectest.Options[*frame]{})
	})
}
