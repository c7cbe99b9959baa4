package httpx

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRangesAreReadWithinTheSize(t *testing.T) {
	for value, want := range map[string][]ByteRange{
		"bytes=0-4":                      {{0, 5}},
		"bytes=0-0":                      {{0, 1}},
		"bytes=9-9":                      {{9, 1}},
		"bytes=5-":                       {{5, 5}},
		"bytes=0-":                       {{0, 10}},
		"bytes=-3":                       {{7, 3}},
		"bytes=-100":                     {{0, 10}},
		"bytes=8-100":                    {{8, 2}},
		"bytes=0-99999999999999999999":   {{0, 10}},
		"bytes=-99999999999999999999999": {{0, 10}},
		"bytes=0-1,4-5 ,\t-1":            {{0, 2}, {4, 2}, {9, 1}},
		"bytes=4-5,0-1":                  {{4, 2}, {0, 2}},
		"bytes=0-1,10-20":                {{0, 2}},
		"bytes=,0-1,,":                   {{0, 2}},
		"Bytes=0-1":                      {{0, 2}},
		"bytes=007-008":                  {{7, 2}},
		"bytes=0-4,3-5":                  {{0, 5}, {3, 3}},
	} {
		got, verdict := ParseRange(nil, []byte(value), 10)
		require.Equal(t, RangeParts, verdict, value)
		require.Equal(t, want, got, value)
	}
}

func TestRangesThatCannotBeAre(t *testing.T) {
	for value, want := range map[string]RangeVerdict{
		"":                         RangeWhole,
		"bytes":                    RangeWhole,
		"bytes=":                   RangeWhole,
		"bytes=,":                  RangeWhole,
		"bytes=-":                  RangeWhole,
		"bytes=a-b":                RangeWhole,
		"bytes=1":                  RangeWhole,
		"bytes=5-4":                RangeWhole,
		"bytes=1-2-3":              RangeWhole,
		"bytes=0-1,x":              RangeWhole,
		"bytes=--1":                RangeWhole,
		"bytes = 0-1":              RangeWhole,
		"bytes=0 -1":               RangeWhole,
		"bytes=+0-1":               RangeWhole,
		"lines=0-1":                RangeWhole,
		"bytes=0-9,0-0":            RangeWhole, // more than everything
		"bytes=0-,0-,0-":           RangeWhole,
		"bytes=10-":                RangeUnsatisfied,
		"bytes=10-20,30-":          RangeUnsatisfied,
		"bytes=-0":                 RangeUnsatisfied,
		"bytes=99999999999999999-": RangeUnsatisfied,
	} {
		got, verdict := ParseRange(nil, []byte(value), 10)
		require.Equal(t, want, verdict, value)
		require.Empty(t, got, value)
	}
	_, verdict := ParseRange(nil, []byte("bytes=0-"), 0)
	require.Equal(t, RangeUnsatisfied, verdict)
}

func TestRangesAreLimited(t *testing.T) {
	value := "bytes=" + strings.Repeat("0-0,", MaxRanges)
	got, verdict := ParseRange(nil, []byte(value), 1000)
	require.Equal(t, RangeParts, verdict)
	require.Len(t, got, MaxRanges)
	got, verdict = ParseRange(got[:1], []byte(value+"0-0"), 1000)
	require.Equal(t, RangeWhole, verdict)
	require.Len(t, got, 1, "what was there before stays")
}

func TestContentRangeIsWritten(t *testing.T) {
	require.Equal(t, "bytes 0-4/10", string(ByteRange{0, 5}.AppendContentRange(nil, 10)))
	require.Equal(t, "bytes 9223372036854775806-9223372036854775806/9223372036854775807",
		string(ByteRange{math.MaxInt64 - 1, 1}.AppendContentRange(nil, math.MaxInt64)))
}

// FuzzRange checks that ranges lie within the size, and that the standard library gives the same part for one range.
func FuzzRange(f *testing.F) {
	f.Add("bytes=0-4", int64(10))
	f.Add("bytes=-5,2-,7-8", int64(9))
	f.Add("bytes=18446744073709551616-", int64(1))
	f.Fuzz(func(t *testing.T, value string, size int64) {
		if size < 0 {
			size = -(size + 1)
		}
		ranges, verdict := ParseRange(nil, []byte(value), size)
		total := int64(0)
		for _, r := range ranges {
			require.True(t, r.Start >= 0 && r.Length > 0 && r.Start < size && r.Length <= size-r.Start, "%q", value)
			total += r.Length
		}
		require.LessOrEqual(t, total, size)
		require.Equal(t, verdict == RangeParts, len(ranges) > 0)
		if size > 1000 || len(ranges) != 1 || strings.Contains(value, ",") {
			return
		}
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("Range", "bytes"+value[len("bytes"):])
		w := httptest.NewRecorder()
		http.ServeContent(w, request, "", someDay, strings.NewReader(strings.Repeat("x", int(size))))
		if w.Code == http.StatusPartialContent {
			require.Equal(t, string(ranges[0].AppendContentRange(nil, size)), w.Header().Get("Content-Range"), "%q", value)
		}
	})
}
