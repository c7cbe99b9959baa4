package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

// stompStep is what a client sends on one of the connections of a session case.
type stompStep struct {
	Conn string `json:"conn"`
	UTF8 string `json:"utf8"`
}

// stompSession is what a session case with role server expects.
type stompSession struct {
	Match         string      `json:"match,omitempty"` // "subset": only the headers listed are compared
	Frames        []sentFrame `json:"frames"`          // in order on each connection
	Closed        bool        `json:"closed"`
	NoMoreFrames  bool        `json:"no_more_frames,omitempty"`
	VersionHeader string      `json:"version_header,omitempty"`
}

// sentFrame is a frame that the server sends.
type sentFrame struct {
	Conn    string        `json:"conn"`
	Command stomp.Command `json:"command"`
	Headers [][2]any      `json:"headers"` // the value may be {"contains_all": [...]}
	BodyHex *string       `json:"body_hex,omitempty"`
	Require []string      `json:"require,omitempty"`
}

// serve makes a case for the session of stomp/server.
func (c *stompCase) serve() (*testCase, error) {
	if c.Needs != "" && c.Needs != "broker" {
		return nil, fmt.Errorf("unknown need %q", c.Needs)
	}
	if c.Options.ReceiptOrder != "" && c.Options.ReceiptOrder != "any" {
		return nil, fmt.Errorf("unknown receipt order %q", c.Options.ReceiptOrder)
	}
	t := &testCase{anew: true, ways: cutWays("", func(cut cutter) (any, error) {
		s := newStompPeers()
		for _, step := range c.InputSteps {
			if err := s.send(step.Conn, cut([]byte(step.UTF8))); err != nil {
				return nil, err
			}
		}
		return s.finish()
	})}
	var err error
	t.differences, err = expectations(func(want, got *stompSession) {
		got.Match, got.NoMoreFrames, got.VersionHeader = want.Match, want.NoMoreFrames, want.VersionHeader
		got.Frames = arrange(want.Frames, got.Frames, c.Options.ReceiptOrder == "any")
		if !want.NoMoreFrames && len(got.Frames) > len(want.Frames) {
			got.Frames = got.Frames[:len(want.Frames)]
		}
		for i := range min(len(want.Frames), len(got.Frames)) {
			got.Frames[i] = narrowFrame(want.Frames[i], got.Frames[i], want.VersionHeader)
		}
	}, c.Expect, c.AlsoAccepted...)
	return t, err
}

// stompPeers are the clients of a session case; the servers share their broker.
type stompPeers struct {
	broker broker.Broker
	conns  map[string]*embedded.Channel
	names  []string // in the order of their first step
	got    stompSession
}

func newStompPeers() *stompPeers { return &stompPeers{conns: map[string]*embedded.Channel{}} }

// send lets a client send pieces and collects what the servers answer.
func (s *stompPeers) send(name string, pieces [][]byte) error {
	ch := s.conns[name]
	if ch == nil {
		var err error
		ch, err = embedded.New(embedded.Config{}, installSTOMP{server.Config{Broker: &s.broker}})
		if err != nil {
			return err
		}
		s.conns[name] = ch
		s.names = append(s.names, name)
	}
	for _, p := range pieces {
		if ch.Channel().Closed() {
			break // a client finds out when it writes
		}
		if err := ch.Feed(p); err != nil && !errors.Is(err, pipeline.ErrClosed) {
			return err
		}
	}
	for range 2 { // a delivery may be posted to a connection that has run already
		for _, name := range s.names {
			s.conns[name].RunPending()
			if err := s.receive(name, s.conns[name].Wire()); err != nil {
				return err
			}
		}
	}
	return nil
}

// receive decodes what a server sent, as its client would.
func (s *stompPeers) receive(name string, wire []byte) error {
	d := &stomp.Decoder{State: &stomp.State{Version: stomp.Version12}}
	run := decoding{decoder: codec.NewDecoder[any](d), message: func(msg any) error {
		f, ok := msg.(*stomp.Frame)
		if !ok {
			return fmt.Errorf("%T from the server", msg)
		}
		sent := sentFrame{Conn: name, Command: f.Command}
		for _, h := range f.Headers.Own() {
			sent.Headers = append(sent.Headers, [2]any{h.Name, h.Value})
		}
		body := hex.EncodeToString(f.Body.Bytes())
		sent.BodyHex = &body
		s.got.Frames = append(s.got.Frames, sent)
		return nil
	}}
	unfinished := false
	result, err := run.run([][]byte{wire}, func() { unfinished = len(wire) > 0 && !d.Between() })
	if unfinished && result.refusal == nil {
		err = errors.Join(err, errors.New("the server sent an unfinished frame"))
	}
	return errors.Join(err, result.refusal)
}

