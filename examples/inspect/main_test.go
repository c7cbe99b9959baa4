package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

const (
	stompCases = "../../stomp/testdata/stomp.json"
	httpCases  = "../../httpx/testdata/http.json"
)

// command runs inspect and returns what it prints.
func command(input string, args ...string) (string, error) {
	var out strings.Builder
	err := run(args, strings.NewReader(input), &out)
	return out.String(), err
}

// caseFile writes a case file for the length of the test.
func caseFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cases.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestAllCasesComeOutAsExpected(t *testing.T) {
	for path, number := range map[string]int{stompCases: 82, httpCases: 180} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			list, err := load(path, "")
			require.NoError(t, err)
			require.Len(t, list, number)
			for _, tc := range list {
				if buffer.Debug { // checked bytes are slow: a tenth of the cuts will do
					tc.ways = slices.DeleteFunc(tc.ways, func(w way) bool {
						return strings.HasPrefix(w.name, "random cuts ") && !strings.HasPrefix(w.name, "random cuts 7")
					})
				}
				where, problems := tc.check()
				require.Empty(t, problems, "%s, %s", tc.id, where)
			}
		})
	}
}

func TestCheckEndsWithTotals(t *testing.T) {
	const good = `{"id": "good", "kind": "decode", "version": "1.2", "input_utf8": "\n", "expect": {"eols": 1}}`
	const bad = `{"id": "bad", "kind": "decode", "version": "1.2", "input_utf8": "\n", "expect": {"eols": 2}}`
	out, err := command("", "-check", caseFile(t, "["+good+"]"))
	require.NoError(t, err)
	require.Equal(t, "1 passed, 0 failed\n", out)
	out, err = command("", "-check", caseFile(t, "["+good+","+bad+"]"))
	require.ErrorIs(t, err, errDiffers)
	require.Equal(t, "bad (whole, strict false, streamed false)\n    eols: got 1, want 2\n1 passed, 1 failed\n", out)
}

func TestShowPrintsWhatEachCaseDelivers(t *testing.T) {
	out, err := command("", stompCases)
	require.NoError(t, err)
	var all []struct {
		ID  string
		Got map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Len(t, all, 82)
	require.Equal(t, "008-length-too-small", all[7].ID)
	require.Equal(t, map[string]any{"error": "missing-nul", "eols": 0.0}, all[7].Got)
}

func TestShowSaysWhyACaseCannotRun(t *testing.T) {
	out, err := command("", caseFile(t, `[{"id": "x", "kind": "guess"}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"id": "x", "error": "no codec knows kind \"guess\""}]`, out)
}

func TestStreamsComeFromStandardInput(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		input string
		want  string
	}{
		"raw": {
			[]string{"-codec", "stomp", "-raw"},
			"SEND\nk:v\n\nhello\x00\n",
			`{"frames": [{"command": "SEND", "headers": [["k", "v"]], "body_hex": "68656c6c6f"}], "eols": 1}`,
		},
		"hex digits with spaces and line ends": {
			[]string{"-codec", "stomp", "-hex"},
			"0a 0d0\na\n",
			`{"eols": 2}`,
		},
		"an end in the middle": {
			[]string{"-codec", "stomp", "-raw", "-eof"},
			"SEND\n",
			`{"error": "truncated", "eols": 0}`,
		},
		"requests": {
			[]string{"-codec", "http-request", "-raw"},
			"GET / HTTP/1.0\r\n\r\n",
			`{"messages": [{"method": "GET", "target": "/", "version": "HTTP/1.0", "headers": [], "body_hex": "", "trailers": [],
				"keep_alive": false}]}`,
		},
		"responses until the end": {
			[]string{"-codec", "http-response", "-raw", "-eof"},
			"HTTP/1.1 200 Fine\r\n\r\nhi",
			`{"messages": [{"status": 200, "reason": "Fine", "version": "HTTP/1.1", "headers": [], "body_hex": "6869", "trailers": [],
				"keep_alive": false}]}`,
		},
		"a refusal": {
			[]string{"-codec", "http-request", "-raw"},
			"GET  / HTTP/1.1\r\n",
			`{"messages": [], "error": {"status": 400, "reason": "bad request line"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := command(c.input, c.args...)
			require.NoError(t, err)
			require.JSONEq(t, c.want, out)
		})
	}
}

func TestMisuseIsAnError(t *testing.T) {
	for name, args := range map[string][]string{
		"no file":              {},
		"two files":            {"a", "b"},
		"a file that is not":   {"none.json"},
		"a file that is wrong": {"main.go"},
		"an unknown codec":     {"-codec", "morse", stompCases},
		"a stream of what":     {"-raw"},
		"not hex":              {"-codec", "stomp", "-hex"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := command("xy", args...)
			require.Error(t, err)
			require.NotErrorIs(t, err, errDiffers)
		})
	}
}
