package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResponseIsReleasedOnceAndComesBackEmpty(t *testing.T) {
	r := NewResponse(404)
	require.NoError(t, r.Header.Add("A", "1"))
	r.Reason, r.Close = "Gone fishing", true
	r.Retain()
	r.Release()
	r.Release()
	require.Panics(t, r.Release)
	for range 10 {
		r := NewResponse(200)
		require.Equal(t, 200, r.Status)
		require.Empty(t, r.Reason)
		require.False(t, r.Close)
		require.Zero(t, r.Header.Len())
		r.Release()
	}
}

func TestLiteralResponsesHaveOneReference(t *testing.T) {
	r := &Response{Status: 200}
	r.Release()
	require.Panics(t, r.Release)
}

func TestInterimResponsesAreThoseBefore200Except101(t *testing.T) {
	for status, want := range map[int]bool{100: true, 101: false, 102: true, 103: true, 200: false, 500: false} {
		require.Equal(t, want, (&Response{Status: status}).Interim(), status)
	}
}