func (s *stompPeers) finish() (stompSession, error) {
	var failed error
	for _, name := range s.names {
		s.got.Closed = s.got.Closed || s.conns[name].Channel().Closed()
		_, err := s.conns[name].Finish()
		failed = errors.Join(failed, err)
	}
	slices.SortStableFunc(s.got.Frames, func(a, b sentFrame) int { return strings.Compare(a.Conn, b.Conn) })
	return s.got, failed
}

// installSTOMP installs the session as a server does for a connection that speaks STOMP.
type installSTOMP struct{ cfg server.Config }

func (i installSTOMP) HandleAdded(ctx *pipeline.Context) error { return server.Install(ctx, i.cfg) }

// arrange puts got into the order of the connections in want, which mixes them; anyReceipt moves receipts to where
// they are expected.
func arrange(want, got []sentFrame, anyReceipt bool) []sentFrame {
	rest := slices.Clone(got)
	var list []sentFrame
	for _, w := range want {
		i := slices.IndexFunc(rest, func(f sentFrame) bool {
			isReceipt := f.Command == stomp.CommandReceipt
			return f.Conn == w.Conn && (!anyReceipt || isReceipt == (w.Command == stomp.CommandReceipt))
		})
		if i >= 0 {
			list = append(list, rest[i])
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return append(list, rest...)
}

// narrowFrame leaves of got what want asks for.
func narrowFrame(want, got sentFrame, versionHeader string) sentFrame {
	has := func(name string) (value any, ok bool) {
		for _, h := range got.Headers {
			if h[0] == name {
				return h[1], true
			}
		}
		return nil, false
	}
	narrow := got
	narrow.Headers = nil
	for _, h := range want.Headers {
		name, _ := h[0].(string)
		value, ok := has(name)
		if ok && containsAll(value, h[1]) {
			value = h[1]
		}
		if ok {
			narrow.Headers = append(narrow.Headers, [2]any{name, value})
		}
	}
	for _, name := range want.Require {
		if _, ok := has(name); ok {
			narrow.Require = append(narrow.Require, name)
		}
	}
	if want.BodyHex == nil {
		narrow.BodyHex = nil
	}
	if version, ok := has("version"); ok && versionHeader != "" && got.Command == stomp.CommandConnected && version != "1.0" {
		narrow.Headers = append(narrow.Headers, [2]any{"version", version}) // a difference
	}
	return narrow
}

// containsAll reports whether value has all the texts of a wanted {"contains_all": [...]}.
func containsAll(value, wanted any) bool {
	m, ok := wanted.(map[string]any)
	parts, isList := m["contains_all"].([]any)
	text, isText := value.(string)
	if !ok || !isList || !isText {
		return false
	}
	return !slices.ContainsFunc(parts, func(p any) bool {
		part, _ := p.(string)
		return !strings.Contains(text, part)
	})
}

// beats is what a session case with role negotiate expects.
type beats struct {
	ClientToServer int64 `json:"client_to_server_ms"`
	ServerToClient int64 `json:"server_to_client_ms"`
}

func (c *stompCase) negotiate() (*testCase, error) {
	t := &testCase{ways: []way{{"whole", func() (any, error) {
		client, err := parseBeat(c.Options.ClientHeartBeat)
		if err != nil {
			return nil, err
		}
		ours, err := parseBeat(c.Options.ServerHeartBeat)
		if err != nil {
			return nil, err
		}
		toServer, toClient := stomp.NegotiateHeartBeat(client, ours)
		return beats{toServer.Milliseconds(), toClient.Milliseconds()}, nil
	}}}}
	var err error
	t.differences, err = expectations(func(_, _ *beats) {}, c.Expect, c.AlsoAccepted...)
	return t, err
}

// parseBeat reads a heart-beat header; nil is a missing one.
func parseBeat(value *string) (stomp.HeartBeat, error) {
	if value == nil {
		return stomp.HeartBeat{}, nil
	}
	return stomp.ParseHeartBeat(*value)
}
