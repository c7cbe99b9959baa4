package stomp

import (
	"math/bits"
	"strings"
	"unsafe"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// textStore is the memory that the header strings of a decoded message lie in. It belongs to the message and is
// used again, so that decoding allocates nothing, and a short frame keeps no read buffer alive.
type textStore struct {
	few  []byte         // stays with a pooled message
	held buffer.Counted // what has texts that are too long for few, or texts of another message; nil: nothing
}

const (
	minFew = 256
	maxFew = 2 << 10 // a longer head lies in a buffer, which goes back where it came from
)

// take returns memory for n octets, which is t's until drop.
func (t *textStore) take(n int, alloc buffer.Allocator) []byte {
	if n <= len(t.few) {
		return t.few[:n]
	}
	if n <= maxFew {
		t.few = make([]byte, max(minFew, 1<<bits.Len(uint(n-1))))
		return t.few[:n]
	}
	if alloc == nil {
		alloc = buffer.Shared()
	}
	b := alloc.Get(n)
	t.held = b
	p := b.Reserve(n)[:n]
	b.Commit(n)
	return p
}

// drop ends the life of the strings.
func (t *textStore) drop() {
	if t.held != nil {
		t.held.Release()
		t.held = nil
	}
	if buffer.Debug { // whoever kept a string reads this
		for i := range t.few {
			t.few[i] = poison
		}
		t.few = nil
	}
}

// poison is what a build with the tag bufdebug writes over texts that are gone.
const poison = 0xDB

// copies writes headers with texts of its own to list, which has room. The memory is t's.
func (t *textStore) copies(list, headers Headers) Headers {
	n := 0
	for i := range headers {
		n += len(headers[i].Name) + len(headers[i].Value)
	}
	mem := t.take(n, nil)
	for i := range headers {
		var name, value string
		if name, mem = cloneInto(mem, headers[i].Name); commonName(name) != "" {
			name = commonName(name)
		}
		value, mem = cloneInto(mem, headers[i].Value)
		list = append(list, Header{name, value})
	}
	return list
}

// cloneInto copies s to the beginning of mem and returns the copy and what is left of mem.
func cloneInto(mem []byte, s string) (string, []byte) {
	n := copy(mem, s)
	return viewOf(mem[:n]), mem[n:]
}

// viewOf returns p as a string without a copy: it changes when p does.
func viewOf(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// Own returns a list of its own with the same entries, whose strings are its own as well: valid for ever, one
// allocation for the texts and one for the list.
func (h Headers) Own() Headers {
	if h == nil {
		return nil
	}
	n := 0
	for i := range h {
		n += len(h[i].Value)
		if commonName(h[i].Name) == "" {
			n += len(h[i].Name)
		}
	}
	var sb strings.Builder
	sb.Grow(n)
	add := func(s string) string {
		from := sb.Len()
		sb.WriteString(s)
		return sb.String()[from:]
	}
	list := make(Headers, len(h))
	for i := range h {
		name := commonName(h[i].Name)
		if name == "" {
			name = add(h[i].Name)
		}
		list[i] = Header{name, add(h[i].Value)}
	}
	return list
}
