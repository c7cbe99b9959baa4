package embedded_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// goner is a test whose failure ends the goroutine.
type goner struct{}

// Errorf drops the report.
func (*goner) Errorf(string, ...any) {}

// FailNow ends the goroutine.
func (*goner) FailNow() { runtime.Goexit() }

func TestOnlyPendingPromisesAreReported(t *testing.T) {
	ch, err := embedded.New(embedded.Config{})
	require.NoError(t, err)
	kept, dropped := ch.NewPromise(), ch.NewPromise()
	ch.Pipeline().WriteWith(buffer.FromString("x"), dropped)
	failed := ch.NewPromise()
	ch.RunPending()
	failed.Fail(errors.ErrUnsupported)
	require.True(t, kept.Pending())
	l, err := ch.Finish()
	require.ErrorContains(t, err, "promise not completed: made at promise_test.go:")
	require.Len(t, l.Promises, 1)
}
