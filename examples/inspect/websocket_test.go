package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWebSocketCasesAreCompared(t *testing.T) {
	const hello = `"kind": "ws-frame", "role": "server", "input_hex": "818537fa213d7f9f4d5158"`
	for name, c := range map[string]struct {
		test     string
		problems []string
	}{
		"alike": {`{` + hello + `, "expect": {"messages": [{"type": "text", "payload_hex": "48656c6c6f"}]}}`, nil},
		"another type": {
			`{` + hello + `, "expect": {"messages": [{"type": "binary", "payload_hex": "48656c6c6f"}]}}`,
			[]string{`messages[0].type: got "text", want "binary"`},
		},
		"a code": {
			`{"kind": "ws-frame", "role": "client", "input_hex": "880203e8", "expect": {"messages": [{"type": "close", "payload_hex": "", "code": 1001}]}}`,
			[]string{`messages[0].code: got 1000, want 1001`},
		},
		"another side": {
			`{"kind": "ws-frame", "role": "client", "input_hex": "818537fa213d7f9f4d5158", "expect": {"messages": []}}`,
			[]string{`error: got {"reason":`},
		},
		"an unfinished frame": {
			`{"kind": "ws-frame", "role": "client", "input_hex": "8a0548", "eof": true, "expect": {"messages": [], "error": {"status": 1000, "reason": ""}}}`,
			[]string{`error.status: got nothing, want 1000`},
		},
		"pongs": {`{"kind": "ws-frame", "role": "client", "input_hex": "8a0141", "expect": {"messages": [{"type": "pong", "payload_hex": "41"}]}}`, nil},
		"an unknown role": {
			`{"kind": "ws-frame", "role": "spy", "input_hex": "00", "expect": {"messages": []}}`, []string{`unknown role "spy"`},
		},
		"an unknown extension": {
			`{"kind": "ws-frame", "role": "client", "extensions": "x", "input_hex": "00", "expect": {"messages": []}}`,
			[]string{`unknown extension "x"`},
		},
		"octets that are written": {
			`{"kind": "encode", "message": {"type": "ws", "role": "server", "opcode": 9, "payload_utf8": "A"}, "expect": {"output_hex": "8901"}}`,
			[]string{`output_hex: got "890141", want "8901"`},
		},
		"a pong": {
			`{"kind": "encode", "message": {"type": "ws", "role": "server", "opcode": 10}, "expect": {"output_hex": "8a00"}}`, nil,
		},
		"an unknown opcode": {
			`{"kind": "encode", "message": {"type": "ws", "role": "server", "opcode": 3}, "expect": {}}`, []string{`unknown opcode 3`},
		},
		"masks": {
			`{"kind": "encode", "message": {"type": "ws", "role": "client", "opcode": 1}, "expect": {}}`, []string{`unknown role "client"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			problems := httpCheck(t, c.test)
			require.Len(t, problems, len(c.problems))
			for i, p := range c.problems {
				require.Contains(t, problems[i], p)
			}
		})
	}
}
