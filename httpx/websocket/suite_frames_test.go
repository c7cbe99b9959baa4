package websocket

import (
	"fmt"
	"strings"
)

// framingCases are messages of all lengths around those where the head changes.
func framingCases() (cases []suiteCase) {
	for i, n := range []int{0, 1, 124, 125, 126, 127, 128, 255, 256, 257, 65534, 65535, 65536} {
		cases = append(cases,
			good(fmt.Sprintf("1.1.%d text of %d octets", i+1, n), []peerFrame{sendText(repeat(n))}, gotText(repeat(n))),
			good(fmt.Sprintf("1.2.%d binary of %d octets", i+1, n), []peerFrame{sendBinary(strings.Repeat("\xfe", n))}, gotBinary(strings.Repeat("\xfe", n))),
		)
	}
	for i, chop := range []int{1, 7, 997, 4096} {
		n := 65536
		if chop == 1 {
			n = 2000
		}
		c := good(fmt.Sprintf("1.1.%d text of %d octets in pieces of %d", 14+i, n, chop), []peerFrame{sendText(repeat(n))}, gotText(repeat(n)))
		c.chop = chop
		cases = append(cases, c)
		c = good(fmt.Sprintf("1.2.%d binary of %d octets in pieces of %d", 14+i, n, chop), []peerFrame{sendBinary(repeat(n))}, gotBinary(repeat(n)))
		c.chop = chop
		cases = append(cases, c)
	}
	server := bad("1.3.1 frame without a mask to a server", CodeProtocol, []peerFrame{{raw: string(plainFrame(0x81, "x"))}})
	server.role = "server"
	client := bad("1.3.2 masked frame to a client", CodeProtocol, []peerFrame{{raw: string(frame(0x81, "x"))}})
	client.role = "client"
	return append(cases, server, client)
}

func pingCases() []suiteCase {
	long := repeat(125)
	octets := "\x00\xff\xfe\xfd\xfc\xfb\x00\xff"
	var many []peerFrame
	var answers []string
	for i := range 10 {
		many = append(many, sendPing(fmt.Sprintf("payload-%d", i)))
		answers = append(answers, gotPong(fmt.Sprintf("payload-%d", i)))
	}
	chopped := good("2.11 ten pings in pieces", many, answers...)
	chopped.chop = 3
	return []suiteCase{
		good("2.1 ping without payload", []peerFrame{sendPing("")}, gotPong("")),
		good("2.2 ping with text", []peerFrame{sendPing("Hello, world!")}, gotPong("Hello, world!")),
		good("2.3 ping with octets that are no text", []peerFrame{sendPing(octets)}, gotPong(octets)),
		good("2.4 ping of 125 octets", []peerFrame{sendPing(long)}, gotPong(long)),
		bad("2.5 ping of 126 octets", CodeProtocol, []peerFrame{sendPing(long + "*")}),
		bad("2.5.1 pong of 126 octets", CodeProtocol, []peerFrame{sendPong(long + "*")}),
		bad("2.5.2 ping of 65536 octets", CodeProtocol, []peerFrame{sendPing(repeat(65536))}),
		good("2.6 ping of 124 octets", []peerFrame{sendPing(long[1:])}, gotPong(long[1:])),
		good("2.7 pong nobody asked for", []peerFrame{sendPong("")}),
		good("2.8 pong with payload nobody asked for", []peerFrame{sendPong("unsolicited")}),
		good("2.9 pong nobody asked for, then a ping", []peerFrame{sendPong("unsolicited"), sendPing("real")}, gotPong("real")),
		good("2.10 ten pings", many, answers...),
		chopped,
		good("2.12 pings around a message", []peerFrame{sendPing("a"), sendText("b"), sendPing("c")}, gotPong("a"), gotText("b"), gotPong("c")),
	}
}

func reservedBitCases() (cases []suiteCase) {
	for rsv := 1; rsv <= 7; rsv++ {
		bits := byte(rsv << 4)
		cases = append(cases,
			bad(fmt.Sprintf("3.1.%d text with reserved bits %03b", rsv, rsv), CodeProtocol, []peerFrame{{first: 0x81 | bits, payload: "x"}}),
			bad(fmt.Sprintf("3.2.%d behind a good message, bits %03b", rsv, rsv), CodeProtocol,
				[]peerFrame{sendText("good"), {first: 0x81 | bits, payload: "x"}}, gotText("good")),
			bad(fmt.Sprintf("3.3.%d binary, bits %03b", rsv, rsv), CodeProtocol, []peerFrame{{first: 0x82 | bits}}),
			bad(fmt.Sprintf("3.4.%d continuation, bits %03b", rsv, rsv), CodeProtocol,
				[]peerFrame{fragment(1, false, "a"), {first: 0x80 | bits, payload: "x"}}),
			bad(fmt.Sprintf("3.5.%d ping, bits %03b", rsv, rsv), CodeProtocol, []peerFrame{{first: 0x89 | bits, payload: "x"}}),
			bad(fmt.Sprintf("3.6.%d pong, bits %03b", rsv, rsv), CodeProtocol, []peerFrame{{first: 0x8a | bits}}),
			bad(fmt.Sprintf("3.7.%d close, bits %03b", rsv, rsv), CodeProtocol, []peerFrame{{first: 0x88 | bits, payload: "\x03\xe8"}}),
		)
	}
	return cases
}

func opcodeCases() (cases []suiteCase) {
	for i, op := range []byte{3, 4, 5, 6, 7, 11, 12, 13, 14, 15} {
		section := 1 + i/5
		cases = append(cases,
			bad(fmt.Sprintf("4.%d.%d opcode %d", section, i%5+1, op), CodeProtocol, []peerFrame{{first: 0x80 | op}}),
			bad(fmt.Sprintf("4.%d.%d opcode %d with payload", section, i%5+6, op), CodeProtocol, []peerFrame{{first: 0x80 | op, payload: "reserved"}}),
			bad(fmt.Sprintf("4.%d.%d opcode %d behind a message", section, i%5+11, op), CodeProtocol,
				[]peerFrame{sendText("Hello, world!"), {first: 0x80 | op, payload: "x"}}, gotText("Hello, world!")),
			bad(fmt.Sprintf("4.%d.%d opcode %d not final, behind a ping", section, i%5+16, op), CodeProtocol,
				[]peerFrame{sendPing("a"), {first: op, payload: "x"}}, gotPong("a")),
		)
	}
	return cases
}
