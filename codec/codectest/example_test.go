package codectest_test

import (
	"testing"

	"github.com/penstock-go/penstock/codec/codectest"
)

func ExampleVerify() {
	var t *testing.T // of the test function that this stands in
	codectest.Verify(t, func() codectest.Decoder[*frame] { return prefixed{} },
		[]byte("\x00\x02hi\x00\x00\x00\x01!"), []*frame{{"hi"}, {""}, {"!"}}, codectest.Options[*frame]{})
}

func ExampleVerifyError() {
	var t *testing.T // of the test function that this stands in
	codectest.VerifyError(t, func() codectest.Decoder[*frame] { return prefixed{} },
		[]byte("\x00\x02hi\xff\xff"), []*frame{{"hi"}}, errTooLong, codectest.Options[*frame]{})
}

func ExampleVerifyLinear() {
	var t *testing.T // of the test function that this stands in
	codectest.VerifyLinear(t, func() codectest.Decoder[*frame] { return prefixed{} },
		append([]byte("\x7f\xff"), make([]byte, 32<<10)...))
}

func TestExamplesPass(t *testing.T) {
	newDecoder := func() codectest.Decoder[*frame] { return prefixed{} }
	codectest.Verify(t, newDecoder,
		[]byte("\x00\x02hi\x00\x00\x00\x01!"), []*frame{{"hi"}, {""}, {"!"}}, codectest.Options[*frame]{})
	codectest.VerifyError(t, newDecoder,
		[]byte("\x00\x02hi\xff\xff"), []*frame{{"hi"}}, errTooLong, codectest.Options[*frame]{})
	codectest.VerifyLinear(t, newDecoder, append([]byte("\x7f\xff"), make([]byte, 32<<10)...))
}
