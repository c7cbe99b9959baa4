package nethttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

func TestCanonicalNamesAreThoseOfNetHTTP(t *testing.T) {
	for name := range usualNames {
		require.Equal(t, http.CanonicalHeaderKey(name), canonical([]byte(name)))
		require.Equal(t, http.CanonicalHeaderKey(name), canonical([]byte(strings.ToUpper(name))))
	}
	require.Equal(t, "X-My-Own", canonical([]byte("x-mY-own")))
}

func TestFieldsCannotInject(t *testing.T) {
	for name, c := range map[string]struct {
		in   http.Header
		want string
	}{
		"line breaks in values":  {http.Header{"A": {"1\r\nB: 2", "3\nC: 4", "\x00"}}, "A: 1  B: 2\r\nA: 3 C: 4\r\nA: \r\n"},
		"line breaks in names":   {http.Header{"A\r\nB": {"1"}, "C": {"2"}}, "C: 2\r\n"},
		"names that are none":    {http.Header{"": {"1"}, "A B": {"2"}, "é": {"3"}}, ""},
		"tabs and UTF-8 go":      {http.Header{"A": {"a\tb", "ü"}}, "A: a\tb\r\nA: ü\r\n"},
		"in the order of names":  {http.Header{"C": {"1"}, "A": {"2"}, "B": nil, "b": {"3"}}, "A: 2\r\nC: 1\r\nb: 3\r\n"},
		"what is to be left out": {http.Header{"Skip": {"1"}, "A": {"2"}}, "A: 2\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var h httpx.Header
			addFields(&h, c.in, func(name string) bool { return name == "Skip" })
			var got strings.Builder
			for name, value := range h.All() {
				got.WriteString(string(name) + ": " + string(value) + "\r\n")
			}
			require.Equal(t, c.want, got.String())
		})
	}
}

func TestElementsOfLists(t *testing.T) {
	var got []string
	for e := range elements([]string{"a, b", "", " ,c\t,", "d"}) {
		got = append(got, e)
	}
	require.Equal(t, []string{"a", "b", "c", "d"}, got)
	require.True(t, hasToken([]string{"keep-alive", "x, CLOSE"}, "close"))
	require.False(t, hasToken([]string{"closed"}, "close"))
}
