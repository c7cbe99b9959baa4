package httpx

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var someDay = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestDatesAreReadInAllThreeForms(t *testing.T) {
	want := time.Date(1994, time.November, 6, 8, 49, 37, 0, time.UTC)
	for _, text := range []string{
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994",
	} {
		got, ok := ParseDate([]byte(text), someDay)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
}

func TestYearsOfTwoDigitsLieAtMostFiftyYearsAhead(t *testing.T) {
	for text, want := range map[string]int{
		"Friday, 01-Jan-76 00:00:00 GMT": 2076, "Friday, 01-Jan-77 00:00:00 GMT": 1977, "Friday, 01-Jan-00 00:00:00 GMT": 2000,
	} {
		got, ok := ParseDate([]byte(text), someDay)
		require.True(t, ok)
		require.Equal(t, want, got.Year(), text)
	}
	got, ok := ParseDate([]byte("Friday, 01-Jan-10 00:00:00 GMT"), time.Date(2080, 1, 1, 0, 0, 0, 0, time.UTC))
	require.True(t, ok)
	require.Equal(t, 2110, got.Year())
}

func TestLeapSecondsAreTheNextMinute(t *testing.T) {
	got, ok := ParseDate([]byte("Sat, 31 Dec 2016 23:59:60 GMT"), someDay)
	require.True(t, ok)
	require.Equal(t, time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC), got)
}

func TestWhatIsNoDateIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "0", "now", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +00", "Sun, 6 Nov 1994 08:49:37 GMT",
		"sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
		"Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1995 08:49:37 GMT",
		"Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
		"Sun, 06 Nov 1994 08:49:3a GMT", "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
		"Sunday, 06 Nov 94 08:49:37 GMT", "Someday, 06-Nov-94 08:49:37 GMT", ", 06-Nov-94 08:49:37 GMT",
		"Sunday, 06-Nov-9x 08:49:37 GMT", "Sun Nov  6 08:49:37 19x4", "Sun Nov  x 08:49:37 1994", "Sun Nov  6 08.49:37 1994",
		"Sun, 06 Nov 1994 08:49:37 GMT ",
	} {
		_, ok := ParseDate([]byte(text), someDay)
		require.False(t, ok, text)
	}
}

func TestDatesThatAreWrittenAreReadAgain(t *testing.T) {
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(first, last).Draw(t, "seconds"), 0).UTC()
		got, ok := ParseDate(AppendDate(nil, at), someDay)
		require.True(t, ok)
		require.Equal(t, at, got)
		got, ok = ParseDate([]byte(at.Format(time.ANSIC)), someDay)
		require.True(t, ok)
		require.Equal(t, at, got)
	})
}

// FuzzDate checks that what is accepted is a date to the standard library as well, but for leap seconds.
func FuzzDate(f *testing.F) {
	f.Add("Sun, 06 Nov 1994 08:49:37 GMT")
	f.Add("Sunday, 06-Nov-94 08:49:37 GMT")
	f.Add("Sun Nov  6 08:49:37 1994")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ParseDate([]byte(text), someDay)
		if !ok {
			return
		}
		want, err := http.ParseTime(text)
		if err != nil {
			require.Zero(t, got.Second(), text)
			return
		}
		if len(text) != DateBytes && text[3] != ' ' {
			require.Zero(t, (got.Year()-want.Year())%100, text) // it has another rule for centuries
			return
		}
		require.Equal(t, want, got, text)
	})
}
