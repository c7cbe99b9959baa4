package main

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// shown decodes what came out of a stream.
func shown[T any](t *testing.T, input string, args ...string) T {
	t.Helper()
	out, err := command(input, args...)
	require.NoError(t, err)
	var got T
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	return got
}

func TestStreamsOfHTTPHaveAllTheirMessages(t *testing.T) {
	type summary struct {
		lines, bodies, trailers []string
		leftover                string
		refused                 int
	}
	const nobody = -1 // a refusal without a status: the peer has gone
	for name, c := range map[string]struct {
		codec, input string
		eof          bool
		want         summary
	}{
		"requests in a row": {
			"http-request", "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET /3 HTTP/1.1\r\nHost: a\r\n\r\n", false,
			summary{lines: []string{"GET /1", "POST /2", "GET /3"}, bodies: []string{"", "hi", ""}},
		},
		"chunks and trailers": {
			"http-request", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1;x=y\r\n!\r\n0\r\nX: y\r\n\r\n", false,
			summary{lines: []string{"POST /"}, bodies: []string{"hi!"}, trailers: []string{"X: y"}},
		},
		"an end inside a body": {
			"http-request", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nhi", true, summary{refused: nobody},
		},
		"a message and what is wrong behind it": {
			"http-request", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/9.9\r\n\r\n", false,
			summary{lines: []string{"GET /"}, bodies: []string{""}, refused: 505},
		},
		"half a head": {"http-request", "GET / HT", false, summary{leftover: "474554202f204854"}},
		"responses in a row": {
			"http-response", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", false,
			summary{lines: []string{"100 Continue", "200 OK"}, bodies: []string{"", "hi"}},
		},
		"a response that ends with the connection": {
			"http-response", "HTTP/1.1 200 OK\r\n\r\nhi there", true, summary{lines: []string{"200 OK"}, bodies: []string{"hi there"}},
		},
		"a response that has not ended": {"http-response", "HTTP/1.1 200 OK\r\n\r\nhi there", false, summary{}},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"-codec", c.codec, "-raw"}
			if c.eof {
				args = append(args, "-eof")
			}
			got := shown[struct {
				Messages []httpMessage
				Error    *httpError
				Leftover string `json:"leftover_hex"`
			}](t, c.input, args...)
			var sum summary
			for _, m := range got.Messages {
				line := m.Method + " " + m.Target
				if m.Status > 0 {
					line = string(rune('0'+m.Status/100)) + "00 " + *m.Reason
				}
				body, err := hex.DecodeString(m.BodyHex)
				require.NoError(t, err)
				sum.lines, sum.bodies = append(sum.lines, line), append(sum.bodies, string(body))
				for _, f := range m.Trailers {
					sum.trailers = append(sum.trailers, f[0]+": "+f[1])
				}
			}
			sum.leftover = got.Leftover
			switch {
			case got.Error == nil:
			case got.Error.Status == nil:
				sum.refused = nobody
			default:
				sum.refused = *got.Error.Status
			}
			require.Equal(t, c.want, sum)
		})
	}
}

func TestStreamsOfWebSocketAreThoseOfAServer(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		want  string
	}{
		"a text":               {"81 85 00000000 48656c6c6f", `{"messages": [{"type": "text", "payload_hex": "48656c6c6f"}]}`},
		"a mask":               {"81 85 37fa213d 7f9f4d5158", `{"messages": [{"type": "text", "payload_hex": "48656c6c6f"}]}`},
		"fragments":            {"01 81 00000000 48  80 81 00000000 69", `{"messages": [{"type": "text", "payload_hex": "4869"}]}`},
		"a ping between them":  {"02 81 00000000 48  89 80 00000000  80 81 00000000 69", `{"messages": [{"type": "ping", "payload_hex": ""}, {"type": "binary", "payload_hex": "4869"}]}`},
		"a close with a code":  {"88 84 00000000 03e8 6279", `{"messages": [{"type": "close", "payload_hex": "6279", "code": 1000}]}`},
		"a pong":               {"8a 81 00000000 41", `{"messages": [{"type": "pong", "payload_hex": "41"}]}`},
		"a frame without mask": {"81 01 41", `{"messages": [], "error": {"status": 1002}}`},
		"not UTF-8":            {"81 81 00000000 ff", `{"messages": [], "error": {"status": 1007}}`},
		"an unknown opcode":    {"83 80 00000000", `{"messages": [], "error": {"status": 1002}}`},
		"half a head":          {"81", `{"messages": [], "leftover_hex": "81"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := shown[map[string]any](t, c.input, "-codec", "websocket", "-hex")
			if e, ok := got["error"].(map[string]any); ok {
				require.NotEmpty(t, e["reason"])
				delete(e, "reason") // words of the implementation
			}
			text, err := json.Marshal(got)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(text))
		})
	}
}

func TestStreamsOfSTOMP(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		args  []string
		want  string
	}{
		"before a version is known": {
			"CONNECT\r\nhost:a:b\\c\r\n\r\n\x00", nil,
			`{"frames": [{"command": "CONNECT", "headers": [["host", "a:b\\c"]], "body_hex": ""}], "eols": 0}`,
		},
		"frames and line ends": {
			"SEND\n\na\x00\n\nSEND\ncontent-length:1\n\n\x00\x00\n", nil,
			`{"frames": [{"command": "SEND", "headers": [], "body_hex": "61"}, {"command": "SEND", "headers": [["content-length", "1"]], "body_hex": "00"}], "eols": 3}`,
		},
		"a frame and what is wrong behind it": {
			"SEND\n\na\x00HELLO\n\n\x00", nil,
			`{"frames": [{"command": "SEND", "headers": [], "body_hex": "61"}], "error": "unknown-command", "eols": 0}`,
		},
		"half a frame": {"SEND\n\nhalf", nil, `{"incomplete": true, "eols": 0}`},
		"no more":      {"SEND\n\nhalf", []string{"-eof"}, `{"error": "truncated", "eols": 0}`},
		"nothing":      {"", []string{"-eof"}, `{"eols": 0}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := command(c.input, append([]string{"-codec", "stomp", "-raw"}, c.args...)...)
			require.NoError(t, err)
			require.JSONEq(t, c.want, out)
		})
	}
}
