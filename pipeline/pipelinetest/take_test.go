package pipelinetest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestCore51WrongTypeFailsTheTestAndLeavesTheMessage(t *testing.T) {
	var left any
	k := run(func(t *fake) {
		ch := pipelinetest.New(t)
		t.Cleanup(func() { left = ch.ReadInbound() })
		ch.WriteInbound(&other{})
		pipelinetest.In[*note](ch)
	})
	require.Contains(t, k.report.String(),
		"next inbound message is *pipelinetest_test.other, want *pipelinetest_test.note")
	require.Equal(t, &other{}, left)

	k = run(func(t *fake) {
		ch := pipelinetest.New(t)
		ch.WriteOutbound(&other{})
		pipelinetest.Out[*note](ch)
	})
	require.Contains(t, k.report.String(),
		"next outbound message is *pipelinetest_test.other, want *pipelinetest_test.note")
}

func TestTakingNothingFailsTheTestAndNamesALikelyReason(t *testing.T) {
	k := run(func(t *fake) {
		ch := pipelinetest.New(t)
		ch.Pipeline().FireError(errors.New("boom"))
		pipelinetest.In[*note](ch)
	})
	require.Contains(t, k.report.String(), "want *pipelinetest_test.note: embedded: nothing to take")
	require.Contains(t, k.report.String(), "the channel has reported: boom")
}
