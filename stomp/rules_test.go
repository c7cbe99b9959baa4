package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRulesByVersionAndCommand(t *testing.T) {
	for v, want := range map[Version]rules{
		VersionUnknown: {escapes: escapesNone, crlf: true},
		Version10:      {escapes: escapesNone, crlf: false},
		Version11:      {escapes: escapes11, crlf: false},
		Version12:      {escapes: escapes12, crlf: true},
		Version(200):   {escapes: escapesNone, crlf: true},
	} {
		got := rulesFor(v, CommandSend)
		require.Equal(t, want.escapes, got.escapes, v)
		require.Equal(t, want.crlf, got.crlf, v)
		for _, c := range []Command{CommandConnect, CommandStomp, CommandConnected} {
			require.Same(t, rulesFor(VersionUnknown, c), rulesFor(v, c))
		}
	}
}

func TestAlphabetWritesEachOctet(t *testing.T) {
	tests := []struct {
		name    string
		version Version
		command Command
		header  string // name
		value   string
		want    string // "" = refused
	}{
		{"1.2 escapes four", Version12, CommandSend, "a:\\\n\r", "a:\\\n\r", `a\c\\\n\r:a\c\\\n\r`},
		{"1.1 leaves CR", Version11, CommandSend, "a:\r", "\r\n", "a\\c\r:\r\\n"},
		{"1.0 leaves colons in values", Version10, CommandSend, "when", "12:30\\n\r", "when:12:30\\n\r"},
		{"1.0 refuses a colon in a name", Version10, CommandSend, "a:b", "1", ""},
		{"1.0 refuses LF in a value", Version10, CommandSend, "a", "1\n2", ""},
		{"1.0 refuses LF in a name", Version10, CommandSend, "a\nb", "1", ""},
		{"CONNECT leaves backslashes and colons", Version12, CommandConnect, "p\\", "a:b\\c", "p\\:a:b\\c"},
		{"CONNECT refuses CR", Version11, CommandConnect, "p", "a\r", ""},
		{"STOMP refuses LF", Version12, CommandStomp, "p", "a\nadmin:true", ""},
		{"CONNECTED refuses a colon in a name", Version12, CommandConnected, "p:q", "a", ""},
		{"unknown version refuses CR", VersionUnknown, CommandError, "message", "a\r", ""},
		{"NUL is refused in 1.2", Version12, CommandSend, "a", "b\x00", ""},
		{"NUL is refused in 1.0", Version10, CommandSend, "a\x00", "b", ""},
		{"NUL is refused in CONNECT", Version12, CommandConnect, "a", "b\x00", ""},
		{"empty names are refused", Version12, CommandSend, "", "b", ""},
		{"empty values are written", Version12, CommandSend, "a", "", "a:"},
		{"long plain text", Version12, CommandSend, "abcdefghijklmnopqrstuvwxyz", "/queue/0123456789", "abcdefghijklmnopqrstuvwxyz:/queue/0123456789"},
		{"special octet in the tail", Version12, CommandSend, "abcdefghijklm:", "/queue/01\n", `abcdefghijklm\c:/queue/01\n`},
		{"UTF-8 is left alone", Version12, CommandSend, "emoji", "\U0001F680 \u2655", "emoji:\U0001F680 \u2655"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFrame(tt.command, tt.header, tt.value)
			defer f.Release()
			got, err := encodeTo(t, &Encoder{State: &State{Version: tt.version}}, f)
			if tt.want == "" {
				require.ErrorIs(t, err, ErrUnencodable)
				return
			}
			require.NoError(t, err)
			require.Equal(t, string(tt.command)+"\n"+tt.want+"\n\n\x00", got)
		})
	}
}

func TestAlphabetPutNeverRunsOver(t *testing.T) {
	const text = "0123456:89abcdef\\ghij\n"
	for n := range len(text) + 1 {
		s := text[:n]
		more, ok := letters[escapes12].escapes(s)
		require.True(t, ok)
		dst := make([]byte, n+more, n+more+20)
		require.Equal(t, n+more, letters[escapes12].put(dst, s))
		require.Equal(t, strings.NewReplacer(":", `\c`, `\`, `\\`, "\n", `\n`).Replace(s), string(dst))
		require.Equal(t, make([]byte, 20), dst[n+more:cap(dst)], "wrote behind its room")
	}
}
