package main

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"
)

// gnetHTTP is a server as one writes it by hand on gnet: it looks at the request line and at each field line as far as a
// request without a body needs, and sends the answers of what came at once in one write.
type gnetHTTP struct {
	gnet.BuiltinEventEngine
	engine chan gnet.Engine
	answer atomic.Pointer[[]byte]
	out    []byte // of the one loop
}

func serveGnetHTTP(ctx context.Context) error {
	h := &gnetHTTP{engine: make(chan gnet.Engine, 1)}
	everySecond(ctx, func(now string) {
		answer := []byte("HTTP/1.1 200 OK\r\ncontent-type: " + answerType + "\r\nserver: " + answerServer + "\r\ndate: " + now +
			"\r\ncontent-length: " + answerLength + "\r\n\r\n" + answerBody)
		h.answer.Store(&answer)
	})
	return runGnet(ctx, h, h.engine)
}

// OnBoot hands the engine out.
func (h *gnetHTTP) OnBoot(engine gnet.Engine) gnet.Action {
	h.engine <- engine
	return gnet.None
}

// OnTraffic answers the requests that are complete.
func (h *gnetHTTP) OnTraffic(c gnet.Conn) gnet.Action {
	in, err := c.Peek(-1)
	if err != nil {
		return gnet.Close
	}
	answer := *h.answer.Load()
	h.out = h.out[:0]
	used := 0
	for used < len(in) {
		n, ok := parseByHand(in[used:])
		if !ok {
			return gnet.Close
		}
		if n == 0 {
			break
		}
		used += n
		h.out = append(h.out, answer...)
	}
	if _, err := c.Discard(used); err != nil {
		return gnet.Close
	}
	if len(h.out) > 0 {
		if _, err := c.Write(h.out); err != nil {
			return gnet.Close
		}
	}
	return gnet.None
}

// parseByHand returns the length of the first head, 0 when it is not complete. ok is false for what it can't serve.
func parseByHand(in []byte) (n int, ok bool) {
	for line := 0; ; line++ {
		end := bytes.IndexByte(in[n:], '\n')
		if end < 0 {
			return 0, true
		}
		text := in[n : n+end]
		n += end + 1
		if len(text) == 0 || text[len(text)-1] != '\r' {
			return 0, false
		}
		text = text[:len(text)-1]
		switch {
		case line == 0:
			if !bytes.HasPrefix(text, []byte("GET ")) || !bytes.HasSuffix(text, []byte(" HTTP/1.1")) {
				return 0, false
			}
		case len(text) == 0:
			return n, true
		case bytes.IndexByte(text, ':') < 1:
			return 0, false
		}
	}
}
