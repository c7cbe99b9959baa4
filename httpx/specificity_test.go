package httpx

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPatternsOfWhichNoneIsMoreSpecificConflict(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		conflict      bool
	}{
		"the same":                      {"/a", "/a", true},
		"the same with other names":     {"/{a}", "/{b}", true},
		"a slash and a rest":            {"/a/", "/a/{b...}", true},
		"a literal and a wildcard":      {"/a", "/{b}", false},
		"two that overlap":              {"/a/{b}", "/{a}/b", true},
		"a rest and more":               {"/a/", "/a/b/c", false},
		"a rest and a wildcard in it":   {"/a/", "/{x}/b", true},
		"the end and a wildcard":        {"/a/{$}", "/a/{b}", false},
		"the end and a rest":            {"/a/{$}", "/a/", false},
		"other lengths":                 {"/a/b", "/a", false},
		"a slash more":                  {"/{a}", "/{a}/", false},
		"methods":                       {"GET /a", "POST /a", false},
		"a method and any":              {"GET /a", "/a", false},
		"GET and HEAD":                  {"GET /a", "HEAD /a", false},
		"more methods, narrower path":   {"/a", "GET /{b}", true},
		"fewer methods, narrower path":  {"GET /a", "/{b}", false},
		"GET wider than HEAD":           {"GET /a", "HEAD /{b}", true},
		"hosts":                         {"h/a", "i/a", false},
		"a host and none":               {"h/{a}", "/a", false},
		"the same host in another case": {"H/a", "h/a", true},
	} {
		t.Run(name, func(t *testing.T) {
			first, err := parsePattern(c.first)
			require.NoError(t, err)
			second, err := parsePattern(c.second)
			require.NoError(t, err)
			require.Equal(t, c.conflict, first.conflict(second) != "")
			require.Equal(t, c.conflict, second.conflict(first) != "")
		})
	}
}

// drawPattern makes a pattern out of few parts, so that two of them often have something in common.
func drawPattern(t *rapid.T) string {
	text := rapid.SampledFrom([]string{"", "", "GET ", "HEAD ", "POST "}).Draw(t, "method")
	text += rapid.SampledFrom([]string{"", "", "", "h", "i"}).Draw(t, "host")
	for i := range rapid.IntRange(0, 3).Draw(t, "depth") {
		part := rapid.SampledFrom([]string{"a", "b", "a%2Fb", "{x}"}).Draw(t, "segment")
		if part == "{x}" {
			part = "{x" + string(rune('0'+i)) + "}"
		}
		text += "/" + part
	}
	ends := []string{"/", "/{$}", "/{z...}", ""}
	if text == "" || text[len(text)-1] == ' ' || text[len(text)-1] == 'h' || text[len(text)-1] == 'i' {
		ends = ends[:3]
	}
	return text + rapid.SampledFrom(ends).Draw(t, "end")
}

func TestPatternsConflictWhereThoseOfTheStandardLibraryDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawPattern(t), drawPattern(t)
		p, err := parsePattern(first)
		require.NoError(t, err)
		q, err := parsePattern(second)
		require.NoError(t, err)
		require.Equal(t, !standardTakes(first, second), p.conflict(q) != "", "%q %q", first, second)
		require.Equal(t, p.conflict(q), q.conflict(p))
	})
}

// standardTakes reports whether a mux of the standard library takes all patterns.
func standardTakes(patterns ...string) (taken bool) {
	defer func() { taken = recover() == nil }()
	mux := http.NewServeMux()
	for _, p := range patterns {
		mux.Handle(p, http.NotFoundHandler())
	}
	return true
}
