package codectest_test

import (
	"fmt"
	"testing"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

func newPrefixed() codectest.Decoder[*frame] { return prefixed{} }

func TestVerifyErrorWantsTheSameErrorAtEveryCut(t *testing.T) {
	input := append(stream("a", "bc"), 0xff, 0xff, 1, 2, 3)
	codectest.VerifyError(t, newPrefixed, input, frames("a", "bc"), errTooLong, codectest.Options[*frame]{})
	codectest.VerifyError(t, newPrefixed, input, frames("a", "bc"), nil, codectest.Options[*frame]{})
}

// early fails as soon as it sees the first byte of a length that is too large, with other words.
type early struct{ prefixed }

// Decode fails in one of two ways.
func (e early) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if in.Len() == 1 && in.Bytes()[0] >= 1<<7 {
		return nil, false, fmt.Errorf("%w: already", errTooLong)
	}
	return e.prefixed.Decode(in)
}

// greedy fails before it gives the messages in front.
type greedy struct{ prefixed }

// Decode fails when anything in sight is wrong.
func (g greedy) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if in.Len() > 0 && in.Bytes()[in.Len()-1] == 0xff {
		return nil, false, errTooLong
	}
	return g.prefixed.Decode(in)
}

func TestVerifyErrorCatchesDecoders(t *testing.T) {
	bad := append(stream("a"), 0xff, 0xff)
	for name, c := range map[string]struct {
		words      string
		newDecoder func() codectest.Decoder[*frame]
		target     error
		input      []byte
	}{
		"that do not fail":                   {"no error, want frame too long", newPrefixed, errTooLong, stream("a")},
		"that fail with another error":       {`want "never seen"`, newPrefixed, fmt.Errorf("never seen"), bad},
		"whose words depend on the cut":      {"when the input came whole", func() codectest.Decoder[*frame] { return early{} }, errTooLong, bad},
		"that drop the messages in front":    {"0 messages, want 1", func() codectest.Decoder[*frame] { return greedy{} }, errTooLong, bad},
		"that panic when fed after an error": {"the decoder panicked", func() codectest.Decoder[*frame] { return &spent{} }, errTooLong, append(bad, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			requireCaught(t, c.words, func(t *fake) {
				codectest.VerifyError(t, c.newDecoder, c.input, frames("a"), c.target, codectest.Options[*frame]{})
			})
		})
	}
}

// spent can't be used after an error.
type spent struct {
	prefixed
	failed bool
}

// Decode panics when it has failed before.
func (s *spent) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if s.failed {
		panic("used after an error")
	}
	f, ok, err := s.prefixed.Decode(in)
	s.failed = err != nil
	return f, ok, err
}
