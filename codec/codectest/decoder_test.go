package codectest_test

import (
	"testing"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// What the drivers run can be verified, and the other way round.
var (
	_ codectest.Decoder[*frame] = codec.Decoder[*frame](nil)
	_ codec.Decoder[*frame]     = codectest.Decoder[*frame](nil)
)

// holder keeps a reference until it is told to give it up.
type holder struct {
	prefixed
	slice buffer.Slice
}

// Decode keeps the first long piece.
func (h *holder) Decode(in *buffer.Buffer) (*frame, bool, error) {
	if h.slice.Len() == 0 && in.Len() > 300 {
		h.slice = in.Slice(0, in.Len())
	}
	return h.prefixed.Decode(in)
}

type (
	releaser struct{ holder }
	resetter struct{ holder }
	closer   struct{ holder }
)

// Release gives it up.
func (r *releaser) Release() { r.slice.Release() }

// Reset gives it up.
func (r *resetter) Reset() { r.slice.Release() }

// Close gives it up.
func (c *closer) Close() error {
	c.slice.Release()
	return nil
}

func TestAnAbandonedDecoderIsToldByItsOwnMethod(t *testing.T) {
	body := string(make([]byte, 400))
	for name, newDecoder := range map[string]func() codectest.Decoder[*frame]{
		"Release": func() codectest.Decoder[*frame] { return &releaser{} },
		"Reset":   func() codectest.Decoder[*frame] { return &resetter{} },
		"Close":   func() codectest.Decoder[*frame] { return &closer{} },
	} {
		t.Run(name, func(t *testing.T) {
			codectest.Verify(t, newDecoder, stream(body), frames(body), codectest.Options[*frame]{})
		})
	}
	requireCaught(t, "1 buffers are not released", func(t *fake) {
		codectest.Verify(t, func() codectest.Decoder[*frame] { return &holder{} }, stream(body), frames(body), codectest.Options[*frame]{})
	})
}
