package websocket

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// The suite sends frames to an end that echoes messages, and says what must come back by RFC 6455 and RFC 7692. Its cases
// are numbered like the sections of the well-known suite for WebSocket, whose ideas they follow: 1 framing, 2 pings and
// pongs, 3 reserved bits, 4 opcodes, 5 fragmentation, 6 UTF-8, 7 closing, 9 sizes, 10 fragments of one size, 12 and 13
// compression.

// suiteCase is one conversation.
type suiteCase struct {
	name   string
	config Config      // of the end under test; Client is set by the runner
	send   []peerFrame // frames of the peer
	want   []string
	chop   int    // octets that come at a time; 0: the runner tries all at once and in small pieces
	role   string // of the end under test; "" = both
}

// peerFrame is a frame of the peer before it is masked, or nothing but octets.
type peerFrame struct {
	first   byte
	payload string
	raw     string
}

func sendText(s string) peerFrame   { return peerFrame{first: 0x81, payload: s} }
func sendBinary(s string) peerFrame { return peerFrame{first: 0x82, payload: s} }
func sendPing(s string) peerFrame   { return peerFrame{first: 0x89, payload: s} }
func sendPong(s string) peerFrame   { return peerFrame{first: 0x8a, payload: s} }

// fragment is a frame of a message: the first of its kind, or a continuation (0); fin: the last.
func fragment(kind byte, fin bool, s string) peerFrame {
	if fin {
		kind |= bitFin
	}
	return peerFrame{first: kind, payload: s}
}

// closing1000 is how a conversation ends that went well.
func closing1000() peerFrame { return peerFrame{first: 0x88, payload: "\x03\xe8"} }

// good is a case that ends with a proper close after the answers want.
func good(name string, send []peerFrame, want ...string) suiteCase {
	return suiteCase{name: name, send: append(send, closing1000()), want: append(want, "close 1000")}
}

// bad is a case that the end under test gives up with code after the answers want. What follows must not be answered.
func bad(name string, code Code, send []peerFrame, want ...string) suiteCase {
	return suiteCase{name: name, send: append(send, sendText("not to be answered"), sendPing("nor this")), want: append(want, "close "+code.String())}
}

func gotText(s string) string   { return show(textOf(s)) }
func gotBinary(s string) string { return show(binaryOf(s)) }
func gotPong(s string) string   { return fmt.Sprintf("pong %q", s) }

// repeat is n octets of text.
func repeat(n int) string { return strings.Repeat("*", n) }

func suite() (cases []suiteCase) {
	for _, section := range [][]suiteCase{
		framingCases(), pingCases(), reservedBitCases(), opcodeCases(), fragmentationCases(), utf8Cases(), closingCases(),
		inTurns(sizeCases()), inTurns(deflateCases()), inTurns(parameterCases()),
	} {
		cases = append(cases, section...)
	}
	return cases
}

// inTurns gives large cases to one role each.
func inTurns(cases []suiteCase) []suiteCase {
	for i := range cases {
		cases[i].role = [...]string{"server", "client"}[i%2]
	}
	return cases
}

func TestSuite(t *testing.T) {
	cases := suite()
	require.GreaterOrEqual(t, len(cases), 300)
	seen := map[string]bool{}
	for _, c := range cases {
		require.False(t, seen[c.name], "two cases are called %s", c.name)
		seen[c.name] = true
		t.Run(c.name, c.run)
	}
}

func (c suiteCase) run(t *testing.T) {
	for _, client := range []bool{false, true} {
		if client && c.role == "server" || !client && c.role == "client" {
			continue
		}
		c.config.Client = client
		var input strings.Builder
		for _, p := range c.send {
			if p.raw != "" {
				input.WriteString(p.raw)
				continue
			}
			input.WriteString(theirs(c.config, p.first, p.payload))
		}
		chops := []int{c.chop}
		if c.chop == 0 {
			chops = []int{input.Len()}
			if input.Len() <= 512 {
				chops = append(chops, 1)
			} else if input.Len() <= 64<<10 {
				chops = append(chops, 1+input.Len()/101)
			}
		}
		for _, chop := range chops {
			c.converse(t, input.String(), max(chop, 1))
		}
	}
}

// converse feeds input, chop octets at a time, and compares the answers.
func (c suiteCase) converse(t *testing.T, input string, chop int) {
	t.Helper()
	ch, p := newEnd(t, c.config, echo()), peerOf(c.config)
	ch.PeerLingers(true)
	for len(input) > 0 && !ch.FINSent() {
		n := min(chop, len(input))
		ch.Feed(input[:n])
		input = input[n:]
	}
	var got []string
	for _, s := range p.read(t, ch) {
		if kind, rest, _ := strings.Cut(s, " "); kind == "close" {
			s, _, _ = strings.Cut(rest, " ")
			s = "close " + s
		}
		got = append(got, s)
	}
	require.Equal(t, shorten(c.want), shorten(got))
	if last := c.want[len(c.want)-1]; strings.HasPrefix(last, "close") {
		events := closeEvents(ch)
		require.Len(t, events, 1)
		require.Equal(t, !events[0].Clean || !c.config.Client, ch.FINSent(), "a client waits for the server behind a proper close")
	}
	c.end(t, ch)
}

// end closes the connection as the peer would.
func (c suiteCase) end(t *testing.T, ch *pipelinetest.Channel) {
	t.Helper()
	ch.PeerClose()
	ch.RunPending()
	require.True(t, ch.Channel().Closed())
}

// shorten cuts long answers, so that failures can be read; their length stays.
func shorten(list []string) []string {
	short := make([]string, len(list))
	for i, s := range list {
		short[i] = s
		if len(s) > 300 {
			short[i] = fmt.Sprintf("%s... %d %x", s[:100], len(s), hashOf(s))
		}
	}
	return short
}

func hashOf(s string) (h uint64) {
	for i := range len(s) {
		h = h*1099511628211 ^ uint64(s[i])
	}
	return h
}
