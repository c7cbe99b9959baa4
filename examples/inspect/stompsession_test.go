package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// stompCheck runs one session case of two frames from the server, on A.
func stompCheck(t *testing.T, options, expect string) []string {
	t.Helper()
	list, err := load(caseFile(t, fmt.Sprintf(`[{"id": "x", "kind": "session", "role": "server", "version": "1.2", "options": {%s},
		"input_steps": [{"conn": "A", "utf8": "CONNECT\naccept-version:1.2\nhost:h\n\n\u0000"},
			{"conn": "A", "utf8": "SUBSCRIBE\nid:7\ndestination:/a\nreceipt:r\n\n\u0000"},
			{"conn": "A", "utf8": "SEND\ndestination:/a\nreceipt:s\n\nhi\u0000"}],
		"expect": %s}]`, options, expect)), "")
	require.NoError(t, err)
	_, problems := list[0].check()
	return problems
}

func TestSessionsAreComparedAsFarAsTheCaseSays(t *testing.T) {
	const connected = `{"conn": "A", "command": "CONNECTED", "headers": []}`
	const receipt = `{"conn": "A", "command": "RECEIPT", "headers": [["receipt-id", "r"]]}`
	const message = `{"conn": "A", "command": "MESSAGE", "headers": [["destination", {"contains_all": ["/", "a"]}]],
		"body_hex": "6869", "require": ["message-id"]}`
	const sent = `{"conn": "A", "command": "RECEIPT", "headers": [["receipt-id", "s"]]}`
	for name, c := range map[string]struct {
		options, expect string
		problems        []string
	}{
		"the frames listed": {"", `{"frames": [` + connected + `,` + receipt + `], "closed": false}`, nil},
		"all frames": {
			"", `{"frames": [` + connected + `,` + receipt + `,` + sent + `,` + message + `], "closed": false, "no_more_frames": true}`, nil,
		},
		"receipts anywhere": {
			`"receipt_order": "any"`, `{"frames": [` + connected + `,` + message + `,` + receipt + `], "closed": false}`, nil,
		},
		"a header": {
			"", `{"frames": [{"conn": "A", "command": "CONNECTED", "headers": [["version", "1.1"]]}], "closed": false}`,
			[]string{`frames[0].headers[0][1]: got "1.2", want "1.1"`},
		},
		"a header that is missing": {
			"", `{"frames": [{"conn": "A", "command": "CONNECTED", "headers": [], "require": ["x"]}], "closed": false}`,
			[]string{`frames[0].require: got nothing, want ["x"]`},
		},
		"a text that is missing": {
			"", `{"frames": [{"conn": "A", "command": "CONNECTED", "headers": [["version", {"contains_all": ["1.2", "1.1"]}]]}], "closed": false}`,
			[]string{`frames[0].headers[0][1]: got "1.2", want {"contains_all":["1.2","1.1"]}`},
		},
		"an old version": {
			"", `{"frames": [` + connected + `], "closed": false, "version_header": "absent or 1.0"}`,
			[]string{`frames[0].headers[0]: got ["version","1.2"], want nothing`},
		},
		"a frame too many": {
			"", `{"frames": [` + connected + `,` + receipt + `,` + sent + `], "closed": false, "no_more_frames": true}`,
			[]string{`frames[3]: got `},
		},
		"an end": {"", `{"frames": [], "closed": true}`, []string{`closed: got false, want true`}},
	} {
		t.Run(name, func(t *testing.T) {
			problems := stompCheck(t, c.options, c.expect)
			require.Len(t, problems, len(c.problems))
			for i, p := range c.problems {
				require.Contains(t, problems[i], p)
			}
		})
	}
}
