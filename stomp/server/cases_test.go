package server_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	Expect         struct {
		Frames        []wanted
		Closed        bool
		NoMoreFrames  bool   `json:"no_more_frames"`
		VersionHeader string `json:"version_header"`
	}
}

// later lists the cases that need ack modes or transactions, which sessions refuse in this version.
var later = map[string]string{
	"074-ack-header-on-client-mode": "ack mode",
	"075-tx-commit":                 "BEGIN is not supported",
	"076-tx-abort":                  "BEGIN is not supported",
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

func TestServerSessionCases(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			p := newPeers(t)
			for _, step := range c.InputSteps {
				p.send(step.Conn, step.UTF8)
			}
			if refusal := later[c.ID]; refusal != "" {
				frames := p.frames["A"]
				last := frames[len(frames)-1]
				require.Equal(t, stomp.CommandError, last.Command)
				require.Contains(t, last.Headers.Get("message"), refusal)
				require.True(t, p.closed("A"))
				return
			}
			for _, w := range c.Expect.Frames {
				p.expect(w, c.Expect.VersionHeader)
			}
			if c.Expect.NoMoreFrames {
				require.Empty(t, p.frames["A"])
			}
			require.Equal(t, c.Expect.Closed, p.closed("A"))
		})
	}
}

// peers are clients of one set of topics.
type peers struct {
	t      *testing.T
	topics server.Topics
	conns  map[string]*pipelinetest.Channel
	frames map[string][]*stomp.Frame // received and not yet expected
}

func newPeers(t *testing.T) *peers {
	t.Helper()
	return &peers{t: t, conns: make(map[string]*pipelinetest.Channel), frames: make(map[string][]*stomp.Frame)}
}

// installer stands for whoever installs the protocol.
type installer struct{ cfg server.Config }

func (i *installer) HandleAdded(ctx *pipeline.Context) error { return server.Install(ctx, i.cfg) }

func (p *peers) conn(name string) *pipelinetest.Channel {
	if p.conns[name] == nil {
		p.conns[name] = pipelinetest.New(p.t, &installer{server.Config{Topics: &p.topics}})
	}
	return p.conns[name]
}

func (p *peers) send(conn, text string) {
	p.t.Helper()
	if !p.conn(conn).Channel().Closed() { // as a peer that finds its connection closed
		p.conn(conn).Feed(text)
	}
	for range 2 { // a delivery may be posted to a channel that has run already
		for name, ch := range p.conns {
			ch.RunPending()
			p.receive(name, ch.Wire())
		}
	}
}

// receive decodes what the server sent, as a client would.
func (p *peers) receive(conn, wire string) {
	p.t.Helper()
	in := buffer.FromString(wire)
	defer in.Release()
	d := stomp.Decoder{State: &stomp.State{Version: stomp.Version12}}
	for {
		m, ok, err := d.Decode(in)
		require.NoError(p.t, err)
		if !ok {
			require.Zero(p.t, in.Len(), "an unfinished frame")
			return
		}
		f, isFrame := m.(*stomp.Frame)
		require.True(p.t, isFrame)
		p.frames[conn] = append(p.frames[conn], f)
		p.t.Cleanup(f.Release)
	}
}

func (p *peers) closed(conn string) bool { return p.conns[conn].Channel().Closed() }

// expect takes the next frame of w's connection and compares it.
func (p *peers) expect(w wanted, versionHeader string) {
	p.t.Helper()
	require.NotEmpty(p.t, p.frames[w.Conn], "no %s", w.Command)
	f := p.frames[w.Conn][0]
	p.frames[w.Conn] = p.frames[w.Conn][1:]
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

func connected(p *peers, conn, version string) {
	p.send(conn, "CONNECT\naccept-version:"+version+"\nhost:h\n\n\x00")
	p.frames[conn] = nil
}

func TestEveryCommandBeforeConnectIsRefused(t *testing.T) {
	for _, command := range strings.Fields("SEND SUBSCRIBE UNSUBSCRIBE ACK NACK BEGIN COMMIT ABORT DISCONNECT CONNECTED MESSAGE RECEIPT ERROR") {
		t.Run(command, func(t *testing.T) {
			p := newPeers(t)
			p.send("A", command+"\ndestination:/a\nid:1\n\n\x00")
			require.Len(t, p.frames["A"], 1)
			require.Equal(t, stomp.CommandError, p.frames["A"][0].Command)
			require.True(t, p.closed("A"))
			require.Zero(t, p.topics.Stats().Subscriptions)
			require.Zero(t, p.topics.Stats().Published)
		})
	}
}

func TestRefusalsNameTheProblemAndTheReceipt(t *testing.T) {
	for name, c := range map[string]struct{ frame, problem string }{
		"second CONNECT":           {"CONNECT\nreceipt:r\n\n\x00", "already connected"},
		"SEND without destination": {"SEND\nreceipt:r\n\n\x00", "SEND without destination"},
		"SUBSCRIBE without id":     {"SUBSCRIBE\ndestination:/a\nreceipt:r\n\n\x00", "SUBSCRIBE without id"},
		"UNSUBSCRIBE of nothing":   {"UNSUBSCRIBE\nid:9\nreceipt:r\n\n\x00", "no such subscription"},
		"ack mode":                 {"SUBSCRIBE\ndestination:/a\nid:1\nack:client\nreceipt:r\n\n\x00", "ack mode is not supported"},
		"transaction":              {"SEND\ndestination:/a\ntransaction:t\nreceipt:r\n\n\x00", "transactions are not supported"},
		"server's command":         {"MESSAGE\nreceipt:r\n\n\x00", "MESSAGE is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			connected(p, "A", "1.2")
			p.send("A", c.frame)
			require.Len(t, p.frames["A"], 1)
			f := p.frames["A"][0]
			require.Equal(t, stomp.CommandError, f.Command)
			require.Contains(t, f.Headers.Get("message"), c.problem)
			require.Equal(t, "r", f.Headers.Get("receipt-id"))
			require.True(t, p.closed("A"))
		})
	}
}

