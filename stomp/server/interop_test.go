//go:build interop

package server_test

import (
	"context"
	"net"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

// guests lets in who knows the passcode, and beats as often as tests have patience for. The tolerance is for machines that have
// more to do than to run this.
func guests() server.Config {
	return server.Config{
		Broker: &broker.Broker{},
		Authenticate: func(_ *pipeline.Context, l *server.Login) {
			if l.Login == "guest" && l.Passcode == "guest" {
				l.Accept()
			} else {
				l.Refuse("")
			}
		},
		HeartBeat: stomp.HeartBeat{Send: 200 * time.Millisecond, Receive: 200 * time.Millisecond},
		Tolerance: 3,
	}
}

// listen serves on a port of its own until the test ends, and returns that. No session is left then.
func listen(t *testing.T, init func(ch *pipeline.Channel) error) string {
	t.Helper()
	s := &transport.Server{Init: init}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	_, port, err := net.SplitHostPort(s.Addrs()[0].String())
	require.NoError(t, err)
	return port
}

// run runs a program of somebody else, which prints that it is done.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	require.Contains(t, string(out), "done\n")
}

// scenarios of a script, with the versions that have what they are about.
type scenarios []struct {
	name     string
	versions []string
}

var (
	everyVersion = []string{"1.0", "1.1", "1.2"}
	fromOneOne   = []string{"1.1", "1.2"}
)

func (s scenarios) run(t *testing.T, program, script string) {
	t.Helper()
	cfg := guests()
	port := listen(t, func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(&installer{cfg})
	})
	for _, c := range s {
		for _, v := range c.versions {
			t.Run(c.name+"/"+v, func(t *testing.T) { run(t, program, script, port, v, c.name) })
		}
	}
}

// TestPythonClients runs Debian's python3-stomp.
func TestPythonClients(t *testing.T) {
	scenarios{
		{"exchange", everyVersion},
		{"fidelity", everyVersion},
		{"cumulative", everyVersion},
		{"individual", fromOneOne},
		{"nack", fromOneOne},
		{"transactions", everyVersion},
		{"heartbeats", fromOneOne},
		{"reconnect", fromOneOne},
		{"temporary", everyVersion},
		{"refusals", everyVersion},
	}.run(t, "/usr/bin/python3", "testdata/interop/peer.py")
}

// TestRubyClients runs Debian's ruby-stomp.
func TestRubyClients(t *testing.T) {
	scenarios{
		{"acks", everyVersion},
		{"nacks", fromOneOne},
		{"transactions", everyVersion},
		{"heartbeats", fromOneOne},
	}.run(t, "ruby", "testdata/interop/peer.rb")
}

// TestStompJSOverWebSocket runs @stomp/stompjs in Node, over its package ws.
func TestStompJSOverWebSocket(t *testing.T) {
	shared := guests()
	upgrader := &websocket.Upgrader{}
	for name, v := range map[string]stomp.Version{"v12.stomp": stomp.Version12, "v11.stomp": stomp.Version11, "v10.stomp": stomp.Version10} {
		cfg := shared
		cfg.Versions = []stomp.Version{v}
		cfg.WrapFrame = func(f *stomp.Frame, encoded any) (any, error) {
			return websocket.MessageOf(f.Headers.Get("content-type"), encoded)
		}
		upgrader.Protocols = append(upgrader.Protocols, websocket.Protocol{
			Name: name, Stream: true, Text: true,
			Install: func(ctx *pipeline.Context) error { return server.Install(ctx, cfg) },
		})
	}
	port := listen(t, httpx.Init(httpx.ServerConfig{Handle: upgrader.Handle}))
	for _, v := range everyVersion {
		t.Run(v, func(t *testing.T) { run(t, "node", "testdata/interop/peer.mjs", "ws://127.0.0.1:"+port+"/", v) })
	}
}
