package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

// httpCheck runs one case.
func httpCheck(t *testing.T, test string) []string {
	t.Helper()
	list, err := load(caseFile(t, "["+test+"]"), "")
	require.NoError(t, err)
	_, problems := list[0].check()
	return problems
}

func TestHTTPCasesAreCompared(t *testing.T) {
	const get = `"kind": "request", "input_utf8": "GET / HTTP/1.1\r\nHost: a\r\n\r\n"`
	const message = `"method": "GET", "target": "/", "version": "HTTP/1.1", "headers": [["Host", "a"]], "body_hex": "", "trailers": []`
	const bad = `"kind": "request", "input_utf8": "GET\r\n"`
	for name, c := range map[string]struct {
		test     string
		problems []string
	}{
		"alike": {`{` + get + `, "expect": {"messages": [{` + message + `, "keep_alive": true}]}}`, nil},
		"keep alive": {
			`{` + get + `, "expect": {"messages": [{` + message + `, "keep_alive": false}]}}`,
			[]string{"messages[0].keep_alive: got true, want false"},
		},
		"a flag that the case does not have": {
			`{` + get + `, "expect": {"messages": [{` + message + `, "keep_alive": true, "upgrade": true}]}}`,
			[]string{"messages[0].upgrade: got nothing, want true"},
		},
		"a message that nobody expects": {`{` + get + `, "expect": {"messages": []}}`, []string{"messages[0]: got {"}},
		"a status, whatever the reason": {`{` + bad + `, "expect": {"messages": [], "error": {"status": 400, "reason": "?"}}}`, nil},
		"another status": {
			`{` + bad + `, "expect": {"messages": [], "error": {"status": 500, "reason": "?"}}}`,
			[]string{"error.status: got 400, want 500"},
		},
		"a refusal that nobody expects": {`{` + bad + `, "expect": {"messages": []}}`, []string{"error: got {"}},
		"a refusal that does not come":  {`{` + get + `, "expect": {"messages": [{` + message + `, "keep_alive": true}], "error": {"status": null, "reason": "?"}}}`, []string{"error: got nothing, want {"}},
		"octets left": {
			`{"kind": "request", "input_utf8": "GET", "expect": {"messages": []}}`,
			[]string{`leftover_hex: got "474554", want nothing`},
		},
		"input that is not dropped": {
			`{` + get + `, "expect": {"messages": [{` + message + `, "keep_alive": true}], "discarded": true}}`,
			[]string{"discarded: got nothing, want true"},
		},
		"no WebSocket": {
			`{` + get + `, "expect": {"messages": [{` + message + `, "keep_alive": true}], "sec_websocket_accept": "x"}}`,
			[]string{`sec_websocket_accept: got nothing, want "x"`},
		},
		"octets that are written": {
			`{"kind": "encode", "message": {"type": "response", "status": 204}, "expect": {"output_hex": "00"}}`,
			[]string{`output_hex: got "485454502f312e3120323034204e6f20436f6e74656e740d0a0d0a", want "00"`},
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

func TestPiecesWithoutAHeadAreAFault(t *testing.T) {
	var j joiner
	require.ErrorIs(t, j.add(httpx.EmptyLast), errBroken)
	require.NoError(t, j.add(&httpx.Request{Length: 3}))
	require.ErrorIs(t, j.add(&httpx.Request{}), errBroken)
	require.ErrorIs(t, j.add("text"), errBroken)
	require.Empty(t, j.messages)
	require.NoError(t, j.add(httpx.EmptyLast))
	require.Len(t, j.messages, 1)
}

func TestTrailersThatAreRefusedAreARefusal(t *testing.T) {
	require.Empty(t, httpCheck(t, `{"kind": "encode", "expect": {"error": {"status": null, "reason": "bad field name"}}, "message":
		{"type": "response", "status": 200, "headers": [["Transfer-Encoding", "chunked"]], "content": ["x"], "trailers": [["a b", "c"]]}}`))
}
