package codectest

import (
	"errors"
	"fmt"
	"testing"
)

// VerifyError feeds input that must be refused in all the ways of Verify, and fails the test unless each time the
// messages in front come first and the decoder then fails with the same error: one that errors.Is finds target in (nil:
// any), with the same text as when the input comes whole. The rest of the input is fed all the same, which must not
// panic. It also checks what Verify checks about buffers. want is not released.
func VerifyError[M any](t testing.TB, newDecoder func() Decoder[M], input []byte, want []M, target error, opts Options[M]) {
	t.Helper()
	v := &verification[M]{t: t, opts: &opts, newDecoder: newDecoder, pool: newPool()}
	text := ""
	for _, c := range cuttings(len(input)) {
		f := v.feed(input, c.ends, opts.EOF)
		v.judge(f, c.name, input, func() string {
			if len(f.errs) == 0 {
				return fmt.Sprintf("no error, want %v", target)
			}
			err := f.errs[0]
			if text == "" {
				text = err.Error()
			}
			switch {
			case target != nil && !errors.Is(err, target):
				return fmt.Sprintf("the decoder failed with %q, want %q", err, target)
			case err.Error() != text:
				return fmt.Sprintf("the decoder failed with %q, and with %q when the input came whole", err, text)
			}
			return v.compare(v.inFront(f), want, len(want), len(want))
		})
	}
}

// inFront are the messages that came before the error.
func (v *verification[M]) inFront(f *feeding[M]) []M {
	if v.opts.Join != nil {
		return v.opts.Join(f.got[:f.before])
	}
	return f.got[:f.before]
}
