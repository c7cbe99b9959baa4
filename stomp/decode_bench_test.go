package stomp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// sizes are the body lengths of netty's StompEncoderBenchmark as its table has them.
var sizes = []int{0, 10, 100, 1000, 10_000}

// BenchmarkStompDecode reads the fixtures back: frames that follow one another in a read buffer of 64 KiB, as a busy
// connection has them. Filling the buffer is a part of each op. Bodies are declared.
func BenchmarkStompDecode(b *testing.B) {
	names := []string{"One", "Three", "Seven", "Eleven", "Twenty"}
	for i, f := range fixtures() {
		for _, size := range sizes {
			wire := withBody(wireOf(b, f), size)
			b.Run(fmt.Sprintf("%s/%d", names[i], size), func(b *testing.B) { benchmarkDecode(b, wire, false) })
			b.Run(fmt.Sprintf("%s/%d/Stream", names[i], size), func(b *testing.B) { benchmarkDecode(b, wire, true) })
		}
		f.Release()
	}
}

// withBody returns wire, a frame without a body, with one of size octets and its length. RECEIPT gets one too, as in
// netty's fixtures; a lenient reader takes it.
func withBody(wire []byte, size int) []byte {
	if size == 0 {
		return wire
	}
	head := strings.TrimSuffix(string(wire), "\n\x00")
	body := make([]byte, size)
	for i := range body {
		body[i] = byte(i)
	}
	return fmt.Appendf(nil, "%scontent-length:%d\n\n%s\x00", head, size, body)
}

func benchmarkDecode(b *testing.B, wire []byte, stream bool) {
	b.Helper()
	d := &Decoder{State: &State{Version: Version12}, Stream: stream}
	in := buffer.Get(64 << 10)
	defer in.Release()
	batch := bytes.Repeat(wire, max(1, in.Room()/len(wire)))
	b.SetBytes(int64(len(wire)))
	b.ReportAllocs()
	for b.Loop() {
		if in.Len() == 0 {
			in.Reset()
			in.Append(batch)
		}
		for last := false; !last; {
			m, ok, err := d.Decode(in)
			if !ok || err != nil {
				b.Fatal("no message", err)
			}
			switch m := m.(type) {
			case *Frame:
				m.Release()
				last = true
			case *HeadersSubframe:
				m.Release()
			case *ContentSubframe:
				last = m.Last
				m.Release()
			}
		}
	}
}
