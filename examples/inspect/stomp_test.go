package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp"
)

// caseCheck runs one case, whatever its codec, and returns where it failed first and how.
func caseCheck(t *testing.T, text string) (where string, problems []string) {
	t.Helper()
	list, err := load(caseFile(t, "["+text+"]"), "")
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0].check()
}

// requireProblems holds each problem against a part of what it must say.
func requireProblems(t *testing.T, want, got []string) {
	t.Helper()
	require.Len(t, got, len(want), "%q", got)
	for i, p := range want {
		require.Contains(t, got[i], p)
	}
}

func TestSTOMPDecodeCasesAreCompared(t *testing.T) {
	const send = `"input_utf8": "SEND\ndestination:/q\nk:v\n\nhi\u0000"`
	const frame = `"command": "SEND", "headers": [["destination", "/q"], ["k", "v"]], "body_hex": "6869"`
	for name, c := range map[string]struct {
		test     string
		problems []string
	}{
		"alike": {send + `, "expect": {"frames": [{` + frame + `}]}`, nil},
		"a command": {
			send + `, "expect": {"frames": [{"command": "MESSAGE", "headers": [["destination", "/q"], ["k", "v"]], "body_hex": "6869"}]}`,
			[]string{`frames[0].command: got "SEND", want "MESSAGE"`},
		},
		"a header": {
			send + `, "expect": {"frames": [{"command": "SEND", "headers": [["destination", "/q"], ["k", "w"]], "body_hex": "6869"}]}`,
			[]string{`frames[0].headers[1][1]: got "v", want "w"`},
		},
		"the order of headers": {
			send + `, "expect": {"frames": [{"command": "SEND", "headers": [["k", "v"], ["destination", "/q"]], "body_hex": "6869"}]}`,
			[]string{
				`frames[0].headers[0][0]: got "destination", want "k"`, `frames[0].headers[0][1]: got "/q", want "v"`,
				`frames[0].headers[1][0]: got "k", want "destination"`, `frames[0].headers[1][1]: got "v", want "/q"`,
			},
		},
		"a body": {
			send + `, "expect": {"frames": [{"command": "SEND", "headers": [["destination", "/q"], ["k", "v"]], "body_hex": ""}]}`,
			[]string{`frames[0].body_hex: got "6869", want ""`},
		},
		"a frame too many":   {send + `, "expect": {}`, []string{`frames: got [{`}},
		"a frame too few":    {send + `, "expect": {"frames": [{` + frame + `}, {` + frame + `}]}`, []string{`frames[1]: got nothing, want {`}},
		"a refusal":          {`"input_utf8": "SENT\n\n\u0000", "expect": {"error": "unknown-command"}`, nil},
		"another refusal":    {`"input_utf8": "SENT\n\n\u0000", "expect": {"error": "bad-header"}`, []string{`error: got "unknown-command", want "bad-header"`}},
		"no refusal":         {`"input_utf8": "SENT\n\n\u0000", "expect": {}`, []string{`error: got "unknown-command", want nothing`}},
		"an unfinished one":  {`"input_utf8": "SEND\ndesti", "expect": {"incomplete": true}`, nil},
		"one that is whole":  {send + `, "expect": {"frames": [{` + frame + `}], "incomplete": true}`, []string{`incomplete: got nothing, want true`}},
		"line ends":          {`"input_utf8": "\n\r\n\n", "expect": {"eols": 3}`, nil},
		"other line ends":    {`"input_utf8": "\n\r\n\n", "expect": {"eols": 4}`, []string{`eols: got 3, want 4`}},
		"line ends or not":   {`"input_utf8": "\n\r\n\n", "expect": {}`, nil},
		"a look-up":          {`"input_utf8": "SEND\nk:1\nk:2\n\n\u0000", "expect": {"frames": [{"command": "SEND", "headers": [["k", "1"], ["k", "2"]], "body_hex": ""}], "get": {"k": "1"}}`, nil},
		"another look-up":    {`"input_utf8": "SEND\nk:1\nk:2\n\n\u0000", "expect": {"frames": [{"command": "SEND", "headers": [["k", "1"], ["k", "2"]], "body_hex": ""}], "get": {"k": "2"}}`, []string{`get.k: got "1", want "2"`}},
		"what others accept": {`"input_utf8": "\n", "expect": {"eols": 2}, "also_accepted": [{"eols": 1}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := caseCheck(t, `{"id": "x", "kind": "decode", "version": "1.2", `+c.test+`}`)
			requireProblems(t, c.problems, problems)
		})
	}
}

func TestSTOMPOptionsReachTheDecoder(t *testing.T) {
	const colon = `"input_utf8": "SEND\na:b:c\n\n\u0000"`
	const lenient = `"expect": {"frames": [{"command": "SEND", "headers": [["a", "b:c"]], "body_hex": ""}]}`
	for name, c := range map[string]struct {
		test  string
		where string // the first way that fails
	}{
		"lenient":              {`"options": {"strict": false}, ` + colon + `, ` + lenient, ""},
		"strict":               {`"options": {"strict": true}, ` + colon + `, "expect": {"error": "colon-in-value"}`, ""},
		"in both modes":        {colon + `, ` + lenient, "whole, strict true, streamed false"},
		"unknown commands":     {`"options": {"allow_unknown": true}, "input_utf8": "HI\n\n\u0000", "expect": {"frames": [{"command": "HI", "headers": [], "body_hex": ""}]}`, ""},
		"lines":                {`"options": {"max_line": 5}, "input_utf8": "SEND\nk:value\n\n\u0000", "expect": {"error": "line-too-long"}`, ""},
		"lines that fit":       {`"options": {"max_line": 7}, "input_utf8": "SEND\nk:value\n\n\u0000", "expect": {"error": "line-too-long"}`, "whole, strict false, streamed false"},
		"headers":              {`"options": {"max_headers": 1}, "input_utf8": "SEND\na:1\nb:2\n\n\u0000", "expect": {"error": "too-many-headers"}`, ""},
		"bodies":               {`"options": {"max_body": 2}, "input_utf8": "SEND\n\nabc\u0000", "expect": {"error": "body-too-large"}`, ""},
		"bodies that fit":      {`"options": {"max_body": 3}, "input_utf8": "SEND\n\nabc\u0000", "expect": {"error": "body-too-large"}`, "whole, strict false, streamed false"},
		"the version: 1.2":     {`"input_utf8": "SEND\nk:a\\rb\n\n\u0000", "expect": {"frames": [{"command": "SEND", "headers": [["k", "a\rb"]], "body_hex": ""}]}`, ""},
		"pieces":               {`"input_chunks_hex": ["53454e440a0a68", "6900"], "expect": {"frames": [{"command": "SEND", "headers": [], "body_hex": "6869"}]}`, ""},
		"pieces that are less": {`"input_chunks_hex": ["53454e440a0a68", "69"], "expect": {"incomplete": true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			where, _ := caseCheck(t, `{"id": "x", "kind": "decode", "version": "1.2", `+c.test+`}`)
			require.Equal(t, c.where, where)
		})
	}
	for version, reason := range map[string]string{"1.0": "", "1.1": "bad-escape"} {
		expect := `{"error": "` + reason + `"}`
		if reason == "" {
			expect = `{"frames": [{"command": "SEND", "headers": [["k", "a\\rb"]], "body_hex": ""}]}`
		}
		_, problems := caseCheck(t, `{"id": "x", "kind": "decode", "version": "`+version+`", "input_utf8": "SEND\nk:a\\rb\n\n\u0000", "expect": `+expect+`}`)
		require.Empty(t, problems, version)
	}
}

