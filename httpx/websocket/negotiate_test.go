package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServersAcceptTheFirstOfferThatTheyUnderstand(t *testing.T) {
	both := Deflate{ServerTakeover: true, ClientTakeover: true}
	for _, tt := range []struct {
		name, offer string
		want        Deflate
		answer      string // "" = declined
	}{
		{"nothing", "", both, ""},
		{"another extension", "x-webkit-deflate-frame", both, ""},
		{"plain, alone", "permessage-deflate", Deflate{}, "permessage-deflate; server_no_context_takeover; client_no_context_takeover"},
		{"plain, with takeover", "permessage-deflate", both, "permessage-deflate"},
		{"as browsers ask", "permessage-deflate; client_max_window_bits", both, "permessage-deflate"},
		{"without the server's takeover", "permessage-deflate; server_no_context_takeover", both, "permessage-deflate; server_no_context_takeover"},
		{"without the client's takeover", "permessage-deflate; client_no_context_takeover", both, "permessage-deflate; client_no_context_takeover"},
		{"a smaller window of the server", "permessage-deflate; server_max_window_bits=10", both, "permessage-deflate; server_max_window_bits=10"},
		{"the full window of the server, said", "permessage-deflate; server_max_window_bits=15", both, "permessage-deflate; server_max_window_bits=15"},
		{
			"a small window that we want", "permessage-deflate; server_max_window_bits=12; client_max_window_bits=13",
			Deflate{ServerTakeover: true, ClientTakeover: true, ServerWindowBits: 9, ClientWindowBits: 11},
			"permessage-deflate; server_max_window_bits=9; client_max_window_bits=11",
		},
		{
			"a client that does not know window bits", "permessage-deflate",
			Deflate{ServerTakeover: true, ClientTakeover: true, ClientWindowBits: 11},
			"permessage-deflate",
		},
		{
			"a client's own smaller window", "permessage-deflate; client_max_window_bits=9", both, "permessage-deflate; client_max_window_bits=9",
		},
		{"quoted", "permessage-deflate; server_max_window_bits=\"10\"", both, "permessage-deflate; server_max_window_bits=10"},
		{"second offer", "permessage-deflate; unknown, permessage-deflate; server_no_context_takeover", both, "permessage-deflate; server_no_context_takeover"},
		{"unknown parameter", "permessage-deflate; unknown", both, ""},
		{"twice the same", "permessage-deflate; server_no_context_takeover; server_no_context_takeover", both, ""},
		{"value that must not be", "permessage-deflate; server_no_context_takeover=1", both, ""},
		{"value that must not be, client", "permessage-deflate; client_no_context_takeover=x", both, ""},
		{"value missing", "permessage-deflate; server_max_window_bits", both, ""},
		{"7 bits", "permessage-deflate; server_max_window_bits=7", both, ""},
		{"16 bits", "permessage-deflate; client_max_window_bits=16", both, ""},
		{"leading zero", "permessage-deflate; client_max_window_bits=09", both, ""},
		{"no number", "permessage-deflate; client_max_window_bits=x", both, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			offers, ok := parseExtensions(fieldLines(tt.offer))
			require.True(t, ok)
			agreed, answer := tt.want.choose(offers)
			require.Equal(t, tt.answer, answer)
			require.Equal(t, answer == "", agreed == nil)
		})
	}
	agreed, answer := (*Deflate)(nil).choose([]extension{{name: extensionDeflate}})
	require.Nil(t, agreed)
	require.Empty(t, answer)
}

func TestClientsAskForWhatTheyWant(t *testing.T) {
	for want, d := range map[string]Deflate{
		"permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits": {},
		"permessage-deflate; client_max_window_bits":                                                         {ServerTakeover: true, ClientTakeover: true},
		"permessage-deflate; server_max_window_bits=10; client_max_window_bits=9":                            {ServerTakeover: true, ClientTakeover: true, ServerWindowBits: 10, ClientWindowBits: 9},
	} {
		require.Equal(t, want, d.offer().String())
	}
}

func TestClientsTakeOnlyAnswersWithinTheirOffer(t *testing.T) {
	both := Deflate{ServerTakeover: true, ClientTakeover: true, Level: 3}
	small := Deflate{ServerTakeover: true, ClientTakeover: true, ServerWindowBits: 10, ClientWindowBits: 9}
	for _, tt := range []struct {
		name   string
		want   Deflate
		answer string
		agreed *Deflate // nil = refused
	}{
		{"plain", both, "", &Deflate{ServerTakeover: true, ClientTakeover: true, ServerWindowBits: 15, ClientWindowBits: 15, Level: 3}},
		{"less", both, "; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9; client_max_window_bits=8", &Deflate{
			ServerWindowBits: 9, ClientWindowBits: 8, Level: 3,
		}},
		{"takeover that was not wanted", Deflate{}, "", nil},
		{"no takeover, as wanted", Deflate{}, "; server_no_context_takeover", &Deflate{ServerWindowBits: 15, ClientWindowBits: 15}},
		{"a window as wanted", small, "; server_max_window_bits=10", &Deflate{
			ServerTakeover: true, ClientTakeover: true, ServerWindowBits: 10, ClientWindowBits: 9,
		}},
		{"a larger window than wanted", small, "; server_max_window_bits=11", nil},
		{"no window where one was wanted", small, "", nil},
		{"a larger window of ours", small, "; server_max_window_bits=10; client_max_window_bits=10", nil},
		{"window without a value", both, "; client_max_window_bits", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, ok := parseExtensions(fieldLines(extensionDeflate + tt.answer))
			require.True(t, ok)
			p, ok := parseDeflate(list[0])
			require.True(t, ok)
			agreed, ok := tt.want.settle(p)
			require.Equal(t, tt.agreed != nil, ok)
			if ok {
				require.Equal(t, *tt.agreed, agreed)
			}
		})
	}
}

func TestBothEndsAgreeOnTheSame(t *testing.T) {
	settings := []Deflate{
		{},
		{ServerTakeover: true},
		{ClientTakeover: true},
		{ServerTakeover: true, ClientTakeover: true},
		{ServerWindowBits: 9},
		{ClientWindowBits: 10},
		{ServerWindowBits: 12, ClientWindowBits: 13, ServerTakeover: true, ClientTakeover: true},
	}
	for _, server := range settings {
		for _, client := range settings {
			offers, ok := parseExtensions(fieldLines(client.offer().String()))
			require.True(t, ok)
			ours, answer := server.choose(offers)
			require.NotNil(t, ours)
			list, ok := parseExtensions(fieldLines(answer))
			require.True(t, ok)
			p, ok := parseDeflate(list[0])
			require.True(t, ok)
			theirs, ok := client.settle(p)
			require.True(t, ok, "%+v and %+v: %s", server, client, answer)
			require.Equal(t, ours.ServerTakeover, theirs.ServerTakeover)
			require.Equal(t, ours.ServerWindowBits, theirs.ServerWindowBits)
			// What the client sends may be less than what the server is ready for.
			require.True(t, ours.ClientTakeover || !theirs.ClientTakeover)
			require.LessOrEqual(t, theirs.ClientWindowBits, ours.ClientWindowBits)
		}
	}
}
