package transport

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func tcpAddr(ip string, port int) *net.TCPAddr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: port} }

func TestConnectionsShareAnEntranceWhileTheirAddressesAllow(t *testing.T) {
	here, there := tcpAddr("10.0.0.1", 80), tcpAddr("10.0.0.2", 80)
	g := &gate{}
	e := &entrances{gate: g}
	first := e.of(here, tcpAddr("1.2.3.4", 5))
	require.Equal(t, &entrance{gate: g, local: here}, first)
	require.Same(t, first, e.of(here, tcpAddr("1.2.3.5", 6)), "the peer is not in it")
	require.Same(t, first, e.of(tcpAddr("10.0.0.1", 80), tcpAddr("1.2.3.5", 6)), "equal is enough")
	require.Equal(t, &entrance{gate: g, local: there}, e.of(there, tcpAddr("1.2.3.4", 5)))
	path := &net.UnixAddr{Name: "/run/app", Net: "unix"}
	unnamed := e.of(path, &net.UnixAddr{Net: "unix"})
	require.Same(t, unnamed, e.of(path, &net.UnixAddr{Net: "unix"}))
	require.NotSame(t, unnamed, e.of(path, &net.UnixAddr{Name: "/run/peer", Net: "unix"}))
	require.NotSame(t, unnamed, e.of(path, nil))
	require.Equal(t, &entrance{local: here}, (*entrances)(nil).of(here, there), "nobody counts it")
}

func TestAddressesAreKeptInFewBytes(t *testing.T) {
	for _, a := range []*net.TCPAddr{
		{IP: net.IPv4(1, 2, 3, 4), Port: 65535},
		{IP: net.IPv4(1, 2, 3, 4).To4(), Port: 1},
		{IP: net.ParseIP("2001:db8::1"), Port: 80},
		{IP: net.ParseIP("fe80::1"), Port: 80, Zone: "eth0"},
	} {
		back := joinIP(splitIP(a)).(*net.TCPAddr)
		require.Equal(t, a.String(), back.String())
		require.True(t, a.IP.Equal(back.IP))
	}
	for _, a := range []net.Addr{nil, &net.TCPAddr{Port: 80}, &net.UnixAddr{Name: "x"}} {
		ip, _ := splitIP(a)
		require.False(t, ip.IsValid())
	}
}

func TestAddressesOutliveTheirConnection(t *testing.T) {
	s := &Server{Init: echoInit}
	serve(t, s, "tcp://127.0.0.1:0", "unix://"+filepath.Join(t.TempDir(), "s"))
	for i, a := range s.Addrs() {
		c := connectTo(t, s, i)
		ch := one(t, s)
		remote := ch.RemoteAddr().String()
		require.NoError(t, c.Close())
		eventually(t, "closed", func() bool { return s.Channels().Len() == 0 })
		require.Equal(t, a.String(), ch.LocalAddr().String())
		require.Equal(t, remote, ch.RemoteAddr().String())
		require.Equal(t, a.Network(), ch.RemoteAddr().Network())
	}
}
