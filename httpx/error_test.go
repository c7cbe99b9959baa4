package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorTellsStatusAndReason(t *testing.T) {
	require.EqualError(t, refuse(400, "bad method"), "httpx: 400 bad method")
	require.EqualError(t, refuse(0, "premature close"), "httpx: premature close")
}

func TestSentinelsNameThePackage(t *testing.T) {
	require.ErrorContains(t, ErrOrder, "httpx: ")
	require.ErrorContains(t, ErrAfterLast, "httpx: ")
}
