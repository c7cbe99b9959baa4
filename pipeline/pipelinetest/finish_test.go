package pipelinetest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

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
	k := run(func(t *fake) {
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

func TestFinishHappensAtTheEndOfTheTest(t *testing.T) {
	k := run(func(t *fake) { pipelinetest.New(t, &forgetful{}).Feed("x") })
	require.Contains(t, k.report.String(), "buffers not released: 1")
}

func TestAFailedTestIsNotToldAboutLeftovers(t *testing.T) {
	k := run(func(t *fake) {
		pipelinetest.New(t, &forgetful{}).Feed("x")
		t.Fatalf("for another reason")
	})
	require.Equal(t, "for another reason\n", k.report.String())
}

func TestFinishReturnsTheLeftoversAndReportsThemOnce(t *testing.T) {
	var kept []string
	k := run(func(t *fake) {
		ch := pipelinetest.New(t)
		ch.WriteInbound(&note{})
		kept = ch.Finish().Inbound
		require.Empty(t, ch.Finish().Inbound)
	})
	require.Equal(t, []string{"*pipelinetest_test.note"}, kept)
	require.Equal(t, 1, strings.Count(k.report.String(), "inbound message not taken"))
}

func TestFinishInsideACallbackFailsTheTest(t *testing.T) {
	k := run(func(t *fake) {
		var ch *pipelinetest.Channel
		ch = pipelinetest.New(t, pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error {
			ch.Finish()
			return nil
		}))
		ch.Feed("x")
	})
	require.Contains(t, k.report.String(), "call inside a callback")
}

func TestAFailedAssertionInACallbackEndsTheTestInOrder(t *testing.T) {
	k := run(func(t *fake) {
		ch := pipelinetest.New(t, pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error {
			t.Fatalf("inside")
			return nil
		}))
		ch.Feed("x")
	})
	require.Equal(t, "inside\n", k.report.String())
}
