package httpx

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func cookiePairs(r *Request) (list []string) {
	for name, value := range r.Cookies() {
		list = append(list, string(name)+"="+string(value))
	}
	return list
}

func TestCookiesAreReadInOrder(t *testing.T) {
	for line, want := range map[string][]string{
		"a=b":                    {"a=b"},
		"a=b; c=d":               {"a=b", "c=d"},
		"a=1; a=2":               {"a=1", "a=2"},
		"a=b;c=d ;\te=f":         {"a=b", "c=d", "e=f"},
		"a=":                     {"a="},
		"a=b=c":                  {"a=b=c"},
		`a="b"`:                  {"a=b"},
		`a=""`:                   {"a="},
		"a=b c,d":                {"a=b c,d"},
		"a=\xe4":                 {"a=\xe4"},
		";; a=b;":                {"a=b"},
		"a; =b; c=d":             {"c=d"},
		"a b=c; d=e":             {"d=e"},
		`a="b; c=d`:              {"c=d"},
		`a=b\; c=d`:              {"c=d"},
		"$Version=1; a=b":        {"$Version=1", "a=b"},
		"A=1; a=2":               {"A=1", "a=2"},
		"a=" + `"b"c"` + "; d=e": {"d=e"},
		"a=\"; d=e":              {"d=e"},
	} {
		t.Run(line, func(t *testing.T) {
			r := decodeHead(t, getWith("Cookie: "+line))
			defer r.Release()
			require.Equal(t, want, cookiePairs(r))
		})
	}
}

func TestCookiesAreFoundByName(t *testing.T) {
	r := decodeHead(t, getWith("Cookie: a=1; b=2", "Accept: x", "cookie: a=3; c=4"))
	defer r.Release()
	require.Equal(t, []string{"a=1", "b=2", "a=3", "c=4"}, cookiePairs(r))
	require.Equal(t, "1", string(r.Cookie("a")))
	require.Equal(t, "4", string(r.Cookie("c")))
	require.Nil(t, r.Cookie("A"))
	none := decodeHead(t, getWith())
	defer none.Release()
	require.Nil(t, none.Cookie("a"))
}

// FuzzCookies checks that the standard library finds the same cookies, or passes over more of them.
func FuzzCookies(f *testing.F) {
	f.Add("a=b; c=d")
	f.Add(`a="b"; c=d e,f; =g; h`)
	f.Fuzz(func(t *testing.T, line string) {
		if !validValue(line) {
			return
		}
		r := &Request{}
		require.NoError(t, r.Header.Add("Cookie", line))
		ours := cookiePairs(r)
		var named []string // a name alone is a cookie there, and blanks around either part mean nothing
		for pair := range strings.SplitSeq(strings.Trim(line, " \t"), ";") {
			name, value, ok := strings.Cut(strings.Trim(pair, " \t"), "=")
			if ok && strings.Trim(name, " \t") == name && strings.Trim(value, " \t") == value {
				named = append(named, pair)
			}
		}
		theirs := (&http.Request{Header: http.Header{"Cookie": {strings.Join(named, ";")}}}).Cookies()
		at := 0
		for _, c := range theirs {
			want := c.Name + "=" + c.Value
			for at < len(ours) && ours[at] != want {
				at++
			}
			require.Less(t, at, len(ours), "%q not found in %q", want, line)
			at++
		}
	})
}
