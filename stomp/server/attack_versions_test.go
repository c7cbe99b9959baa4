package server_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp"
)

// What clients of each version may put into a header so that clients of another version read something else.
var hostileHeaders = []struct{ name, value string }{
	{"plain", "value"},
	{"back\\slash", "c:\\dir\\new"},
	{"x", "a:b:c"},
	{"co:lon", "v"},
	{"x", "cr\r"},
	{"x", "\rcr"},
	{"x", "a\rb"},
	{"x", "lf\nsubscription:other"},
	{"x", "crlf\r\n\r\nSEND"},
	{"n\nreceipt", "1"},
	{"n\r", "1"},
	{" space ", " around "},
	{"x", ""},
	{"x", "\\n\\c\\r\\t\\"},
	{"x", "\xff\xfe"},
	{"subscription", "forged"},
	{"message-id", "forged"},
	{"ack", "forged"},
	{"redelivered", "true"},
	{"content-length", "1"},
}

// A client that sends a header gets either the same to the others or nothing, and no frame of its own making.
func TestHeadersSurviveFromEachVersionToEachOther(t *testing.T) {
	own := map[string]bool{"subscription": true, "message-id": true, "ack": true, "redelivered": true, "content-length": true}
	versions := map[string]stomp.Version{"1.0": stomp.Version10, "1.1": stomp.Version11, "1.2": stomp.Version12}
	for from, version := range versions {
		for to := range versions {
			for _, h := range hostileHeaders {
				t.Run(from+" to "+to+" "+strings.ToValidUTF8(h.name+":"+h.value, "?"), func(t *testing.T) {
					send := stomp.NewFrame(stomp.CommandSend, "destination", "/topic/a", h.name, h.value)
					defer send.Release()
					send.Body.AppendString("x")
					e := stomp.Encoder{State: &stomp.State{Version: version}}
					text, err := e.AppendFrame(nil, send)
					if err != nil {
						return // nobody can say it in this version
					}
					p := newPeers(t)
					p.connect("from", from)
					p.connect("to", to)
					p.frame("to", "SUBSCRIBE destination:/topic/a id:1", "")
					p.send("from", string(text)+"SEND\ndestination:/topic/a\n\nlast\x00")
					frames := p.frames["to"]
					p.frames["to"] = nil
					require.NotEmpty(t, frames, p.got("from"))
					require.Equal(t, "last", frames[len(frames)-1].Body.String())
					for _, f := range frames[:len(frames)-1] {
						require.Equal(t, stomp.CommandMessage, f.Command)
						require.Equal(t, "x", f.Body.String())
						require.Equal(t, []string{"1"}, f.Headers.Values("subscription"))
						require.NotContains(t, f.Headers.Values("message-id"), "forged")
						require.Empty(t, f.Headers.Values("ack"))
						if !own[h.name] {
							require.Equal(t, []string{h.value}, f.Headers.Values(h.name))
						}
					}
					require.LessOrEqual(t, len(frames), 2)
				})
			}
		}
	}
}
