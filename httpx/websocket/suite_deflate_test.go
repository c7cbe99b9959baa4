package websocket

import (
	"bytes"
	"compress/flate"
	"fmt"
	"strings"

	"github.com/penstock-go/penstock/codec"
)

// talker compresses as a peer does that keeps its context, or does not.
type talker struct {
	out  bytes.Buffer
	w    *flate.Writer
	keep bool
}

func newTalker(keep bool) *talker {
	t := &talker{keep: keep}
	t.w, _ = flate.NewWriter(&t.out, 6)
	return t
}

// message is what s becomes.
func (t *talker) message(s string) string {
	if !t.keep {
		t.w.Reset(&t.out)
	}
	t.out.Reset()
	_, _ = t.w.Write([]byte(s)) // to memory
	_ = t.w.Flush()
	return strings.TrimSuffix(t.out.String(), "\x00\x00\xff\xff")
}

// prose is n octets of text that can be compressed, different for each seed.
func prose(n, seed int) string {
	var sb strings.Builder
	for i := 0; sb.Len() < n; i++ {
		fmt.Fprintf(&sb, "line %d of %d: the quick brown fox jumps over the lazy dog %d times\n", i, seed, i*seed%97)
	}
	return sb.String()[:n]
}

// deflateCases are compressed messages of many sizes, in one frame and in several.
func deflateCases() (cases []suiteCase) {
	for s, kind := range []byte{1, 2} {
		for i, n := range []int{0, 16, 64, 256, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10} {
			for k, size := range []int{1 << 20, 128, 1024} {
				c := conversation(fmt.Sprintf("12.%d.%d messages of %d octets, kind %d, frames of %d", s+1, 3*i+k+1, n, kind, size),
					Deflate{MinBytes: 1}, kind, n, size)
				cases = append(cases, c)
			}
		}
	}
	rsv := func(kind byte) byte { return kind | bitFin | bitRSV1 }
	config := Config{Deflate: &Deflate{ServerTakeover: true, ClientTakeover: true}}
	for _, c := range []suiteCase{
		bad("12.3.1 bit on a continuation", CodeProtocol, []peerFrame{{first: 0x41, payload: "\xf2\x48\xcd"}, {first: 0xc0, payload: "\xc9\xc9\x07\x00"}}),
		bad("12.3.2 compressed ping", CodeProtocol, []peerFrame{{first: 0xc9, payload: "x"}}),
		bad("12.3.3 bits of nobody", CodeProtocol, []peerFrame{{first: 0xa1, payload: "x"}}),
		bad("12.3.4 no compressed data", CodeInvalidPayload, []peerFrame{{first: rsv(2), payload: "\xff\xff\xff"}}),
		bad("12.3.5 compressed text that is not UTF-8", CodeInvalidPayload, []peerFrame{{first: rsv(1), payload: newTalker(false).message("\xff")}}),
		bad("12.3.6 bomb", CodeTooBig, []peerFrame{{first: rsv(2), payload: newTalker(false).message(strings.Repeat("\x00", 1<<20))}}),
		good("12.3.7 not compressed, with empty payload", []peerFrame{sendText("")}, gotText("")),
		good("12.3.8 not compressed", []peerFrame{sendText("Hello")}, gotText("Hello")),
		good("12.3.9 ping inside a compressed message", []peerFrame{
			{first: 0x41, payload: "\xf2\x48\xcd"}, sendPing("between"), {first: 0x80, payload: "\xc9\xc9\x07\x00"},
		}, gotPong("between"), gotText("Hello")),
	} {
		c.config = config
		cases = append(cases, c)
	}
	return cases
}

// parameterCases are the parameters of RFC 7692, 7.1, in all combinations.
func parameterCases() (cases []suiteCase) {
	number := 0
	for _, server := range []bool{false, true} {
		for _, client := range []bool{false, true} {
			for _, bits := range []int{0, 8, 9, 12, 15} {
				for _, n := range []int{100, 5_000, 40_000} {
					number++
					d := Deflate{
						ServerTakeover: server, ClientTakeover: client, ServerWindowBits: bits, ClientWindowBits: bits,
						MinBytes: 1,
					}
					name := fmt.Sprintf("13.%d messages of %d octets, takeover %t %t, %d window bits", number, n, server, client, bits)
					cases = append(cases, conversation(name, d, 1, n, 1<<20))
				}
			}
		}
	}
	return cases
}

// conversation is five messages of n octets, compressed and in frames of size, to an end with settings d. The peer keeps
// what it may keep, and no distance in what it sends is greater than 256.
func conversation(name string, d Deflate, kind byte, n, size int) suiteCase {
	d.Cap = codec.Cap{MaxRatio: 1000}
	var send []peerFrame
	var want []string
	var peer *talker
	if d.takeover(false) == d.takeover(true) && d.windowBits(true) == mostWindowBits {
		peer = newTalker(d.takeover(true))
	} else {
		peer = newTalker(false)
	}
	for i := range 5 {
		s := prose(n, i+1)
		var packed string
		if d.windowBits(true) < mostWindowBits {
			p, _ := newPacker(min(d.windowBits(true), d.windowBits(false)), 1)
			m := NewBinary([]byte(s))
			out, _ := p.pack(m)
			packed = out.Text()
			out.Release()
			m.Release()
		} else {
			packed = peer.message(s)
		}
		frames := cut(kind, packed, size)
		frames[0].first |= bitRSV1
		send = append(send, frames...)
		want = append(want, show(whole{Type(kind), s}))
	}
	c := good(name, send, want...)
	c.config = Config{Deflate: &d}
	return c
}
