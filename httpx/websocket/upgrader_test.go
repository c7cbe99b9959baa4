package websocket_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// installEcho sends messages back.
func installEcho(ctx *pipeline.Context) error {
	return ctx.AddAfter(pipeline.OnRead(func(ctx *pipeline.Context, m *websocket.Message) error { return ctx.Write(m) }))
}

// installShout sends lines back in upper case.
func installShout(ctx *pipeline.Context) error {
	return ctx.AddAfter(codec.NewDecoder(&codec.Line{}), codec.NewEncoder[any](codec.LineEncoder{}),
		pipeline.OnLend(func(ctx *pipeline.Context, line *buffer.Buffer) error {
			return ctx.Write(buffer.FromString(strings.ToUpper(string(line.Bytes()))))
		}))
}

func upgrader() *websocket.Upgrader {
	return &websocket.Upgrader{Protocols: []websocket.Protocol{
		{Name: "shout", Stream: true, Text: true, Install: installShout},
		{Name: "echo", Install: installEcho},
		{Install: installEcho},
	}}
}

func serving(t *testing.T, f httpx.HandlerFunc) *pipelinetest.Channel {
	t.Helper()
	return pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: f, NoDate: true}))
}

// ask is a request for a WebSocket with further lines.
func ask(more ...string) string {
	return "GET /chat HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" + strings.Join(append(more, "", ""), "\r\n")
}

const hello = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58" // RFC 6455, 5.7

func TestUpgraderSwitchesAndWhatFollowsIsDecoded(t *testing.T) {
	ch := serving(t, upgrader().Handle)
	ch.Feed(ask() + hello)
	head, frames, ok := strings.Cut(ch.Wire(), "\r\n\r\n")
	require.True(t, ok)
	require.Equal(t, []string{
		"HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
	}, strings.Split(head, "\r\n"))
	require.Equal(t, "\x81\x05Hello", frames)
	require.NotContains(t, ch.Pipeline().String(), "httpx.", "HTTP has left")
	agreed, ok := websocket.AgreementOf(ch.Channel())
	require.True(t, ok)
	require.Equal(t, websocket.Agreement{}, agreed)
	ch.Feed(hello)
	require.Equal(t, "\x81\x05Hello", ch.Wire())
}

func TestUpgraderChoosesTheSubprotocolByTheClientsWish(t *testing.T) {
	for offer, want := range map[string]string{
		"":                                       "",
		"Sec-WebSocket-Protocol: echo":           "echo",
		"Sec-WebSocket-Protocol: unknown, shout": "shout",
		"Sec-WebSocket-Protocol: echo, shout":    "echo",
		"Sec-WebSocket-Protocol: unknown":        "",
		"Sec-WebSocket-Protocol: x\r\nSec-WebSocket-Protocol: shout": "shout",
	} {
		ch := serving(t, upgrader().Handle)
		if offer == "" {
			ch.Feed(ask())
		} else {
			ch.Feed(ask(offer))
		}
		wire := ch.Wire()
		require.Contains(t, wire, "101 Switching")
		if want == "" {
			require.NotContains(t, wire, "Sec-WebSocket-Protocol")
		} else {
			require.Contains(t, wire, "Sec-WebSocket-Protocol: "+want+"\r\n")
		}
		agreed, _ := websocket.AgreementOf(ch.Channel())
		require.Equal(t, want, agreed.Protocol)
	}
}

func TestUpgraderCarriesAnotherProtocol(t *testing.T) {
	ch := serving(t, upgrader().Handle)
	ch.Feed(ask("Sec-WebSocket-Protocol: shout"))
	ch.Wire()
	ch.Feed(hello + "\x82\x81\x00\x00\x00\x00\n")
	require.Equal(t, "\x81\x06HELLO\n", ch.Wire())
}

func TestUpgraderAgreesOnCompression(t *testing.T) {
	u := upgrader()
	u.Deflate = &websocket.Deflate{ServerTakeover: true, MinBytes: 1}
	ch := serving(t, u.Handle)
	ch.Feed(ask("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits; server_max_window_bits=10"))
	require.Contains(t, ch.Wire(), "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; server_max_window_bits=10\r\n")
	agreed, _ := websocket.AgreementOf(ch.Channel())
	require.Equal(t, &websocket.Deflate{ServerTakeover: true, ServerWindowBits: 10, ClientWindowBits: 15, MinBytes: 1}, agreed.Deflate)
	ch.Feed("\xc1\x87\x37\xfa\x21\x3d\xc5\xb2\xec\xf4\xfe\xfd\x21") // RFC 7692, 7.2.3.1
	require.Equal(t, "\x81\x05Hello", ch.Wire(), "five octets do not become fewer")
}

