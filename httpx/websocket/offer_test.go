package websocket

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
)

func TestOfferIsARequestThatServersAccept(t *testing.T) {
	header := new(httpx.Header)
	require.NoError(t, header.Add("Origin", "http://example.org"))
	o := &Offer{Target: "/chat?x=1", Host: "example.org", Header: header, Protocols: []string{"a", "b"}, Deflate: takeover()}
	keys := map[string]bool{}
	for range 2 {
		r, err := o.Request()
		require.NoError(t, err)
		require.Equal(t, "/chat?x=1", string(r.Target()))
		require.Equal(t, "http://example.org", string(r.Header.Get("Origin")))
		keys[string(r.Header.Get("Sec-WebSocket-Key"))] = true
		r.Version = httpx.Version11
		u := &Upgrader{Protocols: []Protocol{{Name: "b"}}, Deflate: takeover()}
		_, agreed, err := u.check(r)
		require.NoError(t, err)
		answer, err := switching(r, &agreed)
		require.NoError(t, err)
		got, err := o.Verify(answer)
		require.NoError(t, err)
		require.Equal(t, "b", got.Protocol)
		require.True(t, got.Deflate.ServerTakeover)
		r.Release()
		answer.Release()
	}
	require.Len(t, keys, 2)
}

func TestOfferOfWhatCannotBeSentIsAnError(t *testing.T) {
	for _, o := range []Offer{
		{Host: "a\r\nb"}, {Host: "a", Protocols: []string{"a b"}}, {Host: "a", Protocols: []string{""}}, {Host: "a", Protocols: []string{"a\n"}},
	} {
		_, err := o.Request()
		var e *httpx.Error
		require.ErrorAs(t, err, &e)
	}
	_, err := (&Offer{Host: "a", Deflate: &Deflate{ServerWindowBits: 3}}).Request()
	require.ErrorIs(t, err, codec.ErrConfig)
}

// answerTo is a good answer to o with changes: "Name: value" sets, "-Name" deletes, "+Name: value" adds.
func answerTo(t *testing.T, o *Offer, changes ...string) *httpx.Response {
	t.Helper()
	r := httpx.NewResponse(101)
	require.NoError(t, errors.Join(r.Header.Add("upgrade", "WebSocket"), r.Header.Add("connection", "keep-alive, Upgrade"),
		r.Header.Add("sec-websocket-accept", Accept(o.key))))
	for _, c := range changes {
		name, value, _ := strings.Cut(c, ": ")
		switch c[0] {
		case '-':
			require.Equal(t, 1, r.Header.Del(name[1:]))
		case '+':
			require.NoError(t, r.Header.Add(name[1:], value))
		default:
			require.NoError(t, r.Header.Set(name, value))
		}
	}
	t.Cleanup(r.Release)
	return r
}

func TestAnswersAreVerified(t *testing.T) {
	for name, tt := range map[string]struct {
		offer   Offer
		changes []string
		bad     string // "" = good
	}{
		"good":                        {Offer{}, nil, ""},
		"no Upgrade":                  {Offer{}, []string{"-upgrade"}, "the server switched to another protocol"},
		"another Upgrade":             {Offer{}, []string{"upgrade: h2c"}, "the server switched to another protocol"},
		"no Connection":               {Offer{}, []string{"-connection"}, "the server switched to another protocol"},
		"no accept":                   {Offer{}, []string{"-sec-websocket-accept"}, "wrong Sec-WebSocket-Accept"},
		"wrong accept":                {Offer{}, []string{"sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="}, "wrong Sec-WebSocket-Accept"},
		"two accepts":                 {Offer{}, []string{"+sec-websocket-accept: x"}, "wrong Sec-WebSocket-Accept"},
		"subprotocol":                 {Offer{Protocols: []string{"a", "b"}}, []string{"sec-websocket-protocol: b"}, ""},
		"no subprotocol":              {Offer{Protocols: []string{"a", "b"}}, nil, "no subprotocol"},
		"another subprotocol":         {Offer{Protocols: []string{"a", "b"}}, []string{"sec-websocket-protocol: c"}, "a subprotocol that was not asked for"},
		"two subprotocols":            {Offer{Protocols: []string{"a", "b"}}, []string{"+sec-websocket-protocol: a", "+sec-websocket-protocol: b"}, "a subprotocol that was not asked for"},
		"subprotocol nobody asked":    {Offer{}, []string{"sec-websocket-protocol: c"}, "a subprotocol that was not asked for"},
		"extension":                   {Offer{Deflate: takeover()}, []string{"sec-websocket-extensions: permessage-deflate"}, ""},
		"extension nobody asked":      {Offer{}, []string{"sec-websocket-extensions: permessage-deflate"}, "an extension that was not asked for"},
		"another extension":           {Offer{Deflate: takeover()}, []string{"sec-websocket-extensions: x"}, "an extension that was not asked for"},
		"two extensions":              {Offer{Deflate: takeover()}, []string{"sec-websocket-extensions: permessage-deflate, x"}, "an extension that was not asked for"},
		"bad extension":               {Offer{Deflate: takeover()}, []string{"sec-websocket-extensions: a b"}, "bad Sec-WebSocket-Extensions"},
		"bad parameter":               {Offer{Deflate: takeover()}, []string{"sec-websocket-extensions: permessage-deflate; x"}, "bad parameter of permessage-deflate"},
		"parameter beyond the offer":  {Offer{Deflate: &Deflate{}}, []string{"sec-websocket-extensions: permessage-deflate"}, "a parameter of permessage-deflate that was not asked for"},
		"no extension though offered": {Offer{Deflate: &Deflate{}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.offer.Host = "x"
			r, err := tt.offer.Request()
			require.NoError(t, err)
			r.Release()
			_, err = tt.offer.Verify(answerTo(t, &tt.offer, tt.changes...))
			if tt.bad == "" {
				require.NoError(t, err)
				return
			}
			var e *HandshakeError
			require.ErrorAs(t, err, &e)
			require.Equal(t, tt.bad, e.Reason)
		})
	}
	o := &Offer{Host: "x"}
	r := httpx.NewResponse(401)
	defer r.Release()
	_, err := o.Verify(r)
	require.EqualError(t, err, "websocket: handshake: the server refused: status 401")
	require.EqualError(t, &HandshakeError{Reason: "a"}, "websocket: handshake: a")
	require.ErrorIs(t, &HandshakeError{Reason: "a", Err: io.EOF}, io.EOF)
}
