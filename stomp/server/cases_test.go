package server_test

import (
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp"
)

// wanted is one frame that a session case expects.
type wanted struct {
	Conn    string
	Command stomp.Command
	Headers [][2]json.RawMessage
	BodyHex *string `json:"body_hex"`
	Require []string
}

// sessionCase is a case of kind session and role server.
type sessionCase struct {
	ID, Kind, Role string
	InputSteps     []struct{ Conn, UTF8 string } `json:"input_steps"`
	Options        struct {
		ReceiptOrder string `json:"receipt_order"`
	}
	Expect struct {
		Frames        []wanted
		Closed        bool
		NoMoreFrames  bool   `json:"no_more_frames"`
		VersionHeader string `json:"version_header"`
	}
}

func loadCases(t *testing.T) []sessionCase {
	t.Helper()
	text, err := os.ReadFile("../testdata/stomp.json")
	require.NoError(t, err)
	var all, sessions []sessionCase
	require.NoError(t, json.Unmarshal(text, &all))
	for _, c := range all {
		if c.Kind == "session" && c.Role == "server" {
			sessions = append(sessions, c)
		}
	}
	require.Len(t, sessions, 17)
	return sessions
}

// cut is a way to send a text in pieces.
type cut func(text string) []string

// cuts are all in one, octet by octet, and at random places.
func cuts() map[string]cut {
	m := map[string]cut{
		"whole":        func(text string) []string { return []string{text} },
		"byte by byte": func(text string) []string { return strings.Split(text, "") },
	}
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 4))
		m["random "+strconv.FormatUint(seed, 10)] = func(text string) (pieces []string) {
			for text != "" {
				n := 1 + r.IntN(min(len(text), 9))
				pieces = append(pieces, text[:n])
				text = text[n:]
			}
			return pieces
		}
	}
	return m
}

func TestServerSessionCases(t *testing.T) {
	for _, c := range loadCases(t) {
		for how, pieces := range cuts() {
			t.Run(c.ID+"/"+how, func(t *testing.T) { c.run(t, pieces) })
		}
	}
}

func (c *sessionCase) run(t *testing.T, pieces cut) {
	t.Helper()
	p := newPeers(t)
	for _, step := range c.InputSteps {
		for _, piece := range pieces(step.UTF8) {
			p.send(step.Conn, piece)
		}
	}
	for _, w := range c.Expect.Frames {
		p.expect(w, c.Expect.VersionHeader, c.Options.ReceiptOrder == "any")
	}
	if c.Expect.NoMoreFrames {
		require.Empty(t, p.frames["A"])
	}
	require.Equal(t, c.Expect.Closed, p.closed("A"))
}

// expect takes the next frame of w's connection and compares it.
func (p *peers) expect(w wanted, versionHeader string, anyReceipt bool) {
	p.t.Helper()
	i := 0
	if anyReceipt {
		i = slices.IndexFunc(p.frames[w.Conn], func(f *stomp.Frame) bool {
			return (f.Command == stomp.CommandReceipt) == (w.Command == stomp.CommandReceipt)
		})
	}
	require.Less(p.t, i, len(p.frames[w.Conn]), "no %s", w.Command)
	require.GreaterOrEqual(p.t, i, 0, "no %s", w.Command)
	f := p.frames[w.Conn][i]
	p.frames[w.Conn] = slices.Delete(p.frames[w.Conn], i, i+1)
	require.Equal(p.t, w.Command, f.Command)
	for _, h := range w.Headers {
		var name string
		require.NoError(p.t, json.Unmarshal(h[0], &name))
		checkValue(p.t, h[1], f.Headers.Get(name))
	}
	for _, name := range w.Require {
		_, ok := f.Headers.Lookup(name)
		require.True(p.t, ok, "header %s", name)
	}
	if w.BodyHex != nil {
		require.Equal(p.t, *w.BodyHex, hex.EncodeToString(f.Body.Bytes()))
	}
	if versionHeader != "" && f.Command == stomp.CommandConnected {
		require.Contains(p.t, []string{"", "1.0"}, f.Headers.Get("version"))
	}
}

func checkValue(t *testing.T, want json.RawMessage, got string) {
	t.Helper()
	var text string
	if json.Unmarshal(want, &text) == nil {
		require.Equal(t, text, got)
		return
	}
	var contains struct {
		ContainsAll []string `json:"contains_all"`
	}
	require.NoError(t, json.Unmarshal(want, &contains))
	for _, part := range contains.ContainsAll {
		require.Contains(t, got, part)
	}
}

// randomOctets are the same for the same seed.
func randomOctets(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 9))
	octets := make([]byte, n)
	for i := range octets {
		octets[i] = byte(r.Uint32())
	}
	return octets
}
