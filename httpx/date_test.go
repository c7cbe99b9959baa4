package httpx

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDateIsTheExampleOfTheRFC(t *testing.T) {
	at := time.Date(1994, time.November, 6, 8, 49, 37, 999, time.UTC)
	require.Equal(t, "Sun, 06 Nov 1994 08:49:37 GMT", string(AppendDate(nil, at)))
	elsewhere := at.In(time.FixedZone("", -7*3600))
	require.Equal(t, "Date: Sun, 06 Nov 1994 08:49:37 GMT", string(AppendDate([]byte("Date: "), elsewhere)))
}

func TestDateIsAlwaysAsLongAndAsTheStandardLibraryWritesIt(t *testing.T) {
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(first, last).Draw(t, "seconds"), 0)
		got := AppendDate(nil, at)
		require.Len(t, got, DateBytes)
		require.Equal(t, at.UTC().Format(http.TimeFormat), string(got))
	})
}
