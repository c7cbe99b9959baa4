package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/examples/stomp-chat/stompjs"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/stomp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMembersOfARoomHearEachOther(t *testing.T) {
	l := newLobby(t)
	a, b, other := l.join("v12.stomp"), l.join("v11.stomp"), l.join("v10.stomp")
	a.enter("lobby")
	b.enter("lobby")
	other.enter("kitchen")
	a.text("SEND\ndestination:/topic/chat.lobby\ncontent-type:text/plain\nfrom:the king\nmood:fine\n\nGrüße\x00")
	for _, c := range []*client{a, b} {
		f, kind := c.next()
		require.Equal(t, stomp.CommandMessage, f.Command)
		require.Equal(t, "/topic/chat.lobby", f.Headers.Get("destination"))
		require.Equal(t, "1", f.Headers.Get("subscription"))
		require.Equal(t, []string{"Ann"}, f.Headers.Values("from"), "nobody speaks for somebody else")
		require.Equal(t, "fine", f.Headers.Get("mood"))
		require.NotEmpty(t, f.Headers.Get("message-id"))
		require.Equal(t, "Grüße", f.Body.String())
		require.Equal(t, websocket.TypeText, kind)
	}
	require.Empty(t, other.frames)
	b.text("UNSUBSCRIBE\nid:1\n\n\x00")
	a.text("SEND\ndestination:/topic/chat.lobby\n\nalone\x00")
	f, _ := a.next()
	require.Equal(t, "alone", f.Body.String())
	require.Empty(t, b.frames)
}

func TestTheTypeOfABodyIsTheTypeOfItsMessage(t *testing.T) {
	for name, c := range map[string]struct {
		contentType, body string
		want              websocket.Type
	}{
		"text":                   {"text/plain;charset=utf-8", "hello", websocket.TypeText},
		"JSON":                   {"application/json", "{}", websocket.TypeText},
		"a picture":              {"image/png", "\x89PNG\x00\xff", websocket.TypeBinary},
		"octets that would do":   {"application/octet-stream", "hello", websocket.TypeBinary},
		"text that is not UTF-8": {"text/plain", "gr\xfc\xdfe", websocket.TypeBinary},
		"text with a NUL":        {"text/plain", "a\x00b", websocket.TypeText},
		"no type":                {"", "hello", websocket.TypeBinary},
	} {
		t.Run(name, func(t *testing.T) {
			a := newLobby(t).join("v12.stomp")
			a.enter("lobby")
			a.binary(fmt.Sprintf("SEND\ndestination:/topic/chat.lobby\ncontent-type:%s\ncontent-length:%d\n\n%s\x00",
				c.contentType, len(c.body), c.body))
			f, kind := a.next()
			require.Equal(t, c.want, kind)
			require.Equal(t, c.contentType, f.Headers.Get("content-type"))
			require.Equal(t, c.body, f.Body.String())
			require.True(t, a.IsOpen())
		})
	}
}

func TestLargeBodiesAreOneMessageEach(t *testing.T) {
	for name, c := range map[string]struct {
		contentType string
		want        websocket.Type
		end         string
	}{
		"a picture": {"image/png", websocket.TypeBinary, "\x89\x00\xff\x01"},
		"a text":    {"text/plain", websocket.TypeText, "…\n"},
		"not UTF-8": {"text/plain", websocket.TypeBinary, "ab\xc3\x28"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLobby(t)
			a, b := l.join("v12.stomp"), l.join("v12.stomp")
			a.enter("lobby")
			b.enter("lobby")
			body := strings.Repeat("a", maxBody-len(c.end)) + c.end
			a.binary(fmt.Sprintf("SEND\ndestination:/topic/chat.lobby\ncontent-type:%s\ncontent-length:%d\n\n%s\x00",
				c.contentType, len(body), body))
			for _, c2 := range []*client{a, b} {
				f, kind := c2.next()
				require.Equal(t, c.want, kind)
				require.Equal(t, maxBody, f.Body.Len())
				require.True(t, body == f.Body.String(), "other octets") //nolint:testifylint // a megabyte would be printed
				require.Empty(t, c2.frames)
			}
			a.binary(fmt.Sprintf("SEND\ndestination:/topic/chat.lobby\ncontent-length:%d\n\n", maxBody+1))
			f, _ := a.next()
			require.Equal(t, stomp.CommandError, f.Command)
		})
	}
}

