package stomp

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

var (
	headerSets = []string{"One", "Three", "Seven", "Eleven", "Twenty"} // as the fixtures
	bodySizes  = []int{0, 10, 100, 1000, 10_000}
)

// BenchmarkStompEncode writes the frames of netty's StompEncoderBenchmark. One op is what a channel's encoder does for one
// frame: size, buffer, octets, and the message dropped where it would have been sent. Pooled copies the body behind
// the head in one buffer of a loop's pool, Heap the same into plain memory, Writev takes it by reference. A body gets
// a content-length, which the reference does without.
func BenchmarkStompEncode(b *testing.B) { encodeGrid(b, fixtures) }

// BenchmarkStompEncodeEscaped is the same for headers that are full of octets that must be escaped.
func BenchmarkStompEncodeEscaped(b *testing.B) { encodeGrid(b, escapedFixtures) }

func encodeGrid(b *testing.B, frames func() []*Frame) {
	b.Helper()
	for i, set := range headerSets {
		for _, size := range bodySizes {
			f := benchFrame(frames()[i], size)
			name := fmt.Sprintf("%s/%d/", set, size)
			b.Run(name+"Pooled", func(b *testing.B) { encodePooled(b, f, 1<<20) })
			b.Run(name+"Heap", func(b *testing.B) { encodeHeap(b, f) })
			b.Run(name+"Writev", func(b *testing.B) { encodePooled(b, f, 1) })
			f.Release()
		}
	}
}

// benchFrame gives f a body of random octets. A RECEIPT must not have one; with a body the frame of one header is a
// MESSAGE, a word of the same length.
func benchFrame(f *Frame, size int) *Frame {
	if size == 0 {
		return f
	}
	if !f.Command.Body() {
		f.Command = CommandMessage
	}
	body := make([]byte, size)
	rand.New(rand.NewSource(1)).Read(body)
	f.Body.AppendBytes(body)
	return f
}

func encodePooled(b *testing.B, f *Frame, copyBelow int) {
	b.Helper()
	e := &Encoder{State: &State{Version: Version12}, CopyBelow: copyBelow}
	pool := buffer.NewPool(buffer.PoolConfig{})
	var out buffer.Writer
	sent := func(p *buffer.Buffer, _ []byte) { pool.Put(p) } // as a channel does with the parts of a rope
	b.ReportAllocs()
	for b.Loop() {
		f.Retain()
		out.Reset(pool, e.Size(f))
		if err := e.Encode(&out, f); err != nil {
			b.Fatal(err)
		}
		switch m := out.Take().(type) {
		case *buffer.Buffer:
			pool.Put(m)
		case *buffer.Composite:
			m.MoveTo(sent)
			m.Release()
		}
		f.Release()
	}
}

func encodeHeap(b *testing.B, f *Frame) {
	b.Helper()
	e := &Encoder{State: &State{Version: Version12}}
	b.ReportAllocs()
	for b.Loop() {
		f.Retain()
		if _, err := e.AppendFrame(nil, f); err != nil {
			b.Fatal(err)
		}
		f.Release()
	}
}
