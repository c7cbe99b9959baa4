//go:build load

package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"time"
)

// raws runs clients of octets, one after the other: they send frames in pieces, wait for the receipts or leave at once, in the
// midst of a frame or with something that is no frame.
func (m *mix) raws(number int) {
	for life := 0; m.running(); life++ {
		m.raw(m.ledger.open(fmt.Sprintf("queueRaw%d.%d", number, life)))
		m.ledger.count("raw connections")
		m.rest(200)
	}
}

func (m *mix) raw(a *account) {
	conn, err := net.Dial("tcp", m.address)
	switch {
	case errors.Is(err, syscall.ECONNRESET): // killed before it could be used
		return
	case err != nil:
		m.ledger.fault("dial: %v", err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	wire := "CONNECT\naccept-version:1.2\nhost:h\n\n\x00\n"
	ends := []int{} // of frames
	for range rand.IntN(40) + 1 {
		number, body := m.ledger.next(a, size())
		wire += fmt.Sprintf("SEND\ndestination:%s\nreceipt:%d\n\n%s\x00\r\n", m.queue(), number, body)
		ends = append(ends, len(wire)-2)
	}
	sent, junk := len(wire), false
	stay := rand.IntN(2) == 0
	if !stay {
		if junk = rand.IntN(2) == 0; junk {
			sent = ends[rand.IntN(len(ends))]
		} else {
			sent = rand.IntN(len(wire))
		}
	}
	rest := wire[:sent]
	if junk {
		rest += "\x01junk\n\n\x00"
	}
	for rest != "" && err == nil {
		n := 1 + rand.IntN(len(rest))
		_, err = conn.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	got := make(map[int]bool)
	if stay && err == nil {
		got = receipts(conn, len(ends))
	} else if tcp, ok := conn.(*net.TCPConn); ok && rand.IntN(2) == 0 {
		_ = tcp.SetLinger(0) // it resets
	}
	for number, end := range ends {
		switch {
		case got[number]:
			m.ledger.note(a, number, number+1, confirmed)
		case end <= sent:
			m.ledger.note(a, number, number+1, doubtful)
		default:
			m.ledger.note(a, number, number+1, never)
		}
	}
}

// receipts reads until n of them have come or the connection ends.
func receipts(conn net.Conn, n int) map[int]bool {
	got := make(map[int]bool)
	for in := bufio.NewReader(conn); len(got) < n; {
		text, err := in.ReadString(0)
		if err != nil {
			return got
		}
		if _, id, ok := strings.Cut(text, "receipt-id:"); ok {
			var number int
			if _, err := fmt.Sscanf(id, "%d\n", &number); err == nil {
				got[number] = true
			}
		}
	}
	return got
}
