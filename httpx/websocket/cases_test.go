package websocket

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// frameCase is an entry of ../testdata/http.json, as far as it is about frames. Package httpx runs the others, and fails
// when a field is unknown.
type frameCase struct {
	ID         string
	Kind       string
	Level      string
	Role       string
	Extensions string
	InputHex   string   `json:"input_hex"`
	ChunksHex  []string `json:"chunks_hex"`
	Message    struct {
		Type        string
		Role        string
		Opcode      int
		PayloadText string `json:"payload_utf8"`
		PayloadHex  string `json:"payload_hex"`
		Code        int
	}
	Expect struct {
		Messages json.RawMessage
		Error    *struct {
			Status *int
			Reason string
		}
		Output string `json:"output_hex"`
	}
}

func loadCases(t testing.TB) []frameCase {
	t.Helper()
	text, err := os.ReadFile("../testdata/http.json")
	require.NoError(t, err)
	var all, ours []frameCase
	require.NoError(t, json.Unmarshal(text, &all))
	for _, c := range all {
		if c.Kind == "ws-frame" || c.Message.Type == "ws" {
			ours = append(ours, c)
		}
	}
	return ours
}

func TestCases(t *testing.T) {
	ran := map[string]int{}
	for _, c := range loadCases(t) {
		ran[c.Kind+" "+c.Level]++
		t.Run(c.ID, func(t *testing.T) {
			if c.Kind == "encode" {
				c.encode(t)
				return
			}
			c.decode(t)
		})
	}
	require.Equal(t, map[string]int{"ws-frame must": 40, "ws-frame should": 2, "ws-frame choice": 1, "encode must": 3}, ran)
}

func (c *frameCase) config(t *testing.T) Decoder {
	t.Helper()
	var d Decoder
	switch c.Role {
	case "server":
	case "client":
		d.Client = true
	default:
		require.Failf(t, "unknown role", "%q", c.Role)
	}
	switch c.Extensions {
	case "":
	case "permessage-deflate":
		d.Deflate = &Deflate{ServerTakeover: true, ClientTakeover: true}
	default:
		require.Failf(t, "unknown extension", "%q", c.Extensions)
	}
	return d
}

func (c *frameCase) decode(t *testing.T) {
	t.Helper()
	input := fromHex(t, c.InputHex+strings.Join(c.ChunksHex, ""))
	want := c.want(t)
	if e := c.Expect.Error; e != nil {
		verifyError(t, c.config(t), input, Code(*e.Status), want...)
		return
	}
	verify(t, c.config(t), input, want...)
}

// want is what the case expects to come out.
func (c *frameCase) want(t *testing.T) []any {
	t.Helper()
	var list []struct {
		Type       string
		PayloadHex string `json:"payload_hex"`
		Code       Code
	}
	require.NoError(t, json.Unmarshal(c.Expect.Messages, &list))
	var want []any
	for _, m := range list {
		payload := fromHex(t, m.PayloadHex)
		switch m.Type {
		case "text":
			want = append(want, textOf(string(payload)))
		case "binary":
			want = append(want, binaryOf(string(payload)))
		case "ping":
			want = append(want, &Ping{Data: payload})
		case "close":
			want = append(want, &Close{Code: m.Code, Reason: string(payload)})
		default:
			require.Failf(t, "unknown type", "%q", m.Type)
		}
	}
	return want
}

func (c *frameCase) encode(t *testing.T) {
	t.Helper()
	require.Equal(t, "server", c.Message.Role)
	var msg any
	payload := append(fromHex(t, c.Message.PayloadHex), c.Message.PayloadText...)
	switch opcode(c.Message.Opcode) {
	case opText, opBinary:
		m := NewMessage(Type(c.Message.Opcode))
		m.AppendBytes(payload)
		msg = m
	case opClose:
		msg = &Close{Code: Code(c.Message.Code), Reason: string(payload)}
	default:
		require.Failf(t, "unknown opcode", "%d", c.Message.Opcode)
	}
	defer buffer.Release(msg)
	output, err := encode(new(Encoder), msg)
	require.Equal(t, c.Expect.Error != nil, err != nil)
	require.Equal(t, c.Expect.Output, hex.EncodeToString(output))
}

func TestTheOtherReadingOfTheChoiceIsAnOption(t *testing.T) {
	for _, c := range loadCases(t) {
		if c.ID == "ws-len-nonminimal" {
			verify(t, Decoder{AllowNonMinimal: true}, fromHex(t, c.InputHex), textOf("Hello"))
		}
	}
}
