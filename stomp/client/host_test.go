package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp/client"
)

func TestHostIsThatOfTheAddressUnlessItIsGiven(t *testing.T) {
	for _, tt := range []struct{ address, host, want string }{
		{"broker:61613", "", "broker"},
		{"broker", "", "broker"},
		{"10.0.0.1:61613", "", "10.0.0.1"},
		{"[2001:db8::1]:61613", "", "2001:db8::1"},
		{"ws://broker.example:15674/ws", "", "broker.example"},
		{"wss://broker.example/ws", "", "broker.example"},
		{"unix:///run/broker.sock", "", "localhost"},
		{"", "", "localhost"},
		{"broker:61613", "/", "/"},
		{"broker:61613", "other.example", "other.example"},
	} {
		t.Run(tt.address+tt.host, func(t *testing.T) {
			s := newScript(t, &client.Client{Host: tt.host})
			s.Address = tt.address
			s.net.Listen(tt.address, nil)
			s.begin()
			peer := s.net.Dialed(tt.address)[0]
			require.Contains(t, peer.WireString(), "\nhost:"+tt.want+"\n")
		})
	}
}
