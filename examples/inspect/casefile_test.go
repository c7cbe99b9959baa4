package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsNotKnownFails: nothing in a case file is skipped.
func TestWhatIsNotKnownFails(t *testing.T) {
	const decode = `"kind": "decode", "version": "1.2", "input_hex": "0a", "expect": {}`
	for name, c := range map[string]struct{ test, problem string }{
		"a kind":             {`{"kind": "guess"}`, `no codec knows kind "guess"`},
		"no kind":            {`{}`, `no codec knows kind ""`},
		"a field":            {`{` + decode + `, "colour": 1}`, `unknown field "colour"`},
		"an option":          {`{` + decode + `, "options": {"colour": 1}}`, `unknown field "colour"`},
		"an expectation":     {`{"kind": "decode", "version": "1.2", "input_hex": "0a", "expect": {"colour": 1}}`, `unknown field "colour"`},
		"a version":          {`{"kind": "decode", "version": "3", "input_hex": "0a", "expect": {}}`, `unknown version "3"`},
		"a role":             {`{"kind": "session", "version": "1.2", "role": "witness"}`, `no codec knows kind "session"`},
		"a need":             {`{"kind": "session", "version": "1.2", "role": "server", "needs": "sugar"}`, `unknown need "sugar"`},
		"an order":           {`{"kind": "session", "version": "1.2", "role": "server", "options": {"receipt_order": "x"}}`, `unknown receipt order "x"`},
		"a limit":            {`{"kind": "request", "input_utf8": "", "limits": {"colour": 1}, "expect": {}}`, `unknown field "colour"`},
		"a message":          {`{"kind": "encode", "message": {"type": "smoke"}}`, `unknown field "message"`},
		"a request method":   {`{"kind": "response", "request_method": "BREW", "input_utf8": "", "expect": {}}`, `unknown request method "BREW"`},
		"input that is none": {`{"kind": "request", "expect": {}}`, `no input`},
		"bad hex":            {`{"kind": "request", "input_hex": "0", "expect": {}}`, `odd length hex string`},
		"two inputs":         {`{"kind": "request", "input_hex": "00", "chunks_hex": ["00"], "expect": {}}`, `input both whole and in pieces`},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := load(caseFile(t, "["+c.test+"]"), "")
			require.NoError(t, err)
			_, problems := list[0].check()
			require.Contains(t, strings.Join(problems, "\n"), c.problem)
		})
	}
}

func TestNameDecidesBetweenCodecs(t *testing.T) {
	const both = `{"id": "x", "kind": "encode", "expect": {}, "message": {"type": "response", "status": 200}}`
	_, err := find([]byte(both), "encode", "")
	require.NoError(t, err, "only one writes responses")
	_, err = find([]byte(both), "encode", "stomp")
	require.NoError(t, err, "the name does not keep a case from the only codec that can run it")
}

func TestInputComesAsDigitsTextOrPieces(t *testing.T) {
	digits, text := "c3a4", "ä"
	for name, o := range map[string]octets{
		"digits":                 {Hex: &digits},
		"text":                   {Text: &text},
		"both":                   {Hex: &digits, Text: &text},
		"pieces":                 {Chunks: []string{"c3", "a4"}},
		"pieces by another name": {InputChunks: []string{"c3", "", "a4"}},
	} {
		t.Run(name, func(t *testing.T) {
			pieces, err := o.pieces()
			require.NoError(t, err)
			require.Equal(t, "ä", string(bytes.Join(pieces, nil)))
		})
	}
}

func TestEveryCaseOfTheModuleIsShown(t *testing.T) {
	for path, kinds := range map[string][]string{
		stompCases: {"decode", "encode", "session"},
		httpCases:  {"request", "response", "encode", "ws-frame"},
	} {
		list, err := load(path, "")
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, c := range list {
			require.False(t, seen[c.id], "%s twice", c.id)
			seen[c.id] = true
			require.NoError(t, c.broken, c.id)
			require.NotEmpty(t, c.ways, c.id)
			require.True(t, strings.HasPrefix(c.ways[0].name, "whole") || c.ways[0].name == "streamed", c.ways[0].name)
		}
		for _, kind := range kinds {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(text), `"kind": "`+kind+`"`)
		}
	}
}

// TestAWayForEachModeAndCut counts in how many ways a case runs.
func TestAWayForEachModeAndCut(t *testing.T) {
	const cuts = 2 + randomRounds
	for name, c := range map[string]struct {
		test string
		want int
	}{
		"STOMP, strict and lenient, whole and streamed": {`"kind": "decode", "version": "1.2", "input_hex": "0a", "expect": {}`, 4 * cuts},
		"STOMP, strict": {
			`"kind": "decode", "version": "1.2", "input_hex": "0a", "options": {"strict": true}, "expect": {}`, 2 * cuts,
		},
		"STOMP, in pieces of its own": {
			`"kind": "decode", "version": "1.2", "input_chunks_hex": ["0a", "0a"], "expect": {}`, 4 * (cuts + 1),
		},
		"STOMP, encoded":    {`"kind": "encode", "version": "1.2", "frame": {"command": "SEND"}, "expect": {}`, 1},
		"STOMP, negotiated": {`"kind": "session", "version": "1.2", "role": "negotiate", "expect": {}`, 1},
		"STOMP, a session":  {`"kind": "session", "version": "1.2", "role": "server", "expect": {}`, cuts},
		"a request":         {`"kind": "request", "input_hex": "0a", "expect": {}`, cuts},
		"a response":        {`"kind": "response", "input_chunks_hex": ["0a", "0a"], "expect": {}`, cuts + 1},
		"a WebSocket frame": {`"kind": "ws-frame", "role": "server", "input_hex": "0a", "expect": {}`, 2 * cuts},
		"an answer, encoded whole and streamed": {
			`"kind": "encode", "message": {"type": "response", "status": 200}, "expect": {}`, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := load(caseFile(t, `[{"id": "x", `+c.test+`}]`), "")
			require.NoError(t, err)
			require.NoError(t, list[0].broken)
			require.Len(t, list[0].ways, c.want)
		})
	}
}
