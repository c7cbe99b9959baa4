package websocket

import (
	"fmt"
	"strings"
)

func fragmentationCases() []suiteCase {
	cases := []suiteCase{
		bad("5.1 fragmented ping", CodeProtocol, []peerFrame{fragment(9, false, "frag"), fragment(0, true, "ment")}),
		bad("5.2 fragmented pong", CodeProtocol, []peerFrame{fragment(10, false, "frag"), fragment(0, true, "ment")}),
		bad("5.2.1 fragmented close", CodeProtocol, []peerFrame{fragment(8, false, "\x03\xe8")}),
		good("5.3 text in two frames", []peerFrame{fragment(1, false, "frag"), fragment(0, true, "ment")}, gotText("fragment")),
		good("5.4 binary in two frames", []peerFrame{fragment(2, false, "frag"), fragment(0, true, "ment")}, gotBinary("fragment")),
		good("5.5 text in many frames", []peerFrame{
			fragment(1, false, "f"), fragment(0, false, "r"), fragment(0, false, "ag"), fragment(0, false, ""), fragment(0, true, "ment"),
		}, gotText("fragment")),
		good("5.6 ping between two frames", []peerFrame{fragment(1, false, "frag"), sendPing("between"), fragment(0, true, "ment")},
			gotPong("between"), gotText("fragment")),
		good("5.7 pong between two frames", []peerFrame{fragment(1, false, "frag"), sendPong("between"), fragment(0, true, "ment")}, gotText("fragment")),
		good("5.8 pings between all frames", []peerFrame{
			fragment(1, false, "a"), sendPing("1"), fragment(0, false, "b"), sendPing("2"), fragment(0, false, "c"), sendPing("3"), fragment(0, true, "d"),
		}, gotPong("1"), gotPong("2"), gotPong("3"), gotText("abcd")),
		bad("5.9 final continuation of nothing", CodeProtocol, []peerFrame{fragment(0, true, "x"), sendText("y")}),
		bad("5.10 empty continuation of nothing", CodeProtocol, []peerFrame{fragment(0, true, "")}),
		bad("5.11 continuation behind a whole message", CodeProtocol, []peerFrame{sendText("whole"), fragment(0, true, "x")}, gotText("whole")),
		bad("5.12 continuation of nothing that is not final", CodeProtocol, []peerFrame{fragment(0, false, "x"), sendText("y")}),
		bad("5.13 empty continuation of nothing that is not final", CodeProtocol, []peerFrame{fragment(0, false, "")}),
		bad("5.14 that behind a whole message", CodeProtocol, []peerFrame{sendBinary("whole"), fragment(0, false, "x")}, gotBinary("whole")),
		bad("5.15 continuation behind a fragmented message", CodeProtocol, []peerFrame{
			fragment(1, false, "frag"), fragment(0, true, "ment"), fragment(0, false, "x"), sendText("y"),
		}, gotText("fragment")),
		bad("5.16 twice a continuation of nothing", CodeProtocol, []peerFrame{fragment(0, false, "x"), sendText("y"), fragment(0, true, "z")}),
		bad("5.17 final one, then a message", CodeProtocol, []peerFrame{fragment(0, true, "x"), sendText("y"), fragment(0, true, "z")}),
		bad("5.18 text inside a text", CodeProtocol, []peerFrame{fragment(1, false, "frag"), fragment(1, true, "ment")}),
		bad("5.18.1 binary inside a text", CodeProtocol, []peerFrame{fragment(1, false, "frag"), fragment(2, true, "ment")}),
		bad("5.18.2 text inside a binary", CodeProtocol, []peerFrame{fragment(2, false, "frag"), fragment(1, false, "ment")}),
		good("5.19 close of a fragmented message by a close", []peerFrame{fragment(1, false, "never finished")}),
		good("5.20 empty frames only", []peerFrame{fragment(1, false, ""), fragment(0, false, ""), fragment(0, true, "")}, gotText("")),
	}
	for i, n := range []int{2, 3, 10, 100, 1023, 1024} {
		send := []peerFrame{fragment(1, false, "a")}
		for range n - 2 {
			send = append(send, fragment(0, false, "b"))
		}
		send = append(send, fragment(0, true, "c"))
		cases = append(cases, good(fmt.Sprintf("5.21.%d text in %d frames", i+1, n), send, gotText("a"+strings.Repeat("b", n-2)+"c")))
	}
	send := []peerFrame{fragment(2, false, "a")}
	for range 1024 {
		send = append(send, fragment(0, false, ""))
	}
	return append(cases, bad("5.22 more frames than the limit", CodePolicy, send))
}

