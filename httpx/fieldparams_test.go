package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFieldParamsAreFoundInOrder(t *testing.T) {
	p := fieldParams(` ;a=1 ; B="2;\"x\"" ;; c=` + "\"\xe9\"" + `; d=!#$`)
	require.True(t, p.valid())
	for name, want := range map[string]string{"a": "1", "b": `2;"x"`, "c": "\xe9", "d": "!#$"} {
		got, found := p.get(name)
		require.True(t, found, name)
		require.Equal(t, want, got)
	}
	raw, found := p.raw("B")
	require.True(t, found)
	require.Equal(t, `"2;\"x\""`, string(raw))
	_, found = p.get("e")
	require.False(t, found)
}

func TestFieldParamsOfAnotherGrammarAreNotValid(t *testing.T) {
	for _, text := range []string{
		"x", ";a", ";a=", ";=1", `;a="`, `;a="\`, ";a=1 2", ";a=1,b=2", ";a= 1", ";a=1;a=2", ";a=1;A=2", ";a=\"\x00\"", "; a=\x7f", "a=1",
	} {
		require.False(t, fieldParams(text).valid(), text)
		_, found := fieldParams(text).get("zz")
		require.False(t, found, text)
	}
	for _, text := range []string{"", " ", ";", " ; ;\t"} {
		require.True(t, fieldParams(text).valid(), text)
	}
}

func TestQuotesAndEscapesAreUndone(t *testing.T) {
	for raw, want := range map[string]string{
		``: ``, `a`: `a`, `"`: `"`, `""`: ``, `"a"`: `a`, `"a\"b"`: `a"b`, `"\\"`: `\`, `"\a\b"`: `ab`,
	} {
		require.Equal(t, want, string(unquote([]byte(raw))), raw)
	}
}
