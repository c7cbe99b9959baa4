package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/stomp"
)

// sent makes frames of "connection COMMAND", one body for each that has one.
func sent(list ...string) []sentFrame {
	var frames []sentFrame
	for _, text := range list {
		frames = append(frames, sentFrame{Conn: text[:1], Command: stomp.Command(text[2:])})
	}
	return frames
}

func TestFramesAreComparedInTheOrderOfTheirConnection(t *testing.T) {
	for name, c := range map[string]struct {
		want, got  []sentFrame
		anyReceipt bool
		arranged   []sentFrame
	}{
		"one connection": {
			sent("A CONNECTED", "A RECEIPT"), sent("A CONNECTED", "A RECEIPT"), false, sent("A CONNECTED", "A RECEIPT"),
		},
		"two that are mixed": {
			sent("A CONNECTED", "B CONNECTED", "A MESSAGE"), sent("A CONNECTED", "A MESSAGE", "B CONNECTED"), false,
			sent("A CONNECTED", "B CONNECTED", "A MESSAGE"),
		},
		"a wrong order stays": {
			sent("A RECEIPT", "A MESSAGE"), sent("A MESSAGE", "A RECEIPT"), false, sent("A MESSAGE", "A RECEIPT"),
		},
		"receipts anywhere": {
			sent("A RECEIPT", "A MESSAGE"), sent("A MESSAGE", "A RECEIPT"), true, sent("A RECEIPT", "A MESSAGE"),
		},
		"messages keep their order then": {
			sent("A RECEIPT", "A MESSAGE", "A ERROR"), sent("A ERROR", "A MESSAGE", "A RECEIPT"), true,
			sent("A RECEIPT", "A ERROR", "A MESSAGE"),
		},
		"one is missing": {
			sent("A CONNECTED", "B CONNECTED"), sent("B CONNECTED"), false, sent("B CONNECTED"),
		},
		"too many come last": {
			sent("B CONNECTED"), sent("A CONNECTED", "B CONNECTED", "B MESSAGE"), false, sent("B CONNECTED", "A CONNECTED", "B MESSAGE"),
		},
		"none": {nil, nil, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := append([]sentFrame(nil), c.got...)
			require.Equal(t, c.arranged, arrange(c.want, got, c.anyReceipt))
			require.Equal(t, c.got, got, "what it was given stays")
		})
	}
}

func TestOnlyWhatACaseAsksForIsLeftOfAFrame(t *testing.T) {
	body := "6869"
	got := sentFrame{
		Conn: "A", Command: stomp.CommandConnected, BodyHex: &body,
		Headers: [][2]any{{"version", "1.2"}, {"server", "x"}, {"server", "y"}},
	}
	for name, c := range map[string]struct {
		want    sentFrame
		version string
		headers [][2]any
		require []string
		body    *string
	}{
		"nothing":          {sentFrame{}, "", nil, nil, nil},
		"a header":         {sentFrame{Headers: [][2]any{{"version", "9"}}}, "", [][2]any{{"version", "1.2"}}, nil, nil},
		"the first of two": {sentFrame{Headers: [][2]any{{"server", "y"}}}, "", [][2]any{{"server", "x"}}, nil, nil},
		"one that is not":  {sentFrame{Headers: [][2]any{{"ack", "y"}}}, "", nil, nil, nil},
		"names":            {sentFrame{Require: []string{"server", "ack"}}, "", nil, []string{"server"}, nil},
		"a body":           {sentFrame{BodyHex: new(string)}, "", nil, nil, &body},
		"an old version":   {sentFrame{}, "absent or 1.0", [][2]any{{"version", "1.2"}}, nil, nil},
		"a part of it": {
			sentFrame{Headers: [][2]any{{"version", map[string]any{"contains_all": []any{"1", "2"}}}}},
			"",
			[][2]any{{"version", map[string]any{"contains_all": []any{"1", "2"}}}},
			nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			left := narrowFrame(c.want, got, c.version)
			require.Equal(t, sentFrame{Conn: "A", Command: stomp.CommandConnected, Headers: c.headers, Require: c.require, BodyHex: c.body}, left)
		})
	}
	message := sentFrame{Command: stomp.CommandMessage, Headers: got.Headers}
	require.Empty(t, narrowFrame(sentFrame{}, message, "absent or 1.0").Headers, "the version of CONNECTED only")
}

