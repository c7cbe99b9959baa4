package stomp

import (
	"strconv"
	"strings"
	"time"
)

// HeartBeat is the value of a heart-beat header: what its sender can do and what it would like.
// STOMP 1.2, "Heart-beating".
type HeartBeat struct {
	Send    time.Duration // the sender guarantees a sign of life this often; 0 = never
	Receive time.Duration // the sender wants one this often; 0 = it does not
}

// ParseHeartBeat reads a heart-beat header, two numbers of milliseconds with a comma between them. A missing
// header means "0,0". It returns ErrBadHeader for anything else.
func ParseHeartBeat(value string) (HeartBeat, error) {
	send, receive, ok := strings.Cut(value, ",")
	x, okX := parseMillis(send)
	y, okY := parseMillis(receive)
	if !ok || !okX || !okY {
		return HeartBeat{}, &Error{Reason: ErrBadHeader, Text: HeaderHeartBeat + ":" + value[:min(len(value), maxQuoted)]}
	}
	return HeartBeat{Send: x, Receive: y}, nil
}

// maxMillis is the longest interval that a header may name: about 24 days.
const maxMillis = 1<<31 - 1

func parseMillis(digits string) (time.Duration, bool) {
	n, ok := parseLength(digits)
	return time.Duration(min(n, maxMillis)) * time.Millisecond, ok
}

// String returns h as a header value, in whole milliseconds.
func (h HeartBeat) String() string {
	return strconv.FormatInt(h.Send.Milliseconds(), 10) + "," + strconv.FormatInt(h.Receive.Milliseconds(), 10)
}

// NegotiateHeartBeat returns how often each side has to send at least an EOL to the other; 0 = never. In each
// direction the slower of the two wins, and one side that says 0 turns it off.
func NegotiateHeartBeat(client, server HeartBeat) (clientToServer, serverToClient time.Duration) {
	return interval(client.Send, server.Receive), interval(server.Send, client.Receive)
}

func interval(can, wants time.Duration) time.Duration {
	if can <= 0 || wants <= 0 {
		return 0
	}
	return max(can, wants)
}
