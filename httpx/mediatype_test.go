package httpx

import (
	"mime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMediaTypesAreReadWithTheirParameters(t *testing.T) {
	for name, c := range map[string]struct {
		value, essence, param, want string
	}{
		"plain":                      {"text/html", "text/html", "charset", "-"},
		"parameter":                  {"text/html;charset=utf-8", "text/html", "charset", "utf-8"},
		"blanks":                     {"text/html ;\t charset=utf-8 ; a=b ", "text/html", "a", "b"},
		"either case":                {"Text/HTML; Charset=UTF-8", "text/html", "charset", "UTF-8"},
		"quoted":                     {`text/html; charset="utf-8"`, "text/html", "charset", "utf-8"},
		"quoted with escapes":        {`a/b; c="x\"y\\z;d=e"`, "a/b", "c", `x"y\z;d=e`},
		"quoted with nothing":        {`a/b; c=""`, "a/b", "c", ""},
		"octets above ASCII":         {"a/b; c=\"\xe9\"", "a/b", "c", "\xe9"},
		"empty parameters":           {"a/b;;; c=d;", "a/b", "c", "d"},
		"a semicolon within quotes":  {`a/b; x=";c=no"; c=yes`, "a/b", "c", "yes"},
		"sixteen parameters are all": {"a/b" + manyParams(16), "a/b", "p15", "v"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseMediaType([]byte(c.value))
			require.NoError(t, err)
			require.True(t, m.Is(c.essence))
			require.True(t, m.HasType(strings.Split(c.essence, "/")[0]))
			require.True(t, strings.EqualFold(c.essence, m.String()))
			got, ok := m.Param(c.param)
			require.Equal(t, c.want == "-", !ok)
			if ok {
				require.Equal(t, c.want, got)
			}
		})
	}
}

func manyParams(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("; p" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "=v")
	}
	return b.String()
}

func TestMediaTypesOfAnotherGrammarAreRefused(t *testing.T) {
	for _, value := range []string{
		"", "text", "text/", "/html", "text html", "text /html", "text/html/x", "text/html;charset", "text/html;=x",
		"text/html; charset=", `text/html; charset="utf-8`, "text/html; charset=a b", "text/html; charset = utf-8",
		"text/html, text/plain", "text/html;a=b;A=c", `text/html;a="b\`, "text/html;a=\"\x01\"", "a/b" + manyParams(17),
	} {
		_, err := ParseMediaType([]byte(value))
		var refused *Error
		require.ErrorAs(t, err, &refused, value)
		require.Equal(t, 415, refused.Status)
	}
	require.False(t, MediaType{}.Is("text/html"))
}

// FuzzMediaType checks that what is accepted means what the standard library reads.
func FuzzMediaType(f *testing.F) {
	f.Add([]byte(`text/html; charset="utf-8"`))
	f.Add([]byte("multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW"))
	f.Add([]byte(`a/b;;c="\"\\";d=e`))
	f.Fuzz(func(t *testing.T, value []byte) {
		m, err := ParseMediaType(value)
		if err != nil {
			return
		}
		essence, params, err := mime.ParseMediaType(string(value))
		if err != nil || strings.ContainsAny(string(value), `\*`) {
			return // a backslash is often no escape there, and a star joins parameters
		}
		require.True(t, m.Is(essence), "%q", value)
		for name, want := range params {
			got, ok := m.Param(name)
			require.True(t, ok, "%q", value)
			require.Equal(t, want, got, "%q", value)
		}
	})
}
