package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCodecHasANameKindsAndAStream(t *testing.T) {
	list := names()
	require.ElementsMatch(t, []string{"stomp", "http-request", "http-response", "websocket"}, list)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(list))), len(list))
	for _, e := range entries() {
		require.NotEmpty(t, e.kinds, e.name)
		require.NotNil(t, e.parse, e.name)
		for _, eof := range []bool{false, true} {
			got, err := e.stream(nil, eof)
			require.NoError(t, err, e.name)
			require.NotNil(t, got, e.name)
		}
	}
}

func TestACodecLeavesTheCasesOfOthersAlone(t *testing.T) {
	foreign := map[string]string{
		"stomp":         `{"kind": "session", "version": "1.2", "role": "client"}`,
		"http-request":  `{"kind": "encode", "message": {"type": "ws"}}`,
		"http-response": `{"kind": "encode", "message": {"type": "request"}}`,
		"websocket":     `{"kind": "encode", "message": {"type": "response"}}`,
	}
	for _, e := range entries() {
		_, err := e.parse(json.RawMessage(foreign[e.name]))
		require.ErrorIs(t, err, errOther, e.name)
		_, err = e.parse(json.RawMessage(`[]`))
		require.Error(t, err, e.name)
	}
}
