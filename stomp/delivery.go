package stomp

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// ID is the value of a header that identifies something: a text and behind it, unless that is 0, a number in
// decimal. So identifiers that are counted need no string each. The zero value stands for no header.
type ID struct {
	Text   string
	Number uint64
}

// String returns the identifier as it is written, before escapes.
func (id ID) String() string {
	if id.Number == 0 {
		return id.Text
	}
	return id.Text + strconv.FormatUint(id.Number, 10)
}

// Delivery is a MESSAGE frame for one subscriber: headers of its own before the octets that it shares with the
// deliveries to all others. An Encoder takes it like a Frame and writes what it would write of the Frame with the
// same headers in the same order. It is pooled and counted as Frame is.
type Delivery struct {
	Subscription string // "": no header, for a 1.0 client that gave no id
	MessageID    ID
	Ack          ID   // for 1.2 when the subscription is not auto
	Redelivered  bool // adds redelivered:true
	Tail         *Tail

	refs buffer.Refs
}

var _ buffer.Counted = (*Delivery)(nil)

// deliveries keeps released deliveries.
var deliveries = sync.Pool{New: func() any { return new(Delivery) }}

// NewDelivery returns a pooled delivery with one reference, which has a reference of its own to t. Its strings
// must stay what they are until it is encoded. Safe for concurrent use. The caller must release the result or pass
// it on.
func NewDelivery(t *Tail) *Delivery {
	d := deliveries.Get().(*Delivery)
	d.refs.Revive()
	t.Retain()
	d.Tail = t
	return d
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (d *Delivery) Retain() { d.refs.Retain("stomp: delivery") }

// Release drops one reference; the last one drops that of the tail. Safe for concurrent use.
func (d *Delivery) Release() {
	if !d.refs.Drop("stomp: delivery") {
		return
	}
	if d.Tail != nil {
		d.Tail.Release()
	}
	d.Subscription, d.MessageID, d.Ack, d.Redelivered, d.Tail = "", ID{}, ID{}, false, nil
	d.refs.Recycle(&deliveries, d)
}

// String describes d for logs, without its headers and body.
func (d *Delivery) String() string {
	if d.Tail == nil {
		return "delivery of nothing"
	}
	return fmt.Sprintf("delivery (%d B shared)", d.Tail.Len())
}

// octets returns how many octets d takes at least: without escapes, and with one digit for a number.
func (d *Delivery) octets() int {
	n := len(CommandMessage) + len("\n") + len(d.Subscription) + len(d.MessageID.Text) + len(d.Ack.Text)
	if d.Tail != nil {
		n += d.Tail.ownSize()
	}
	return n
}

// headSize returns how many octets the command and d's own headers take, or what forbids them.
func (d *Delivery) headSize(r *rules) (int, error) {
	subscription, err := r.idSize(HeaderSubscription, d.Subscription, 0)
	if err != nil {
		return 0, err
	}
	id, err := r.idSize(HeaderMessageID, d.MessageID.Text, d.MessageID.Number)
	if err != nil {
		return 0, err
	}
	ack, err := r.idSize(HeaderAck, d.Ack.Text, d.Ack.Number)
	if err != nil {
		return 0, err
	}
	n := len(CommandMessage+"\n") + subscription + id + ack
	if d.Redelivered {
		n += len(redelivered)
	}
	return n, nil
}

const redelivered = HeaderRedelivered + ":true\n"

// idSize returns how many octets the header of an identifier takes, or what forbids it.
func (r *rules) idSize(name, text string, number uint64) (int, error) {
	if text == "" && number == 0 {
		return 0, nil
	}
	n := len(name) + len(text) + len(":\n")
	if special(text) {
		more, ok := r.values.escapes(text)
		if !ok {
			return 0, unencodable(CommandMessage, name)
		}
		n += more
	}
	if number != 0 {
		n += decimals(number)
	}
	return n, nil
}

// putHead writes the command and d's own headers to dst, which is exactly their size.
func (d *Delivery) putHead(dst []byte, r *rules) {
	n := copy(dst, CommandMessage+"\n")
	n = r.putID(dst, n, HeaderSubscription+":", d.Subscription, 0)
	n = r.putID(dst, n, HeaderMessageID+":", d.MessageID.Text, d.MessageID.Number)
	n = r.putID(dst, n, HeaderAck+":", d.Ack.Text, d.Ack.Number)
	if d.Redelivered {
		copy(dst[n:], redelivered)
	}
}

// putID writes the header of an identifier, whose name stands in front of it, at dst[n:] and returns where it ends.
func (r *rules) putID(dst []byte, n int, name, text string, number uint64) int {
	if text == "" && number == 0 {
		return n
	}
	n += copy(dst[n:], name)
	if special(text) {
		n += r.values.put(dst[n:], text)
	} else {
		n += copy(dst[n:], text)
	}
	if number != 0 {
		n = putDecimal(dst, n, number)
	}
	dst[n] = '\n'
	return n + 1
}

// checkDelivery is the part of the checks that is independent of d's headers.
func (e *Encoder) checkDelivery(d *Delivery) error {
	switch {
	case e.stream.open:
		return &Error{Reason: ErrOutOfOrder, Command: CommandMessage}
	case d.Tail == nil:
		return &Error{Reason: ErrWrongTail, Command: CommandMessage}
	case d.Tail.version != e.State.version():
		return &Error{Reason: ErrWrongTail, Command: CommandMessage, Text: d.Tail.version.String()}
	}
	return nil
}

func (e *Encoder) encodeDelivery(out *buffer.Writer, d *Delivery) error {
	if err := e.checkDelivery(d); err != nil {
		return err
	}
	t := d.Tail
	r := rulesFor(t.version, CommandMessage)
	head, err := d.headSize(r)
	if err != nil {
		return err
	}
	dst := out.Reserve(head + t.ownSize())
	d.putHead(dst[:head], r)
	if t.byReference() {
		out.Commit(head)
		t.octets.Retain()
		out.AppendRef(t.octets)
	} else {
		out.Commit(head + copy(dst[head:], t.octets.Bytes()))
	}
	if !t.whole {
		appendBody(out, &t.frame.Body)
		out.AppendByte(0)
	}
	return nil
}
