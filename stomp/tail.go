package stomp

import (
	"sync"
	"unsafe"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Tail is what the MESSAGE frames of one message have in common under one version: the shared headers, the
// content-length, the empty line, the body and the NUL, encoded once. Many Deliveries share it, each with a
// head of its own, so that a message to a thousand subscribers is escaped and measured once and its body is
// never copied from 1 KiB on. Below that it stands right behind the headers in one run of octets; of such a
// run up to 1 KiB is copied into the one buffer that a delivery is, which costs less than a reference.
//
// A Tail is immutable and counted: NewTail gives one reference, every Delivery has one of its own. All methods
// are safe for concurrent use.
type Tail struct {
	version Version
	octets  *buffer.Buffer // header lines and empty line, with a small body and its NUL; then the texts of frame
	frame   Frame          // the prototype; its texts are views of what lies behind octets
	whole   bool           // body and NUL are among the octets

	refs buffer.Refs
	own  Headers
}

var _ buffer.Counted = (*Tail)(nil)

// tails keeps released tails with their header lists.
var tails = sync.Pool{New: func() any { return &Tail{own: make(Headers, 0, 8)} }}

// NewTail encodes what the deliveries of a message have in common under version v. Of headers, which may be
// those of the SEND, it leaves out what belongs to one frame: subscription, message-id, ack, redelivered,
// receipt and transaction. A body gets a content-length unless headers have one. nil is the empty body. It
// refuses what an Encoder refuses, with an *Error, and keeps neither headers nor their texts; the body travels by
// reference. Safe for concurrent use. The caller must release the result.
func NewTail(v Version, headers Headers, body *Body) (*Tail, error) {
	t := tails.Get().(*Tail)
	t.refs.Revive()
	t.version = v
	if err := t.encode(headers, body); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// Version returns the version that the octets are escaped for. Only an Encoder whose State has the same one
// takes deliveries of t.
func (t *Tail) Version() Version { return t.version }

// Frame returns the prototype of all deliveries: a MESSAGE with the shared headers and the body. It is what
// WrapFrame sees. It is lent: read-only, never to be released, and a Retain of it keeps nothing: its strings and its
// body are valid until t is released. Frame.Clone is independent.
func (t *Tail) Frame() *Frame { return &t.frame }

// Len returns the number of octets that every delivery ends in.
func (t *Tail) Len() int {
	if t.whole {
		return t.octets.Len()
	}
	return t.octets.Len() + t.frame.Body.n + 1
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (t *Tail) Retain() { t.refs.Retain("stomp: tail") }

// Release drops one reference; the last one releases the octets and the body. Safe for concurrent use.
func (t *Tail) Release() {
	if !t.refs.Drop("stomp: tail") {
		return
	}
	t.frame.Body.Reset()
	t.frame.Command, t.frame.Headers = "", nil
	t.own = reclaim(t.own, nil)
	if t.octets != nil {
		t.octets.Release()
		t.octets = nil
	}
	t.refs.Recycle(&tails, t)
}

// perDelivery reports whether a header is one that each delivery has of its own, or that is not for subscribers.
func perDelivery(name string) bool {
	switch name {
	case HeaderSubscription, HeaderMessageID, HeaderAck, HeaderRedelivered, HeaderReceipt, HeaderTransaction:
		return true
	}
	return false
}

// encode fills octets and frame.
func (t *Tail) encode(headers Headers, body *Body) error {
	if body == nil {
		body = &t.frame.Body
	}
	list, texts := room(&t.own, len(headers)), 0
	for i := range headers {
		if !perDelivery(headers[i].Name) {
			list = append(list, headers[i])
			texts += len(headers[i].Name) + len(headers[i].Value)
		}
	}
	t.frame.Command, t.frame.Headers = CommandMessage, list
	r := rulesFor(t.version, CommandMessage)
	m, err := r.measure(CommandMessage, list)
	if err == nil {
		err = m.addBody(CommandMessage, list, body, LengthAlways)
	}
	if err != nil {
		return err
	}
	t.whole = body.n < refThreshold
	n := m.size - len(CommandMessage+"\n") + len("\n")
	if t.whole {
		n += body.n + 1
	}
	t.octets = buffer.Get(n + texts)
	dst := t.octets.Reserve(n + texts)
	t.put(dst[:n], r, &m, body)
	t.adopt(dst[n:])
	t.octets.Commit(n)
	return nil
}

// put writes the octets; dst is exactly their size. The prototype has its body among them or by reference.
func (t *Tail) put(dst []byte, r *rules, m *measured, body *Body) {
	n := m.putHeaders(dst, 0, r, t.frame.Headers)
	if m.adds {
		n = putLength(dst, n, body.n)
	}
	n += copy(dst[n:], "\n")
	if t.whole {
		body.putEnd(dst[n:])
		t.frame.Body.borrow(dst[n : n+body.n])
		return
	}
	t.frame.Body.AppendBody(body)
}

// adopt copies the texts of the prototype to dst and makes the prototype of them.
func (t *Tail) adopt(dst []byte) {
	own := func(s string) string {
		n := copy(dst, s)
		text := unsafe.String(unsafe.SliceData(dst), n) //nolint:gosec // memory that t holds and nobody changes
		dst = dst[n:]
		return text
	}
	for i := range t.frame.Headers {
		h := &t.frame.Headers[i]
		if common := commonName(h.Name); common != "" {
			h.Name = common // valid for ever, as in decoded frames
		} else {
			h.Name = own(h.Name)
		}
		h.Value = own(h.Value)
	}
}

// ownSize returns how many octets of t are copied when a delivery is encoded.
func (t *Tail) ownSize() int {
	n := 0
	if !t.byReference() {
		n = t.octets.Len()
	}
	if !t.whole {
		n += t.frame.Body.ownSize(refThreshold) + 1
	}
	return n
}

// byReference reports whether the octets are too many to be copied.
func (t *Tail) byReference() bool { return t.octets.Len() > refThreshold }
