package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKnownMethodsAreTheConstants(t *testing.T) {
	for _, m := range []Method{
		MethodGet, MethodHead, MethodPost, MethodPut, MethodDelete, MethodConnect, MethodOptions, MethodTrace, MethodPatch,
	} {
		require.True(t, m.Known(), m)
		got, ok := methodOf([]byte(m))
		require.True(t, ok)
		require.Equal(t, m, got)
	}
	require.False(t, Method("get").Known())
	require.False(t, Method("").Known())
}

func TestAnyTokenIsAMethodAndNothingElse(t *testing.T) {
	got, ok := methodOf([]byte("PURGE-it!"))
	require.True(t, ok)
	require.Equal(t, Method("PURGE-it!"), got)
	for _, bad := range []string{"", "GE(T", "GET\x00", "G T"} {
		_, ok := methodOf([]byte(bad))
		require.False(t, ok, "%q", bad)
	}
}
