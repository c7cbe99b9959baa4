package codectest_test

import (
	"strings"
	"testing"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestEqualDecidesWhatIsWanted(t *testing.T) {
	fold := codectest.Options[*frame]{Equal: func(want, got *frame) bool { return strings.EqualFold(want.body, got.body) }}
	codectest.Verify(t, newPrefixed, stream("Hello"), frames("hELLO"), fold)
	requireCaught(t, "want *codectest_test.frame &{body:hELLO}", func(t *fake) {
		codectest.Verify(t, newPrefixed, stream("Hello"), frames("hELLO"), codectest.Options[*frame]{})
	})
}

func TestShowNamesTheMessagesOfAFailure(t *testing.T) {
	opts := codectest.Options[*frame]{Show: func(f *frame) string { return "frame<" + f.body + ">" }}
	requireCaught(t, "message 1 is frame<b>\nwant frame<c>", func(t *fake) {
		codectest.Verify(t, newPrefixed, stream("a", "b"), frames("a", "c"), opts)
	})
}

func TestLongInputIsCutInAFailure(t *testing.T) {
	body := strings.Repeat("z", 100)
	requireCaught(t, `zzz"... (102 bytes):`, func(t *fake) {
		codectest.Verify(t, newPrefixed, stream(body), frames("z"), codectest.Options[*frame]{})
	})
}

// ropes gives each frame as a rope of two pieces.
func ropes() codectest.Decoder[*buffer.Composite] {
	return decoderFunc[*buffer.Composite](func(in *buffer.Buffer) (*buffer.Composite, bool, error) {
		n, ok, err := length(in)
		if !ok || err != nil {
			return nil, false, err
		}
		in.Skip(2)
		c := buffer.NewComposite()
		c.AppendSlice(in.ReadSlice(n / 2))
		c.AppendSlice(in.ReadSlice(n - n/2))
		return c, true, nil
	})
}

func TestVerifyComparesRopesByTheirBytes(t *testing.T) {
	want := buffer.NewComposite()
	defer want.Release()
	want.Append(buffer.FromString(strings.Repeat("rope", 300)))
	codectest.Verify(t, ropes, stream(strings.Repeat("rope", 300)), []*buffer.Composite{want}, codectest.Options[*buffer.Composite]{})
	requireCaught(t, `want *buffer.Composite "roperope`, func(t *fake) {
		codectest.Verify(t, ropes, stream("rope"), []*buffer.Composite{want}, codectest.Options[*buffer.Composite]{})
	})
}