func TestUpgraderRefusesWhatIsNoGoodRequest(t *testing.T) {
	good := ask()
	without := func(line string) string { return strings.Replace(good, line+"\r\n", "", 1) }
	instead := func(old, with string) string { return strings.Replace(good, old, with, 1) }
	for name, tt := range map[string]struct {
		request string
		status  string
		line    string // in the answer
	}{
		"another method":          {instead("GET", "POST"), "405", "Allow: GET"},
		"no Upgrade":              {without("Upgrade: websocket"), "426", "Upgrade: websocket"},
		"another Upgrade":         {instead("Upgrade: websocket", "Upgrade: h2c"), "426", "Upgrade: websocket"},
		"no Connection":           {without("Connection: keep-alive, Upgrade"), "400", ""},
		"Connection without it":   {instead("keep-alive, Upgrade", "keep-alive"), "400", ""},
		"no key":                  {without("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), "400", ""},
		"short key":               {instead("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j"), "400", ""},
		"two keys":                {ask("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), "400", ""},
		"no version":              {without("Sec-WebSocket-Version: 13"), "426", "Sec-WebSocket-Version: 13"},
		"another version":         {instead("Version: 13", "Version: 8"), "426", "Sec-WebSocket-Version: 13"},
		"several versions":        {instead("Version: 13", "Version: 13, 8"), "426", "Sec-WebSocket-Version: 13"},
		"foreign page":            {ask("Origin: http://evil.example"), "403", ""},
		"bad list of protocols":   {ask("Sec-WebSocket-Protocol: a b"), "400", ""},
		"bad extensions":          {ask("Sec-WebSocket-Extensions: a;;b=\"c d\""), "400", ""},
		"old HTTP":                {instead("HTTP/1.1", "HTTP/1.0"), "400", ""},
		"a body":                  {ask("Content-Length: 1") + "x", "400", ""},
		"an ordinary GET of this": {"GET /chat HTTP/1.1\r\nHost: x\r\n\r\n", "426", "Upgrade: websocket"},
	} {
		t.Run(name, func(t *testing.T) {
			ch := serving(t, upgrader().Handle)
			ch.Feed(tt.request)
			wire := ch.Wire()
			require.True(t, strings.HasPrefix(wire, "HTTP/1.1 "+tt.status+" "), "%s", wire)
			if tt.line != "" {
				require.Contains(t, wire, tt.line+"\r\n")
			}
			_, ok := websocket.AgreementOf(ch.Channel())
			require.False(t, ok)
		})
	}
}

func TestUpgraderWithoutAFitProtocolRefuses(t *testing.T) {
	u := upgrader()
	u.Protocols = u.Protocols[:2]
	for _, request := range []string{ask(), ask("Sec-WebSocket-Protocol: unknown")} {
		ch := serving(t, u.Handle)
		ch.Feed(request)
		require.Contains(t, ch.Wire(), "400 Bad Request")
	}
}

func TestUpgraderAsksItsOwnOriginFunction(t *testing.T) {
	u := upgrader()
	u.Origin = websocket.Origins("http://friend.example")
	ch := serving(t, u.Handle)
	ch.Feed(ask("Origin: http://friend.example"))
	require.Contains(t, ch.Wire(), "101 ")
	ch = serving(t, u.Handle)
	ch.Feed(ask("Origin: http://example.org"))
	require.Contains(t, ch.Wire(), "403 ")
}

func TestUpgraderWaitsForItsTurn(t *testing.T) {
	var first *httpx.Exchange
	u := upgrader()
	ch := serving(t, func(ctx *pipeline.Context, x *httpx.Exchange) error {
		if first == nil {
			first = x
			return nil
		}
		return u.Handle(ctx, x)
	})
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\n\r\n" + ask() + hello)
	require.Empty(t, ch.Wire())
	require.NoError(t, first.RespondText(200, "first"))
	ch.RunPending()
	wire := ch.Wire()
	require.Less(t, strings.Index(wire, "200 OK"), strings.Index(wire, "101 Switching"))
	require.True(t, strings.HasSuffix(wire, "\x81\x05Hello"))
}

func TestUpgraderClosesWhatCannotBeInstalled(t *testing.T) {
	refused := errors.New("refused")
	u := &websocket.Upgrader{Protocols: []websocket.Protocol{{Install: func(*pipeline.Context) error { return refused }}}}
	ch := serving(t, u.Handle)
	ch.Feed(ask())
	ch.ExpectError(refused)
	require.True(t, strings.HasSuffix(ch.Wire(), "\r\n\r\n\x88\x02\x03\xf3"), "internal error")
}

func TestCheckSaysWhatWouldBeAgreedOn(t *testing.T) {
	r := httpx.NewRequest(httpx.MethodGet, "/")
	defer r.Release()
	_, err := upgrader().Check(r)
	var e *httpx.Error
	require.ErrorAs(t, err, &e)
	answer := websocket.Refusal(err)
	require.Equal(t, e.Status, answer.Status)
	answer.Release()
	answer = websocket.Refusal(errors.New("anything else"))
	require.Equal(t, 500, answer.Status)
	answer.Release()
}

func TestUpgraderWithSettingsThatMakeNoSenseAnswers500(t *testing.T) {
	u := upgrader()
	u.Deflate = &websocket.Deflate{ServerWindowBits: 99}
	ch := serving(t, u.Handle)
	ch.Feed(ask())
	require.Contains(t, ch.Wire(), "500 Internal Server Error")
}

func TestUpgradeRunsOverTheRouter(t *testing.T) {
	var router httpx.Router
	require.NoError(t, router.Handle("GET /chat", upgrader().Handle))
	ch := serving(t, router.Serve)
	ch.Feed(ask() + hello)
	require.True(t, strings.HasSuffix(ch.Wire(), "\x81\x05Hello"))
}
