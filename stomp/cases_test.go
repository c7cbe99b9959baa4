package stomp

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testCase is one entry of testdata/stomp.json. Fields that are not listed here fail the test.
type testCase struct {
	ID             string          `json:"id"`
	Kind           string          `json:"kind"`
	Version        string          `json:"version"`
	Role           string          `json:"role"`
	Why            string          `json:"why"`
	Source         string          `json:"source"`
	Needs          string          `json:"needs"`
	InputHex       string          `json:"input_hex"`
	InputUTF8      *string         `json:"input_utf8"`
	InputChunksHex []string        `json:"input_chunks_hex"`
	InputSteps     json.RawMessage `json:"input_steps"`
	Frame          *caseFrame      `json:"frame"`
	Options        caseOptions     `json:"options"`
	Expect         caseExpect      `json:"expect"`
	AlsoAccepted   []caseExpect    `json:"also_accepted"`
}

type caseFrame struct {
	Command string      `json:"command"`
	Headers [][2]string `json:"headers"`
	BodyHex string      `json:"body_hex"`
}

type caseOptions struct {
	Strict            *bool   `json:"strict"`
	AllowUnknown      bool    `json:"allow_unknown"`
	MaxLine           int     `json:"max_line"`
	MaxHeaders        int     `json:"max_headers"`
	MaxBody           int64   `json:"max_body"`
	AutoContentLength bool    `json:"auto_content_length"`
	ReceiptOrder      string  `json:"receipt_order"`
	ClientHeartBeat   *string `json:"client_heart_beat"`
	ServerHeartBeat   *string `json:"server_heart_beat"`
}

type caseExpect struct {
	Frames           json.RawMessage   `json:"frames"`
	Error            string            `json:"error"`
	Incomplete       bool              `json:"incomplete"`
	EOLs             *uint64           `json:"eols"`
	Get              map[string]string `json:"get"`
	OutputHex        string            `json:"output_hex"`
	OutputUTF8       string            `json:"output_utf8"`
	ClientToServerMs *int64            `json:"client_to_server_ms"`
	ServerToClientMs *int64            `json:"server_to_client_ms"`
	Match            string            `json:"match"`
	Closed           *bool             `json:"closed"`
	NoMoreFrames     bool              `json:"no_more_frames"`
	VersionHeader    string            `json:"version_header"`
}

func loadCases(t testing.TB) []testCase {
	t.Helper()
	text, err := os.ReadFile("testdata/stomp.json")
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var cases []testCase
	require.NoError(t, dec.Decode(&cases))
	return cases
}

// TestCases runs the published cases. Those of role server need a session and are stomp/server's to run; their
// number is checked here so that none gets lost between the two.
func TestCases(t *testing.T) {
	ran := map[string]int{}
	for _, c := range loadCases(t) {
		ran[c.Kind+" "+c.Role]++
		t.Run(c.ID, func(t *testing.T) {
			switch c.Kind + " " + c.Role {
			case "decode ":
				c.decode(t)
			case "encode ":
				c.encode(t)
			case "session negotiate":
				c.negotiate(t)
			case "session server":
				require.NotEmpty(t, c.InputSteps)
			default:
				require.Failf(t, "unknown kind", "%s %s", c.Kind, c.Role)
			}
		})
	}
	require.Equal(t, map[string]int{"decode ": 50, "encode ": 11, "session negotiate": 4, "session server": 17}, ran)
}

func (c *testCase) decoder(t *testing.T, strict, stream bool) *Decoder {
	t.Helper()
	version := ParseVersion(c.Version)
	require.NotEqual(t, VersionUnknown, version)
	return &Decoder{
		State:        &State{Version: version},
		Strict:       strict,
		Stream:       stream,
		AllowUnknown: c.Options.AllowUnknown,
		Limits:       Limits{Line: c.Options.MaxLine, Headers: c.Options.MaxHeaders, Body: c.Options.MaxBody},
	}
}

func (c *testCase) decode(t *testing.T) {
	t.Helper()
	var chunks [][]byte
	for _, text := range append(c.InputChunksHex, c.InputHex) {
		chunk, err := hex.DecodeString(text)
		require.NoError(t, err)
		chunks = append(chunks, chunk)
	}
	input := bytes.Join(chunks, nil)
	modes := []bool{false, true}
	if c.Options.Strict != nil {
		modes = []bool{*c.Options.Strict}
	}
	for _, strict := range modes {
		for _, stream := range []bool{false, true} {
			c.check(t, decodeAll(t, c.decoder(t, strict, stream), chunks))
			forEachSplit(input, func(_ string, chunks [][]byte) {
				c.check(t, decodeAll(t, c.decoder(t, strict, stream), chunks))
			})
		}
	}
}

func (c *testCase) check(t *testing.T, g got) {
	t.Helper()
	want := []plainFrame(nil)
	for _, f := range c.Expect.list(t) {
		want = append(want, f.plain(t))
	}
	require.Equal(t, want, g.Frames)
	require.Equal(t, Reason(c.Expect.Error), g.Err)
	if c.Expect.EOLs != nil {
		require.Equal(t, *c.Expect.EOLs, g.EOLs)
	}
	for name, value := range c.Expect.Get {
		require.Equal(t, value, g.Frames[0].Headers.Get(name))
	}
	if c.Expect.Incomplete {
		require.Empty(t, g.Frames)
		require.Empty(t, g.Err)
	}
}

func (e *caseExpect) list(t *testing.T) []caseFrame {
	t.Helper()
	if e.Frames == nil {
		return nil
	}
	var frames []caseFrame
	require.NoError(t, json.Unmarshal(e.Frames, &frames))
	return frames
}

func (f *caseFrame) plain(t *testing.T) plainFrame {
	t.Helper()
	body, err := hex.DecodeString(f.BodyHex)
	require.NoError(t, err)
	headers := Headers{}
	for _, h := range f.Headers {
		headers.Add(h[0], h[1])
	}
	return plainFrame{Command(f.Command), headers, string(body)}
}

func (c *testCase) encode(t *testing.T) {
	t.Helper()
	e := &Encoder{State: &State{Version: ParseVersion(c.Version)}, Length: LengthNeeded}
	if c.Options.AutoContentLength {
		e.Length = LengthAlways
	}
	want := c.Frame.plain(t)
	f := NewFrame(want.Command)
	defer f.Release()
	f.Headers = want.Headers
	f.Body.AppendString(want.Body)
	output, err := encodeTo(t, e, f)
	require.Equal(t, Reason(c.Expect.Error), reasonOf(err))
	require.Equal(t, c.Expect.OutputHex, hex.EncodeToString([]byte(output)))
}

func (c *testCase) negotiate(t *testing.T) {
	t.Helper()
	toServer, toClient := NegotiateHeartBeat(parseBeat(t, c.Options.ClientHeartBeat), parseBeat(t, c.Options.ServerHeartBeat))
	require.Equal(t, time.Duration(*c.Expect.ClientToServerMs)*time.Millisecond, toServer)
	require.Equal(t, time.Duration(*c.Expect.ServerToClientMs)*time.Millisecond, toClient)
}

// parseBeat reads a heart-beat header; nil is a missing one.
func parseBeat(t *testing.T, value *string) HeartBeat {
	t.Helper()
	if value == nil {
		return HeartBeat{}
	}
	h, err := ParseHeartBeat(*value)
	require.NoError(t, err)
	return h
}
