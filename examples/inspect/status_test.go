package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram makes the test binary run the program itself.
const asProgram = "INSPECT_TEST_AS_PROGRAM"

// program runs inspect as a process and returns what it printed and its status.
func program(t *testing.T, input string, args ...string) (out, problems string, status int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...)
	command.Env = append(os.Environ(), asProgram+"=1")
	command.Stdin = strings.NewReader(input)
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
		status = exit.ExitCode()
	}
	return stdout.String(), stderr.String(), status
}

func TestTheStatusTellsDifferencesFromMistakes(t *testing.T) {
	good := caseFile(t, `[{"id": "a", "kind": "decode", "version": "1.2", "input_utf8": "\n", "expect": {"eols": 1}}]`)
	bad := caseFile(t, `[{"id": "a", "kind": "decode", "version": "1.2", "input_utf8": "\n", "expect": {"eols": 2}}]`)
	for name, c := range map[string]struct {
		args          []string
		input         string
		status        int
		out, problems string
	}{
		"as expected":    {[]string{"-check", good}, "", 0, "1 passed, 0 failed\n", ""},
		"a difference":   {[]string{"-check", bad}, "", 1, "0 passed, 1 failed\n", ""},
		"shown only":     {[]string{bad}, "", 0, `"id":"a"`, ""},
		"no file":        {[]string{"-check", "none.json"}, "", 2, "", "inspect: open none.json"},
		"no arguments":   {nil, "", 2, "", "inspect: one case file is needed"},
		"a flag":         {[]string{"-colour"}, "", 2, "", "not defined: -colour"},
		"a stream":       {[]string{"-codec", "stomp", "-raw"}, "RECEIPT\n\n\x00", 0, `"RECEIPT"`, ""},
		"a refusal":      {[]string{"-codec", "stomp", "-raw"}, "RECEIPT\nx\n\n\x00", 0, `"bad-header"`, ""},
		"half an octet":  {[]string{"-codec", "stomp", "-hex"}, "0", 2, "", "inspect: encoding/hex: odd length"},
		"no codec":       {[]string{"-raw"}, "", 2, "", "inspect: -hex and -raw need -codec"},
		"no such codec":  {[]string{"-codec", "morse", good}, "", 2, "", `inspect: no codec "morse"`},
		"several files":  {[]string{good, bad}, "", 2, "", "inspect: one case file is needed"},
		"a wrong file":   {[]string{"main.go"}, "", 2, "", "inspect: main.go: invalid character"},
		"an empty file":  {[]string{"-check", caseFile(t, "[]")}, "", 0, "0 passed, 0 failed\n", ""},
		"a file of text": {[]string{"-check", caseFile(t, `["case"]`)}, "", 2, "", "case 0: json: cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			out, problems, status := program(t, c.input, c.args...)
			require.Equal(t, c.status, status, problems)
			require.Contains(t, out, c.out)
			require.Contains(t, problems, c.problems)
		})
	}
}

// full takes only so many bytes.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var errFull = errors.New("no room")

func TestWhatCannotBePrintedIsAnError(t *testing.T) {
	path := caseFile(t, `[{"id": "a", "kind": "decode", "version": "1.2", "input_utf8": "\n", "expect": {"eols": 1}}]`)
	for room := range full(30) {
		left := room
		require.ErrorIs(t, run([]string{path}, nil, &left), errFull)
	}
	var none full
	require.ErrorIs(t, run([]string{"-codec", "stomp", "-raw"}, strings.NewReader("\n"), &none), errFull)
	require.ErrorIs(t, run([]string{"-codec", "stomp", "-raw"}, unreadable{}, &none), errFull)
}

// unreadable is an input that fails.
type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { return 0, errFull }
