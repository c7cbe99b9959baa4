package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// httpServers run until their context ends, after they have printed their address.
var httpServers = map[string]func(context.Context) error{
	httpKind(ourPeer):          serveExchange,
	httpKind("penstock-codec"): serveCodec,
	httpKind("gnet"):           serveGnetHTTP,
	httpKind("fasthttp"):       serveFastHTTP,
	httpKind("net/http"):       serveNetHTTP,
	httpKind("nbio"):           serveNbio,
	httpKind("hertz"):          serveHertz,
	httpKind("go-netty"):       serveGoNetty,
}

// listenHTTP opens a listener and prints its address.
func listenHTTP() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		fmt.Println("address", l.Addr())
	}
	return l, err
}

// everySecond calls set with the date now, and then once a second until ctx ends: what a server without a date of its
// own sends.
func everySecond(ctx context.Context, set func(date string)) {
	set(time.Now().UTC().Format(http.TimeFormat))
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case now := <-t.C:
				set(now.UTC().Format(http.TimeFormat))
			case <-ctx.Done():
				return
			}
		}
	}()
}

// plaintext is the handler of the servers that take those of net/http. date, if any, is for servers that send none.
type plaintext struct{ date *atomic.Pointer[[]string] }

var (
	plaintextType   = []string{answerType}
	plaintextServer = []string{answerServer}
	plaintextLength = []string{answerLength}
	plaintextBody   = []byte(answerBody)
)

// ServeHTTP answers.
func (p plaintext) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h["Content-Type"] = plaintextType
	h["Server"] = plaintextServer
	h["Content-Length"] = plaintextLength
	if p.date != nil {
		h["Date"] = *p.date.Load()
	}
	_, _ = w.Write(plaintextBody) // an error is the client's leaving
}
