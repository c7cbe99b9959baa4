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

// headSize returns how many octets the command and d's own headers take, or what forbids them.
func (d *Delivery) headSize(r *rules) (int, error) {
	n := len(CommandMessage) + len("\n")
	if d.Subscription != "" {
		value, ok := r.values.size(d.Subscription)
		if !ok {
			return 0, unencodable(CommandMessage, HeaderSubscription)
		}
		n += len(HeaderSubscription) + len(":\n") + value
	}
	for _, h := range [...]struct {
		name string
		id   ID
	}{{HeaderMessageID, d.MessageID}, {HeaderAck, d.Ack}} {
		if h.id == (ID{}) {
			continue
		}
		value, ok := r.values.size(h.id.Text)
		if !ok {
			return 0, unencodable(CommandMessage, h.name)
		}
		n += len(h.name) + len(":\n") + value
		if h.id.Number != 0 {
			n += decimals(h.id.Number)
		}
	}
	if d.Redelivered {
		n += len(redelivered)
	}
	return n, nil
}

const redelivered = HeaderRedelivered + ":true\n"

// putHead writes the command and d's own headers to dst, which is exactly their size.
func (d *Delivery) putHead(dst []byte, r *rules) {
	n := copy(dst, CommandMessage+"\n")
	if d.Subscription != "" {
		n += copy(dst[n:], HeaderSubscription+":")
		n += r.values.put(dst[n:], d.Subscription)
		n += copy(dst[n:], "\n")
	}
	if d.MessageID != (ID{}) {
		n += copy(dst[n:], HeaderMessageID+":")
		n = d.MessageID.put(dst, n, r)
	}
	if d.Ack != (ID{}) {
		n += copy(dst[n:], HeaderAck+":")
		n = d.Ack.put(dst, n, r)
	}
	if d.Redelivered {
		copy(dst[n:], redelivered)
	}
}

// put writes id and the end of its line at dst[n:] and returns where that ends.
func (id *ID) put(dst []byte, n int, r *rules) int {
	n += r.values.put(dst[n:], id.Text)
	if id.Number != 0 {
		n = len(strconv.AppendUint(dst[:n], id.Number, 10))
	}
	dst[n] = '\n'
	return n + 1
}

// planDelivery checks d and returns the sizes of its head and of all that is written into the writer's memory.
func (e *Encoder) planDelivery(d *Delivery) (head, size int, err error) {
	switch {
	case e.stream.open:
		return 0, 0, &Error{Reason: ErrOutOfOrder, Command: CommandMessage}
	case d.Tail == nil:
		return 0, 0, &Error{Reason: ErrWrongTail, Command: CommandMessage}
	case d.Tail.version != e.State.version():
		return 0, 0, &Error{Reason: ErrWrongTail, Command: CommandMessage, Text: d.Tail.version.String()}
	}
	if head, err = d.headSize(rulesFor(d.Tail.version, CommandMessage)); err != nil {
		return 0, 0, err
	}
	return head, head + d.Tail.ownSize(), nil
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

func (e *Encoder) encodeDelivery(out *buffer.Writer, d *Delivery) error {
	head, size, err := e.planDelivery(d)
	if err != nil {
		return err
	}
	t := d.Tail
	dst := out.Reserve(size)
	d.putHead(dst[:head], rulesFor(t.version, CommandMessage))
	if t.byReference() {
		out.Commit(head)
		t.octets.Retain()
		out.AppendRef(t.octets)
	} else {
		out.Commit(head + copy(dst[head:], t.octets.Bytes()))
	}
	if t.whole {
		return nil
	}
	appendBody(out, &t.frame.Body)
	out.AppendByte(0)
	return nil
}
