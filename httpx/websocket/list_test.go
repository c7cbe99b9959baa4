package websocket

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func fieldLines(lines ...string) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for _, l := range lines {
			if !yield([]byte(l)) {
				return
			}
		}
	}
}

func TestTokenCharactersAreThoseOfTheRFC(t *testing.T) {
	for c := range 256 {
		want := c < 0x80 && (strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) ||
			c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
		require.Equal(t, want, isTokenChar(byte(c)), "%q", c)
	}
	require.False(t, isToken(""))
	require.True(t, isToken("v12.stomp"))
	require.False(t, isToken("v12 stomp"))
}

func TestTokensOfListsInSeveralLines(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		want  []string
		bad   bool
	}{
		{nil, nil, false},
		{[]string{""}, nil, false},
		{[]string{"a"}, []string{"a"}, false},
		{[]string{"a, b,c ,d"}, []string{"a", "b", "c", "d"}, false},
		{[]string{",, a ,\t, b,"}, []string{"a", "b"}, false},
		{[]string{"a", "", "b, c"}, []string{"a", "b", "c"}, false},
		{[]string{"a b"}, nil, true},
		{[]string{"a, \"b\""}, []string{"a"}, true},
		{[]string{"a;b"}, nil, true},
		{[]string{"\xff"}, nil, true},
	} {
		var got []string
		good := true
		for token, ok := range tokens(fieldLines(tt.lines...)) {
			if good = ok; ok {
				got = append(got, token)
			}
		}
		require.Equal(t, tt.want, got, "%q", tt.lines)
		require.Equal(t, !tt.bad, good, "%q", tt.lines)
	}
}

func TestExtensionsFollowTheGrammar(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []extension
		bad  bool
	}{
		{"", nil, false},
		{"a", []extension{{name: "a"}}, false},
		{" a ;  b ; c = d;e=\"f\" , , g", []extension{
			{"a", []param{{name: "b"}, {"c", "d", true}, {"e", "f", true}}}, {name: "g"},
		}, false},
		{"a; b=\"c\\d\"", []extension{{"a", []param{{"b", "cd", true}}}}, false},
		{"a; ", nil, true},
		{"a; =b", nil, true},
		{"a; b=", nil, true},
		{"a; b=\"\"", nil, true},
		{"a; b=\"c d\"", nil, true},
		{"a; b=\"c", nil, true},
		{"a; b=\"c\\", nil, true},
		{"a; b=c d", nil, true},
		{"a b", nil, true},
		{";a", nil, true},
		{"\"a\"", nil, true},
		{"a" + strings.Repeat("; b", maxParams), []extension{{"a", slices.Repeat([]param{{name: "b"}}, maxParams)}}, false},
		{"a" + strings.Repeat("; b", maxParams+1), nil, true},
	} {
		got, ok := parseExtensions(fieldLines(tt.line))
		require.Equal(t, !tt.bad, ok, "%q", tt.line)
		require.Equal(t, tt.want, got, "%q", tt.line)
	}
	got, ok := parseExtensions(fieldLines("a", "b, c"))
	require.True(t, ok)
	require.Len(t, got, 3)
}

func FuzzExtensions(f *testing.F) {
	for _, s := range []string{"permessage-deflate; client_max_window_bits", "a; b=\"c\", d;e", "x;y=\"\\\"\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		list, ok := parseExtensions(fieldLines(line))
		if !ok {
			require.Nil(t, list)
			return
		}
		var again strings.Builder
		for _, e := range list {
			require.True(t, isToken(e.name))
			again.WriteString(e.name)
			for _, p := range e.params {
				again.WriteString("; " + p.name)
				require.True(t, isToken(p.name))
				require.Equal(t, p.hasValue, p.value != "")
				if p.hasValue {
					require.True(t, isToken(p.value))
					again.WriteString("=" + p.value)
				}
			}
			again.WriteString(", ")
		}
		same, ok := parseExtensions(fieldLines(again.String()))
		require.True(t, ok)
		require.Equal(t, list, same)
	})
}