func closingCases() (cases []suiteCase) {
	closing := func(name, payload, answer string) suiteCase {
		return suiteCase{name: name, send: []peerFrame{{first: 0x88, payload: payload}, sendText("not to be answered")}, want: []string{"close " + answer}}
	}
	of := func(code int, reason string) string { return string([]byte{byte(code >> 8), byte(code)}) + reason }
	cases = append(cases,
		good("7.1.1 message, then close", []peerFrame{sendText("Hello")}, gotText("Hello")),
		suiteCase{name: "7.1.2 two closes", send: []peerFrame{closing1000(), closing1000()}, want: []string{"close 1000"}},
		suiteCase{name: "7.1.3 ping behind the close", send: []peerFrame{closing1000(), sendPing("x"), closing1000()}, want: []string{"close 1000"}},
		suiteCase{
			name: "7.1.4 message behind the close", want: []string{"close 1000"}, send: []peerFrame{closing1000(), sendText("x"), closing1000()},
		},
		suiteCase{
			name: "7.1.5 rest of a message behind the close", want: []string{"close 1000"},
			send: []peerFrame{fragment(1, false, "a"), closing1000(), fragment(0, true, "b"), closing1000()},
		},
		good("7.1.6 large message, ping and close", []peerFrame{sendText(repeat(256 << 10)), sendPing("x")}, gotText(repeat(256<<10)), gotPong("x")),
		closing("7.3.1 close without payload", "", "1005"),
		closing("7.3.2 payload of one octet", "\x03", "1002"),
		closing("7.3.3 code only", of(1000, ""), "1000"),
		closing("7.3.4 with a reason", of(1000, "Hello, world!"), "1000"),
		closing("7.3.5 reason of 123 octets", of(1000, repeat(123)), "1000"),
		closing("7.3.6 reason of 124 octets", of(1000, repeat(124)), "1002"),
		closing("7.3.7 reason that is not ASCII", of(1000, "κόσμε"), "1000"),
		closing("7.5.1 reason that is not UTF-8", of(1000, "κόσμε\xed\xa0\x80edited"), "1007"),
		closing("7.5.2 reason that ends inside a code point", of(1000, "\xe2\x82"), "1007"),
	)
	for i, code := range []int{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999} {
		cases = append(cases, closing(fmt.Sprintf("7.7.%d good code %d", i+1, code), of(code, ""), fmt.Sprint(code)))
	}
	for i, code := range []int{0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 9999, 65535} {
		cases = append(cases, closing(fmt.Sprintf("7.9.%d bad code %d", i+1, code), of(code, ""), "1002"))
	}
	return cases
}

// sizeCases are those of sections 9 and 10, scaled down; what they cost is measured elsewhere.
func sizeCases() (cases []suiteCase) {
	config := Config{Limits: Limits{Frame: 2 << 20}}
	for i, n := range []int{64 << 10, 256 << 10, 1 << 20, 1<<20 + 1} {
		c := good(fmt.Sprintf("9.1.%d text of %d octets", i+1, n), []peerFrame{sendText(repeat(n))}, gotText(repeat(n)))
		c.config = config
		cases = append(cases, c)
		c = good(fmt.Sprintf("9.2.%d binary of %d octets", i+1, n), []peerFrame{sendBinary(repeat(n))}, gotBinary(repeat(n)))
		c.config = config
		cases = append(cases, c)
	}
	for i, size := range []int{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10} {
		n := min(size*1000, 256<<10)
		cases = append(cases,
			good(fmt.Sprintf("9.3.%d text of %d octets in frames of %d", i+1, n, size), cut(1, repeat(n), size), gotText(repeat(n))),
			good(fmt.Sprintf("9.4.%d binary of %d octets in frames of %d", i+1, n, size), cut(2, repeat(n), size), gotBinary(repeat(n))))
	}
	for i, chop := range []int{64, 128, 256, 512, 1024, 2048} {
		c := good(fmt.Sprintf("9.5.%d text of 128 KiB, %d octets at a time", i+1, chop), []peerFrame{sendText(repeat(128 << 10))}, gotText(repeat(128<<10)))
		c.chop = chop
		cases = append(cases, c)
		c = good(fmt.Sprintf("9.6.%d binary of 128 KiB, %d octets at a time", i+1, chop), []peerFrame{sendBinary(repeat(128 << 10))}, gotBinary(repeat(128<<10)))
		c.chop = chop
		cases = append(cases, c)
	}
	for i, n := range []int{0, 16, 64, 256, 1024} {
		var send []peerFrame
		var want []string
		for range 100 {
			send, want = append(send, sendText(repeat(n))), append(want, gotText(repeat(n)))
		}
		cases = append(cases, good(fmt.Sprintf("9.7.%d a hundred messages of %d octets", i+1, n), send, want...))
	}
	return append(cases,
		bad("9.9.1 frame beyond the limit", CodeTooBig, []peerFrame{sendBinary(repeat(1<<20 + 1))}),
		bad("9.9.2 message beyond the limit", CodeTooBig, cut(2, repeat(4<<20+1), 1<<20)),
		good("9.9.3 message of the limit", cut(2, repeat(4<<20), 1<<20), gotBinary(repeat(4<<20))),
		good("10.1.1 text of 65536 octets in frames of 1300", cut(1, repeat(65536), 1300), gotText(repeat(65536))),
	)
}

// cut is a message in frames of size octets.
func cut(kind byte, payload string, size int) (frames []peerFrame) {
	for len(payload) > size {
		frames = append(frames, fragment(kind, false, payload[:size]))
		payload, kind = payload[size:], 0
	}
	return append(frames, fragment(kind, true, payload))
}
