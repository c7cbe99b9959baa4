package httpx

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatternsAreReadInTheirParts(t *testing.T) {
	literal := func(s string) segment { return segment{segmentLiteral, s} }
	any, rest, end := segment{kind: segmentAny}, segment{kind: segmentRest}, segment{kind: segmentEnd}
	for text, want := range map[string]pattern{
		"/":            {segments: []segment{rest}, names: []string{""}},
		"/{$}":         {segments: []segment{end}},
		"/a":           {segments: []segment{literal("a")}},
		"/a/":          {segments: []segment{literal("a"), rest}, names: []string{""}},
		"/a/{$}":       {segments: []segment{literal("a"), end}},
		"GET /a":       {method: "GET", segments: []segment{literal("a")}},
		"PURGE \t /a":  {method: "PURGE", segments: []segment{literal("a")}},
		"GET\t/a":      {method: "GET", segments: []segment{literal("a")}},
		"h.Example/a":  {host: "h.example", segments: []segment{literal("a")}},
		"h.example./a": {host: "h.example", segments: []segment{literal("a")}},
		"[::1]/a":      {host: "[::1]", segments: []segment{literal("a")}},
		"POST h/a/{b}/c/{d...}": {
			method: "POST", host: "h", segments: []segment{literal("a"), any, literal("c"), rest}, names: []string{"b", "d"},
		},
		"/a%2Fb/%7B": {segments: []segment{literal("a/b"), literal("{")}},
		"/{é_1}":     {segments: []segment{any}, names: []string{"é_1"}},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := parsePattern(text)
			require.NoError(t, err)
			want.text = text
			require.Equal(t, &want, got)
		})
	}
}

func TestPatternsThatMeanNothingAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "a", "GET", "GET a", "G(T /a", "/a b", "h:80/a", "{h}/a", "h /a/b", "[::1/a", "::1/a",
		"/a//b", "/./a", "/a/..", "//", "/{", "/{a", "/a{b}", "/{a}b", "/{}", "/{...}", "/{1}", "/{a-b}", "/{$}/a", "/{a...}/b",
		"/{a...}/", "/{$}/", "/{a}/{a}", "/{a}/{a...}", "/%", "/%4", "/%zz", "/{a..}",
	} {
		if text == "h /a/b" {
			continue // h is a method
		}
		_, err := parsePattern(text)
		var wrong *PatternError
		require.ErrorAs(t, err, &wrong, text)
		require.Equal(t, text, wrong.Pattern)
		require.Contains(t, err.Error(), "httpx: pattern ")
	}
}

// FuzzPattern checks that the standard library takes every pattern that we take.
func FuzzPattern(f *testing.F) {
	f.Add("GET h/a/{b}/{c...}")
	f.Add("/a/{$}")
	f.Add("PUT\t [::1]/%41/")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePattern(text)
		if err != nil {
			return
		}
		require.Empty(t, new(pattern).conflict(&pattern{host: "other"}))
		require.NotEmpty(t, p.conflict(p), "a pattern conflicts with itself")
		require.NotPanics(t, func() { http.NewServeMux().Handle(text, http.NotFoundHandler()) }, "%q", text)
	})
}
