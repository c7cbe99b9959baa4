package main

import "github.com/penstock-go/penstock/stomp"

// stompKind is one row of the reference benchmark's fixtures. The names are the reference's; the headers are as many as
// really reach the wire: 1, 3, 6, 10 and 19.
type stompKind struct {
	name    string
	command string
	headers []string // names and values in turn
}

const (
	stompUUID = "11111111-2222-4333-8444-555555555555"
	stompTime = "1700000000000"
)

// stompKinds are the fixtures with fixed identifiers and time.
func stompKinds() []stompKind {
	message := func(name, subscription string, more ...string) stompKind {
		return stompKind{name, "MESSAGE", append([]string{
			"subscription", subscription, "message-id", stompUUID, "destination", "/queue/chat",
			"content-type", "application/octet-stream", "ack", stompUUID, "timestamp", stompTime,
		}, more...)}
	}
	return []stompKind{
		{"One", "RECEIPT", []string{"receipt-id", stompUUID}},
		{"Three", "ERROR", []string{"receipt-id", stompUUID, "content-type", "text/plain", "message", "malformed frame received"}},
		message("Seven", "7"),
		message("Eleven", "11", "Strict-Transport-Security", "max-age=31536000; includeSubdomains; preload", "Server", "GitHub.com",
			"Expires", "Sat, 01 Jan 2000 00:00:00 GMT", "Content-Language", "en"),
		message("Twenty", "20", "date", "Wed, 22 Apr 2015 00:40:28 GMT", "expires", "Tue, 31 Mar 1981 05:00:00 GMT",
			"last-modified", "Wed, 22 Apr 2015 00:40:28 GMT", "ms", "ms", "pragma", "no-cache", "server", "tsa_b",
			"set-cookie", "noneofyourbusiness", "strict-transport-security", "max-age=631138519", "version", "STOMP_v1.2",
			"x-connection-hash", "e176fe40accc1e2c613a34bc1941aa98", "x-content-type-options", "nosniff",
			"x-frame-options", "SAMEORIGIN", "x-transaction", "a54142ede693444d9"),
	}
}

// stompSizes are the reference's body lengths.
var stompSizes = []int{0, 10, 100, 1000, 10_000}

// withSize is k for a body of that size. A RECEIPT has none, and our encoder refuses one: then the row is an ERROR, for
// every peer.
func (k stompKind) withSize(size int) stompKind {
	if size > 0 && k.command == "RECEIPT" {
		k.command = "ERROR"
	}
	return k
}

// stompBody is a body without NUL, so that no peer needs a content-length, which the reference has none of.
func stompBody(size int) []byte {
	body := make([]byte, size)
	for i := range body {
		body[i] = byte(1 + i%255)
	}
	return body
}

// frame is the row as ours. The caller must release it.
func (k stompKind) frame(size int) *stomp.Frame {
	f := stomp.NewFrame(stomp.Command(k.command), k.headers...)
	f.Body.AppendBytes(stompBody(size))
	return f
}