func TestSubscriptionsAreLimitedAndUnique(t *testing.T) {
	p := newPeers(t)
	p.conns["A"] = pipelinetest.New(t, &installer{server.Config{Topics: &p.topics, MaxSubscriptions: 2}})
	connected(p, "A", "1.2")
	for _, id := range []string{"1", "2"} {
		p.send("A", "SUBSCRIBE\ndestination:/a\nid:"+id+"\n\n\x00")
	}
	require.Equal(t, 2, p.topics.Stats().Subscriptions)
	p.send("A", "UNSUBSCRIBE\nid:1\n\n\x00SUBSCRIBE\ndestination:/b\nid:3\n\n\x00")
	require.Equal(t, server.TopicStats{Topics: 2, Subscriptions: 2}, p.topics.Stats())
	p.send("A", "SUBSCRIBE\ndestination:/c\nid:4\n\n\x00")
	require.Contains(t, p.frames["A"][0].Headers.Get("message"), "too many subscriptions")
	require.Zero(t, p.topics.Stats().Subscriptions, "they end with the session")
}

func TestOldClientsSubscribeByDestination(t *testing.T) {
	p := newPeers(t)
	p.send("A", "CONNECT\n\n\x00SUBSCRIBE\ndestination:/a\n\n\x00SEND\ndestination:/a\n\nx\x00")
	f := p.frames["A"][1]
	require.Equal(t, stomp.CommandMessage, f.Command)
	_, has := f.Headers.Lookup("subscription")
	require.False(t, has)
	p.send("A", "UNSUBSCRIBE\ndestination:/a\n\n\x00")
	require.Zero(t, p.topics.Stats().Subscriptions)
}

func TestOneSendersOrderIsKept(t *testing.T) {
	p := newPeers(t)
	connected(p, "A", "1.2")
	connected(p, "B", "1.2")
	p.send("A", "SUBSCRIBE\ndestination:/a\nid:1\n\n\x00")
	var batch strings.Builder
	for i := range 100 {
		batch.WriteString("SEND\ndestination:/a\n\n" + string(rune('a'+i%26)) + "\x00")
	}
	p.send("B", batch.String())
	require.Len(t, p.frames["A"], 100)
	for i, f := range p.frames["A"] {
		require.Equal(t, string(rune('a'+i%26)), f.Body.String())
	}
}

func TestASilentPeerGetsAnErrorAtTheDeadline(t *testing.T) {
	p := newPeers(t)
	p.conn("A").AdvanceTime(handlers.DefaultReadyWithin)
	p.receive("A", p.conn("A").Wire())
	require.Equal(t, "no CONNECT in time", p.frames["A"][0].Headers.Get("message"))
	require.True(t, p.closed("A"))
}

func TestASubscriberThatDoesNotKeepUpIsClosedAndTheOthersAreServed(t *testing.T) {
	p := newPeers(t)
	for _, name := range []string{"slow", "good", "sender"} {
		connected(p, name, "1.2")
	}
	for _, name := range []string{"slow", "good"} {
		p.send(name, "SUBSCRIBE\ndestination:/a\nid:1\n\n\x00")
	}
	p.conn("slow").Socket.Block()
	body := strings.Repeat("x", 1<<20)
	p.conn("sender").FeedWhole("SEND\ndestination:/a\ncontent-length:1048576\n\n" + body + "\x00")
	for range 20 { // past the hard cap of 16 MiB
		p.conn("sender").FeedWhole("SEND\ndestination:/a\ncontent-length:1048576\n\n" + body + "\x00")
		p.conn("good").RunPending()
		require.NotEmpty(t, p.conn("good").Wire())
		p.conn("slow").RunPending()
	}
	require.ErrorIs(t, p.conn("slow").CheckErr(), pipeline.ErrOutboundFull)
	require.False(t, p.conn("slow").Channel().IsOpen())
	require.True(t, p.conn("good").Channel().IsOpen())
	p.conn("slow").AdvanceTime(pipeline.DefaultWriteStall)
	require.True(t, p.closed("slow"))
	require.Equal(t, 1, p.topics.Stats().Subscriptions)
}