func TestFramesMayShareAMessageAndBeSpreadOverSome(t *testing.T) {
	input := "SEND\ndestination:/topic/chat.lobby\ncontent-type:text/plain\n\none €\x00\n" +
		"SEND\ndestination:/topic/chat.lobby\ncontent-type:text/plain\ncontent-length:3\n\n\x00\x00\n\x00\r\n\n" +
		"SEND\ndestination:/topic/chat.lobby\ncontent-type:text/plain\n\nthree\x00"
	want := []string{"one €", "\x00\x00\n", "three"}
	check := func(a *client) {
		for _, body := range want {
			f, kind := a.next()
			require.Equal(t, body, f.Body.String())
			require.Equal(t, websocket.TypeText, kind)
		}
		require.Empty(t, a.frames)
	}
	t.Run("all in one", func(t *testing.T) {
		a := newLobby(t).join("v12.stomp")
		a.enter("lobby")
		a.text(input)
		check(a)
	})
	t.Run("octet by octet", func(t *testing.T) {
		a := newLobby(t).join("v12.stomp")
		a.enter("lobby")
		for i := range len(input) {
			a.binary(input[i : i+1])
		}
		check(a)
	})
	t.Run("cut in two anywhere", func(t *testing.T) {
		a := newLobby(t).join("v12.stomp")
		a.enter("lobby")
		for i := range len(input) {
			a.binary(input[:i])
			a.binary(input[i:])
			check(a)
		}
	})
	t.Run("messages in fragments", func(t *testing.T) {
		a := newLobby(t).join("v12.stomp")
		a.enter("lobby")
		for i, octet := range []byte(input) {
			piece := websocket.NewPiece(websocket.TypeText, buffer.FromBytes([]byte{octet}), i == 0, i == len(input)-1)
			require.NoError(t, a.Channel.Send(piece, nil))
		}
		a.RunPending()
		check(a)
	})
}

func TestSubprotocols(t *testing.T) {
	for _, offer := range [][]string{nil, {"v13.stomp"}, {"stomp", "v12.stomp2"}, {"V12.STOMP"}} {
		t.Run(fmt.Sprint("refused: ", offer), func(t *testing.T) {
			d := websocket.Dialer{Plain: newLobby(t).Dial, Protocols: offer}
			_, err := d.Dial(t.Context(), "ws://chat:80/chat", func(*pipeline.Channel) error { return nil })
			var refused *websocket.HandshakeError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, 400, refused.Status)
		})
	}
	for _, name := range []string{"v10.stomp", "v11.stomp", "v12.stomp"} {
		t.Run(name, func(t *testing.T) {
			c := newLobby(t).dial(name)
			agreed, ok := websocket.AgreementOf(c.Channel)
			require.True(t, ok)
			require.Equal(t, name, agreed.Protocol)
			require.NoError(t, c.Close())
			c.RunPending()
		})
	}
}

func TestAnErrorEndsTheConnectionProperly(t *testing.T) {
	for name, input := range map[string]string{
		"another version": "CONNECT\naccept-version:1.0,1.1\nhost:chat\nlogin:Ann\n\n\x00",
		"no name":         "CONNECT\naccept-version:1.2\nhost:chat\n\n\x00",
		"an empty name":   "CONNECT\naccept-version:1.2\nhost:chat\nlogin:  \n\n\x00",
		"a long name":     "CONNECT\naccept-version:1.2\nhost:chat\nlogin:" + strings.Repeat("x", maxName+1) + "\n\n\x00",
		"no CONNECT":      "SEND\ndestination:/topic/chat.lobby\n\nhi\x00",
		"no STOMP":        "{\"hello\": true}\n\n\x00",
		"no versions":     "CONNECT\naccept-version:9\nhost:chat\nlogin:Ann\n\n\x00",
	} {
		t.Run(name, func(t *testing.T) {
			c := newLobby(t).dial("v12.stomp")
			c.text(input)
			f, kind := c.next()
			require.Equal(t, stomp.CommandError, f.Command)
			require.NotEmpty(t, f.Headers.Get("message"))
			require.Equal(t, websocket.TypeText, kind, "its body is text")
			require.True(t, c.Closed())
			require.Equal(t, websocket.CodeNormal, c.code)
		})
	}
}

func TestDisconnectIsAnsweredAndClosesTheWebSocket(t *testing.T) {
	a := newLobby(t).join("v12.stomp")
	a.text("DISCONNECT\nreceipt:bye\n\n\x00")
	f, _ := a.next()
	require.Equal(t, "bye", f.Headers.Get("receipt-id"))
	require.True(t, a.Closed())
	require.Equal(t, websocket.CodeNormal, a.code)
}

func TestThePageAndItsScriptAreServed(t *testing.T) {
	routes, err := new(chat).routes()
	require.NoError(t, err)
	for path, want := range map[string]string{
		"/":                 "<title>Penstock STOMP chat</title>",
		stompjs.Path:        "StompJs={}",
		stompjs.LicensePath: "Apache License",
		"/chat":             "426 ",
		"/other":            "404 ",
	} {
		ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{Handle: routes.Serve}))
		ch.Feed("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
		require.Contains(t, ch.Wire(), want)
	}
	require.Contains(t, string(page), `src="`+stompjs.Path+`"`)
	require.NotRegexp(t, `(src|href)="(https?:)?//`, string(page), "the page needs nobody else")
}
