package pipelinetest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// note is a message that is no bytes.
type note struct{ text string }

// forgetful leaves behind whatever can be left behind.
type forgetful struct {
	kept  *buffer.Buffer
	owing *pipeline.Promise
}

// HandleRead fires a message that nobody reads, keeps a buffer, and starts a timer.
func (f *forgetful) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.Release(msg)
	f.kept = ctx.Alloc(100)
	ctx.After(30*time.Second, func() {})
	ctx.FireRead(&note{"hello"})
	return nil
}

// HandleWrite drops the message and forgets its promise.
func (f *forgetful) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	ctx.Release(msg)
	f.owing = p
	return nil
}

func TestCore50FinishNamesEverythingLeftOver(t *testing.T) {
	k := run(func(t testing.TB) {
		ch := pipelinetest.New(t, &forgetful{})
		ch.Feed("x")
		ch.Pipeline().WriteWith(buffer.FromString("y"), ch.Promise())
		ch.Finish()
	})
	require.True(t, k.failed)
	report := k.report.String()
	require.Contains(t, report, "left over by bytes → pipelinetest_test.forgetful")
	require.Contains(t, report, "inbound message not taken: *pipelinetest_test.note")
	require.Contains(t, report, "buffers not released: 1 of the pool of loop \"TestFake\"")
	require.Contains(t, report, "promise not completed: made at finish_test.go:")
	require.Contains(t, report, "timers not stopped: 1 on loop \"TestFake\", the earliest due 30s after the close")
}
