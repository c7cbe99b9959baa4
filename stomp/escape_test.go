package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEscapesByVersion(t *testing.T) {
	tests := []struct {
		name, text     string
		want11, want12 string // "!" = refused
	}{
		{"nothing", "plain", "plain", "plain"},
		{"empty", "", "", ""},
		{"colon", `a\cb`, "a:b", "a:b"},
		{"line feed", `\n\n`, "\n\n", "\n\n"},
		{"backslash", `\\n`, `\n`, `\n`},
		{"carriage return is of 1.2 only", `a\rb`, "!", "a\rb"},
		{"undefined letter", `a\tb`, "!", "!"},
		{"upper case", `\N`, "!", "!"},
		{"dangling", `abc\`, "!", "!"},
		{"dangling behind a pair", `abc\\\`, "!", "!"},
		{"not UTF-8", "\xff\\c\xfe", "\xff:\xfe", "\xff:\xfe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for e, want := range map[escapes]string{escapes11: tt.want11, escapes12: tt.want12} {
				require.Equal(t, want != "!", e.valid([]byte(tt.text)))
				if want != "!" {
					text := []byte(tt.text)
					require.Equal(t, want, string(text[:e.unescape(text)]))
				}
			}
		})
	}
}
