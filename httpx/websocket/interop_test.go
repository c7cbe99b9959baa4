//go:build interop

package websocket_test

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx/websocket"
)

// These tests talk to Node's package ws 8, which NODE_PATH must lead to; without it, or without Node, they fail.

// deflations are settings of permessage-deflate, ours and those of ws.
var deflations = map[string]struct {
	ours   *websocket.Deflate
	theirs string
}{
	"none":     {nil, "false"},
	"declined": {nil, "true"},
	"alone":    {&websocket.Deflate{MinBytes: 1, Cap: raised}, `{"threshold":0}`},
	"takeover": {&websocket.Deflate{ServerTakeover: true, ClientTakeover: true, MinBytes: 1, Cap: raised}, `{"threshold":0}`},
	"theirs alone": {
		&websocket.Deflate{ServerTakeover: true, ClientTakeover: true, Cap: raised},
		`{"serverNoContextTakeover":true,"clientNoContextTakeover":true}`,
	},
	"server keeps, client does not": {
		&websocket.Deflate{ServerTakeover: true, MinBytes: 1, Level: 6, Cap: raised}, `{"threshold":0}`,
	},
	"small windows": {
		&websocket.Deflate{ServerTakeover: true, ClientTakeover: true, ServerWindowBits: 9, ClientWindowBits: 10, MinBytes: 1, Cap: raised},
		`{"threshold":0,"serverMaxWindowBits":9,"clientMaxWindowBits":10}`,
	},
	"small windows, alone": {
		&websocket.Deflate{ServerWindowBits: 10, ClientWindowBits: 9, MinBytes: 1, Cap: raised},
		`{"threshold":0,"serverMaxWindowBits":10,"clientMaxWindowBits":9}`,
	},
}

func TestNodesClientFindsNoFault(t *testing.T) {
	for name, d := range deflations {
		t.Run(name, func(t *testing.T) {
			u := upgrader()
			u.Deflate = d.ours
			u.Config.Limits = websocket.Limits{Frame: 32 << 20, Message: 32 << 20}
			addr := serve(t, u)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, "node", "testdata/client.js", addr[strings.LastIndexByte(addr, ':')+1:], d.theirs).CombinedOutput()
			t.Logf("%s", out)
			require.NoError(t, err)
			require.True(t, strings.HasSuffix(string(out), "\ndone\n"))
			require.Equal(t, d.ours != nil && d.theirs != "false", strings.Contains(string(out), "permessage-deflate"))
		})
	}
}

// node runs a server of ws for the length of the test and gives its address.
func node(t *testing.T, options string) string {
	t.Helper()
	cmd := exec.Command("node", "testdata/server.js", options)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stop := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer stop.Stop()
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait(), "%s", &complaints)
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return "ws://127.0.0.1:" + strings.TrimSpace(port) + "/"
}

func TestNodesServerUnderstandsUs(t *testing.T) {
	for name, d := range deflations {
		t.Run(name, func(t *testing.T) {
			url := node(t, d.theirs)
			dialer := func() *websocket.Dialer {
				return &websocket.Dialer{
					Deflate: d.ours, Protocols: []string{"echo"},
					Config: websocket.Config{Limits: websocket.Limits{Frame: 8 << 20, Message: 8 << 20}},
				}
			}
			ch, box := dial(t, dialer(), url)
			for i := range 300 {
				require.NoError(t, ch.Send(websocket.NewText(fmt.Sprintf("message %d, message %d", i, i)), nil))
			}
			for i := range 300 {
				p, err := box.next()
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("message %d, message %d", i, i), string(p))
			}
			big := websocket.NewText(strings.Repeat("a text of more than one frame; ", 100_000))
			want := big.Text()
			require.NoError(t, ch.Send(big, nil))
			p, err := box.next()
			require.NoError(t, err)
			require.Equal(t, want, string(p))
			prepared, err := websocket.Prepare(websocket.NewText(want[:10_000]))
			require.NoError(t, err)
			require.NoError(t, ch.Send(prepared, nil))
			p, err = box.next()
			require.NoError(t, err)
			require.Equal(t, want[:10_000], string(p))
			require.NoError(t, ch.Send(websocket.NewText("ping me"), nil))
			p, err = box.next()
			require.NoError(t, err)
			require.Equal(t, "pong x", string(p))
			require.NoError(t, converse(t.Context(), ch, box))

			ch, box = dial(t, dialer(), url)
			require.NoError(t, ch.Send(websocket.NewText("close me"), nil))
			e, err := box.end()
			require.NoError(t, err)
			require.Equal(t, websocket.CloseEvent{Code: 4444, Reason: "as you wish", Remote: true, Clean: true}, e)

			ch, box = dial(t, dialer(), url)
			require.NoError(t, ch.Send(websocket.NewText("break"), nil))
			e, err = box.end()
			require.NoError(t, err)
			require.Equal(t, websocket.CodeProtocol, e.Code)
		})
	}
}
