package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMessagesAreWrittenWholeAndStreamed(t *testing.T) {
	for name, c := range map[string]struct {
		message, expect string
		where           string // the first way that fails
		problems        []string
	}{
		"a response": {
			`{"type": "response", "status": 200, "reason": "Fine", "headers": [["Content-Length", "2"]], "body_utf8": "hi"}`,
			`{"output_hex": "485454502f312e31203230302046696e650d0a436f6e74656e742d4c656e6774683a20320d0a0d0a6869"}`, "", nil,
		},
		"a request": {
			`{"type": "request", "method": "GET", "target": "/", "headers": [["Host", "a"], ["Content-Length", "0"]]}`,
			`{"output_hex": "474554202f20485454502f312e310d0a486f73743a20610d0a436f6e74656e742d4c656e6774683a20300d0a0d0a"}`, "", nil,
		},
		"other octets": {
			`{"type": "response", "status": 204}`, `{"output_hex": "00"}`, "whole",
			[]string{`output_hex: got "485454502f312e3120323034204e6f20436f6e74656e740d0a0d0a", want "00"`},
		},
		"a body in pieces": {
			`{"type": "response", "status": 200, "headers": [["Transfer-Encoding", "chunked"]], "content": ["a", "bc"]}`,
			`{"output_hex": "485454502f312e3120323030204f4b0d0a5472616e736665722d456e636f64696e673a206368756e6b65640d0a0d0a310d0a610d0a320d0a62630d0a300d0a0d0a"}`,
			"", nil,
		},
		"trailers": {
			`{"type": "response", "status": 200, "headers": [["Transfer-Encoding", "chunked"]], "content": ["a"], "trailers": [["X", "y"]]}`,
			`{"output_hex": "485454502f312e3120323030204f4b0d0a5472616e736665722d456e636f64696e673a206368756e6b65640d0a0d0a310d0a610d0a300d0a583a20790d0a0d0a"}`,
			"", nil,
		},
		"pieces that differ": {
			`{"type": "response", "status": 200, "headers": [["Transfer-Encoding", "chunked"]], "content": ["abc"]}`,
			`{"output_hex": "00"}`, "streamed",
			[]string{`output_hex: got "48`},
		},
		"an answer to HEAD": {
			`{"type": "response", "status": 200, "request_method": "HEAD", "headers": [["Content-Length", "2"]]}`,
			`{"output_hex": "485454502f312e3120323030204f4b0d0a436f6e74656e742d4c656e6774683a20320d0a0d0a"}`, "", nil,
		},
		"an answer to nothing known": {
			`{"type": "response", "status": 200, "request_method": "BREW"}`, `{}`, "whole", []string{`unknown request method "BREW"`},
		},
		"a refusal": {
			`{"type": "request", "method": "GET", "target": "/ /"}`, `{"error": {"status": null, "reason": "?"}}`, "", nil,
		},
		"a field that is refused": {
			`{"type": "request", "method": "GET", "target": "/", "headers": [["a b", "c"]]}`, `{"error": {"status": null, "reason": "?"}}`, "", nil,
		},
		"a refusal that nobody expects": {
			`{"type": "request", "method": "GET", "target": "/ /"}`, `{"output_hex": ""}`, "whole", []string{`error: got {"reason"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			where, problems := caseCheck(t, `{"id": "x", "kind": "encode", "message": `+c.message+`, "expect": `+c.expect+`}`)
			require.Equal(t, c.where, where, "%q", problems)
			requireProblems(t, c.problems, problems)
		})
	}
}

func TestPiecesOfABodyEndInOneThatIsLast(t *testing.T) {
	for name, c := range map[string]struct {
		message outMessage
		texts   []string
		refused bool
	}{
		"no body":             {outMessage{}, []string{""}, false},
		"a body":              {outMessage{Body: "hi"}, []string{"hi"}, false},
		"pieces":              {outMessage{Body: "left out", Content: []string{"a", "", "b"}}, []string{"a", "", "b"}, false},
		"trailers":            {outMessage{Content: []string{"a"}, Trailers: [][2]string{{"X", "y"}}}, []string{"a"}, false},
		"trailers, no good":   {outMessage{Content: []string{"a"}, Trailers: [][2]string{{"X Y", "y"}}}, []string{"a"}, true},
		"trailers, but empty": {outMessage{Content: []string{}, Trailers: [][2]string{}}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := buffer.SharedStats().Live
			list, err := c.message.pieces()
			require.Equal(t, c.refused, err != nil)
			require.Len(t, list, len(c.texts)+1)
			for i, msg := range list {
				piece, ok := msg.(*httpx.Content)
				require.True(t, ok)
				require.Equal(t, i == len(c.texts), piece.Last)
				if !piece.Last {
					require.Equal(t, c.texts[i], string(piece.Bytes()))
				}
				buffer.Release(msg)
			}
			require.Equal(t, before, buffer.SharedStats().Live)
		})
	}
}

func TestARefusedStreamHasNoOctets(t *testing.T) {
	require.Equal(t, httpEncoded{OutputHex: "6869"}, encodedAs([]byte("hi"), nil))
	got := encodedAs([]byte("hi"), &httpx.Error{Status: 500, Reason: "no"})
	require.Empty(t, got.OutputHex)
	require.Equal(t, "no", got.Error.Reason)
	require.Equal(t, 500, *got.Error.Status)
}
