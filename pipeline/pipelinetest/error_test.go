package pipelinetest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// failing fails every read with its error.
func failing(err error) pipeline.Handler {
	return pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { return err })
}

func TestExpectErrorTakesTheOldestError(t *testing.T) {
	boom := errors.New("boom")
	ch := pipelinetest.New(t, failing(fmt.Errorf("wrapped: %w", boom)))
	ch.Feed("x")
	err := ch.ExpectError(boom)
	require.EqualError(t, err, "wrapped: boom")
	ch.Pipeline().FireError(errors.New("one more"))
	require.EqualError(t, ch.ExpectError(nil), "one more")
}

func TestExpectErrorFailsTheTestOtherwise(t *testing.T) {
	boom := errors.New("boom")
	k := run(func(t *fake) { _ = pipelinetest.New(t).ExpectError(boom) })
	require.Contains(t, k.report.String(), "no error, want boom")
	k = run(func(t *fake) {
		ch := pipelinetest.New(t, failing(errors.New("bang")))
		ch.Feed("x")
		_ = ch.ExpectError(boom)
	})
	require.Contains(t, k.report.String(), `error "bang", want "boom"`)
}

func TestErrorsThatNobodyExpectsFailTheTest(t *testing.T) {
	for name, f := range map[string]func(ch *pipelinetest.Channel){
		"of a read":       func(ch *pipelinetest.Channel) { ch.Feed("x") },
		"of a write":      func(ch *pipelinetest.Channel) { ch.WriteOutbound(&note{}) },
		"in the pipeline": func(ch *pipelinetest.Channel) { ch.Pipeline().FireError(errors.New("boom")) },
	} {
		t.Run(name, func(t *testing.T) {
			k := run(func(t *fake) {
				refuse := pipeline.OnWrite(func(_ *pipeline.Context, _ *note, _ *pipeline.Promise) error { return errors.New("boom") })
				f(pipelinetest.New(t, refuse, failing(errors.New("boom"))))
			})
			require.Contains(t, k.report.String(), "error not taken: boom")
		})
	}
}
