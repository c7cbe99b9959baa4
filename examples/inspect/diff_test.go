package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiffNamesThePlace(t *testing.T) {
	for name, c := range map[string]struct {
		want, got string
		lines     []string
	}{
		"alike":                   {`{"a": [1, "x", true, null]}`, `{"a": [1, "x", true, null]}`, nil},
		"no list, an empty list":  {`{"a": []}`, `{}`, nil},
		"an empty list, no list":  {`{}`, `{"a": []}`, nil},
		"text":                    {`{"a": {"b": "x"}}`, `{"a": {"b": "y"}}`, []string{`a.b: got "y", want "x"`}},
		"large numbers":           {`[9007199254740993]`, `[9007199254740992]`, []string{`[0]: got 9007199254740992, want 9007199254740993`}},
		"another type":            {`{"a": "1"}`, `{"a": 1}`, []string{`a: got 1, want "1"`}},
		"a list instead of a map": {`{"a": {}}`, `{"a": []}`, []string{`a: got [], want {}`}},
		"missing":                 {`{"a": [1, 2]}`, `{"a": [1]}`, []string{`a[1]: got nothing, want 2`}},
		"too many":                {`{"a": [1]}`, `{"a": [1, {"b": 2}]}`, []string{`a[1]: got {"b":2}, want nothing`}},
		"several": {
			`{"a": 1, "b": [[1, 2]]}`, `{"c": false, "b": [[3, 2]]}`,
			[]string{`a: got nothing, want 1`, `b[0][0]: got 3, want 1`, `c: got false, want nothing`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := diff(json.RawMessage(c.want), json.RawMessage(c.got))
			require.NoError(t, err)
			require.Equal(t, c.lines, lines)
		})
	}
}

func TestDiffCutsLongTexts(t *testing.T) {
	lines, err := diff(strings.Repeat("ä", 1000), "")
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Less(t, len(lines[0]), 200)
	require.Contains(t, lines[0], "… (2002 bytes)")
}
