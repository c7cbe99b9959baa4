package websocket

import "github.com/penstock-go/penstock/pipeline/buffer"

// gather puts the payload of msg together from pieces. Whatever their sizes, it holds at most about twice the octets that
// have come: nothing is taken because a length was announced, and small pieces share a buffer.
type gather struct {
	alloc buffer.Allocator // nil: the shared pool
	msg   *Message
	tail  *buffer.Buffer // being filled; not in msg yet
}

const (
	minTail = 512
	maxTail = 64 << 10
)

// len returns how many octets there are.
func (g *gather) len() int {
	if g.tail == nil {
		return g.msg.n
	}
	return g.msg.n + g.tail.Len()
}

func (g *gather) get(n int) *buffer.Buffer {
	if g.alloc == nil {
		return buffer.Get(n)
	}
	return g.alloc.Get(n)
}

// reserve returns the tail with room for an octet or more. now is how many are there to be added, most how many may come
// in all, those included.
func (g *gather) reserve(now, most int) *buffer.Buffer {
	if g.tail != nil && g.tail.Room() == 0 {
		g.seal()
	}
	if g.tail == nil {
		g.tail = g.get(max(now, min(most, max(g.msg.n, minTail), maxTail)))
	}
	return g.tail
}

// Write implements io.Writer for those who do not know how much they write; it never fails.
func (g *gather) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > 0 {
		tail := g.reserve(min(len(p), maxTail), maxTail)
		n := min(len(p), tail.Room())
		tail.Append(p[:n])
		p = p[n:]
	}
	return total, nil
}

// seal makes what was gathered a part of the message.
func (g *gather) seal() {
	if g.tail != nil {
		g.msg.AppendBuffer(g.tail)
		g.tail = nil
	}
}

// add makes b the next part.
func (g *gather) add(b *buffer.Buffer) {
	g.seal()
	g.msg.AppendBuffer(b)
}

// take gives the message away.
func (g *gather) take() *Message {
	g.seal()
	m := g.msg
	g.msg = nil
	return m
}

// drop releases what there is.
func (g *gather) drop() {
	if g.tail != nil {
		g.tail.Release()
		g.tail = nil
	}
	if g.msg != nil {
		g.msg.Release()
		g.msg = nil
	}
}