func TestSTOMPEncodeCasesAreCompared(t *testing.T) {
	const frame = `"frame": {"command": "SEND", "headers": [["k", "a:b"]], "body_hex": "6869"}`
	for name, c := range map[string]struct {
		test     string
		problems []string
	}{
		"octets":       {frame + `, "expect": {"output_hex": "53454e440a6b3a615c63620a0a686900"}`, nil},
		"other octets": {frame + `, "expect": {"output_hex": "53"}`, []string{`output_hex: got "53454e440a6b3a615c63620a0a686900", want "53"`}},
		"a text beside them": {
			frame + `, "expect": {"output_hex": "53454e440a6b3a615c63620a0a686900", "output_utf8": "SEND"}`,
			[]string{`output_utf8: got "SEND\nk:a\\cb\n\nhi\u0000", want "SEND"`},
		},
		"a length": {
			frame + `, "options": {"auto_content_length": true}, "expect": {"output_hex": "53454e440a6b3a615c63620a636f6e74656e742d6c656e6774683a320a0a686900"}`, nil,
		},
		"a refusal": {
			`"frame": {"command": "BEGIN", "headers": [], "body_hex": "78"}, "expect": {"error": "body-not-allowed"}`, nil,
		},
		"another refusal": {
			`"frame": {"command": "BEGIN", "headers": [], "body_hex": "78"}, "expect": {"error": "unencodable-header"}`,
			[]string{`error: got "body-not-allowed", want "unencodable-header"`},
		},
		"octets in spite of a refusal": {
			frame + `, "expect": {"error": "body-not-allowed"}`, []string{`error: got nothing`, `output_hex: got "53`},
		},
		"a body that is not hex": {`"frame": {"command": "SEND", "headers": [], "body_hex": "zz"}, "expect": {}`, []string{`invalid byte`}},
		"no frame":               {`"expect": {}`, []string{`unknown field "version"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := caseCheck(t, `{"id": "x", "kind": "encode", "version": "1.2", `+c.test+`}`)
			requireProblems(t, c.problems, problems)
		})
	}
}

func TestHeartBeatsAreNegotiatedAsTheCaseSays(t *testing.T) {
	for name, c := range map[string]struct {
		client, server, expect string
		problems               []string
	}{
		"both":            {`"100,200"`, `"300,400"`, `{"client_to_server_ms": 400, "server_to_client_ms": 300}`, nil},
		"a missing one":   {`null`, `"300,400"`, `{"client_to_server_ms": 0, "server_to_client_ms": 0}`, nil},
		"a difference":    {`"100,200"`, `"300,400"`, `{"client_to_server_ms": 1, "server_to_client_ms": 300}`, []string{`client_to_server_ms: got 400, want 1`}},
		"no numbers":      {`"a,b"`, `"300,400"`, `{}`, []string{`heart-beat`}},
		"no numbers here": {`"1,2"`, `"x"`, `{}`, []string{`heart-beat`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := caseCheck(t, fmt.Sprintf(`{"id": "x", "kind": "session", "role": "negotiate", "version": "1.2",
				"options": {"client_heart_beat": %s, "server_heart_beat": %s}, "expect": %s}`, c.client, c.server, c.expect))
			requireProblems(t, c.problems, problems)
		})
	}
}

func TestReasonsAreTheWordsOfTheCodec(t *testing.T) {
	require.Equal(t, "bad-escape", stompReason(&stomp.Error{Reason: stomp.ErrBadEscape}))
	require.Equal(t, "bad-escape", stompReason(fmt.Errorf("outside: %w", &stomp.Error{Reason: stomp.ErrBadEscape})))
	require.Equal(t, "something else", stompReason(errors.New("something else")))
}