func TestATextMayBeAskedForByItsParts(t *testing.T) {
	all := func(parts ...any) any { return map[string]any{"contains_all": parts} }
	for name, c := range map[string]struct {
		value, wanted any
		want          bool
	}{
		"all there":         {"1.0,1.1,1.2", all("1.2", "1.0"), true},
		"one missing":       {"1.0,1.1,1.2", all("1.2", "2.0"), false},
		"none asked for":    {"x", all(), true},
		"a plain text":      {"x", "x", false},
		"another way":       {"x", map[string]any{"contains": []any{"x"}}, false},
		"parts are no list": {"x", map[string]any{"contains_all": "x"}, false},
		"no text":           {7.0, all("7"), false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, containsAll(c.value, c.wanted)) })
	}
}

// steps sends the same on every connection in turn.
func steps(t *testing.T, p *stompPeers, list ...stompStep) {
	t.Helper()
	for _, s := range list {
		require.NoError(t, p.send(s.Conn, [][]byte{[]byte(s.UTF8)}))
	}
}

const hello = "CONNECT\naccept-version:1.2\nhost:h\n\n\x00"

func TestClientsOfACaseShareTheServersMessages(t *testing.T) {
	before := buffer.SharedStats().Live
	p := newStompPeers()
	steps(t, p,
		stompStep{"B", hello}, stompStep{"A", hello},
		stompStep{"A", "SUBSCRIBE\nid:1\ndestination:/topic/t\n\n\x00"},
		stompStep{"B", "SEND\ndestination:/topic/t\n\nfrom B\x00SEND\ndestination:/topic/t\n\nand B\x00"},
	)
	got, err := p.finish()
	require.NoError(t, err)
	require.False(t, got.Closed)
	var list []string
	for _, f := range got.Frames {
		list = append(list, f.Conn+" "+string(f.Command)+" "+*f.BodyHex)
	}
	require.Equal(t, []string{"A CONNECTED ", "A MESSAGE 66726f6d2042", "A MESSAGE 616e642042", "B CONNECTED "}, list)
	require.Equal(t, before, buffer.SharedStats().Live)
}

func TestAClientFindsItsConnectionClosed(t *testing.T) {
	p := newStompPeers()
	steps(t, p, stompStep{"A", "SEND\ndestination:/a\n\n\x00"}, stompStep{"A", hello}, stompStep{"B", hello})
	got, err := p.finish()
	require.NoError(t, err)
	require.True(t, got.Closed)
	require.Len(t, got.Frames, 2)
	require.Equal(t, stomp.CommandError, got.Frames[0].Command)
	require.Equal(t, "B", got.Frames[1].Conn)
}

func TestWhatTheServerSendsMustBeFrames(t *testing.T) {
	for name, wire := range map[string]string{
		"unfinished": "RECEIPT\nreceipt-id:1\n\n",
		"no command": "HELLO\n\n\x00",
		"no escape":  "RECEIPT\nreceipt-id:\\t\n\n\x00",
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, newStompPeers().receive("A", []byte(wire)))
		})
	}
	p := newStompPeers()
	require.NoError(t, p.receive("A", []byte("\n\nRECEIPT\nreceipt-id:a\\cb\n\n\x00\nERROR\n\nno\x00\n")))
	require.Equal(t, [][2]any{{"receipt-id", "a:b"}}, p.got.Frames[0].Headers)
	require.Equal(t, "6e6f", *p.got.Frames[1].BodyHex)
}
