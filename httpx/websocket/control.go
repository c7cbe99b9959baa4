package websocket

import (
	"sync"
	"unicode/utf8"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// maxControlBytes is the most octets that a control frame may have. RFC 6455, 5.5.
const maxControlBytes = 125

// Ping asks the peer for a Pong with the same octets. A Session answers those of the peer by itself. It is counted like a
// buffer: whoever receives it owns one reference. Retain and Release are safe for concurrent use. RFC 6455, 5.5.2.
type Ping struct {
	Data   []byte // up to 125 octets, read-only and valid until the Ping is released
	refs   buffer.Refs
	pooled *heartbeat
}

// Pong answers a Ping, or, sent unasked, says that its sender is alive. It is counted like a buffer: whoever receives it
// owns one reference. Retain and Release are safe for concurrent use. RFC 6455, 5.5.3.
type Pong struct {
	Data   []byte // up to 125 octets, read-only and valid until the Pong is released
	refs   buffer.Refs
	pooled *heartbeat
}

// heartbeat is memory for a Ping or a Pong that a peer sent.
type heartbeat struct {
	ping   Ping
	pong   Pong
	octets [maxControlBytes]byte
}

var heartbeats = sync.Pool{New: func() any { return new(heartbeat) }}

var _, _ buffer.Counted = (*Ping)(nil), (*Pong)(nil)

// newPing returns a pooled Ping with a copy of p, which has up to 125 octets.
func newPing(p []byte) *Ping {
	h := heartbeats.Get().(*heartbeat)
	m := &h.ping
	m.refs.Revive()
	m.pooled, m.Data = h, h.octets[:copy(h.octets[:], p)]
	return m
}

// newPong is newPing for a Pong.
func newPong(p []byte) *Pong {
	h := heartbeats.Get().(*heartbeat)
	m := &h.pong
	m.refs.Revive()
	m.pooled, m.Data = h, h.octets[:copy(h.octets[:], p)]
	return m
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (p *Ping) Retain() { p.refs.Retain("websocket: ping") }

// Release drops one reference; one too many panics. Safe for concurrent use.
func (p *Ping) Release() {
	if p.refs.Drop("websocket: ping") {
		p.pooled.giveBack()
	}
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (p *Pong) Retain() { p.refs.Retain("websocket: pong") }

// Release drops one reference; one too many panics. Safe for concurrent use.
func (p *Pong) Release() {
	if p.refs.Drop("websocket: pong") {
		p.pooled.giveBack()
	}
}

func (h *heartbeat) giveBack() {
	if h == nil || buffer.Debug {
		return
	}
	h.ping.Data, h.pong.Data = nil, nil
	heartbeats.Put(h)
}

// Close begins or answers the close of a connection; nothing is sent after it. RFC 6455, 5.5.1.
type Close struct {
	// Code says why. Received without a code it is CodeNone. Sent, 0 means no code, and then no reason either.
	Code Code
	// Reason says it in words, for people: up to 123 octets of UTF-8. It belongs to the peer: quote it in logs.
	Reason string
}

const maxReason = maxControlBytes - 2

// check says what is wrong with a Close that is to be sent.
func (c *Close) check() error {
	switch {
	case c.Code == 0 && c.Reason == "":
		return nil
	case !c.Code.Sendable() || len(c.Reason) > maxReason || !utf8.ValidString(c.Reason):
		return ErrControl
	}
	return nil
}

// closeOf reads the payload of a Close frame. RFC 6455, 5.5.1, 7.1.5 and 7.1.6.
func closeOf(p []byte) (*Close, error) {
	switch {
	case len(p) == 0:
		return &Close{Code: CodeNone}, nil
	case len(p) == 1:
		return nil, refuse(CodeProtocol, "close payload of one octet")
	}
	c := &Close{Code: Code(p[0])<<8 | Code(p[1])}
	switch {
	case !c.Code.Sendable():
		return nil, refuse(CodeProtocol, "bad close code")
	case !utf8.Valid(p[2:]):
		return nil, refuse(CodeInvalidPayload, "invalid utf-8 in close reason")
	}
	c.Reason = string(p[2:])
	return c, nil
}
