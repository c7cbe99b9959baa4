package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartsAreTheMessagesOfADecoder(t *testing.T) {
	fixed, none := NewRequest(MethodPut, "/"), NewRequest(MethodGet, "/")
	fixed.Length = 3
	untilClose, empty := NewResponse(200), NewResponse(204)
	untilClose.Length = LengthUntilClose
	piece, last := contentOf("abc"), lastOf("de")
	for _, row := range []struct {
		part  any
		last  bool
		bytes int
	}{
		{fixed, false, 0},
		{none, true, 0},
		{untilClose, false, 0},
		{empty, true, 0},
		{piece, false, 3},
		{last, true, 2},
		{EmptyLast, true, 0},
	} {
		require.True(t, isPart(row.part))
		require.Equal(t, row.last, isLast(row.part), "%T", row.part)
		require.Equal(t, row.bytes, partBytes(row.part), "%T", row.part)
	}
	for _, other := range []any{"text", nil, new(FullRequest), new(FullResponse)} {
		require.False(t, isPart(other), "%T", other)
	}
}

func TestOnlyRequestsThatAreTooLargeHaveAStatus(t *testing.T) {
	require.Equal(t, refuse(413, "body too large"), tooLong(new(FullRequest), 1))
	require.Equal(t, refuse(0, "body too large"), tooLong(new(FullResponse), 1))
}
