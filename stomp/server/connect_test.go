package server_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestTheHighestVersionThatBothAllowIsTaken(t *testing.T) {
	v10, v11, v12 := stomp.Version10, stomp.Version11, stomp.Version12
	for _, c := range []struct {
		accept  string // "-": no header
		allowed []stomp.Version
		want    string // "": refused
	}{
		{"1.2", nil, "1.2"},
		{"1.0,1.1,1.2", nil, "1.2"},
		{"1.2,1.0", nil, "1.2"},
		{"1.0, 1.1", nil, "1.1"},
		{"-", nil, "1.0"},
		{"3.0,1.1", nil, "1.1"},
		{"3.0", nil, ""},
		{"", nil, ""},
		{"1.0,1.1,1.2", []stomp.Version{v11}, "1.1"},
		{"1.0,1.1,1.2", []stomp.Version{v10, v11}, "1.1"},
		{"1.2", []stomp.Version{v12}, "1.2"},
		{"1.2", []stomp.Version{v10, v11}, ""},
		{"-", []stomp.Version{v12}, ""},
		{"3.0", []stomp.Version{v12}, ""},
	} {
		t.Run(fmt.Sprintf("%s and %v", c.accept, c.allowed), func(t *testing.T) {
			p := newPeers(t)
			p.cfg.Versions = c.allowed
			head := "CONNECT\nhost:h\n"
			if c.accept != "-" {
				head += "accept-version:" + c.accept + "\n"
			}
			p.send("A", head+"\n\x00")
			if c.want == "" {
				allowed := c.allowed
				if allowed == nil {
					allowed = []stomp.Version{v10, v11, v12}
				}
				require.Equal(t, fmt.Sprint(allowed), "["+strings.ReplaceAll(p.refused("A", "supported versions").Headers.Get("version"), ",", " ")+"]")
				return
			}
			require.Equal(t, c.want, p.take("A").Headers.Get("version"))
		})
	}
}

func TestConnectedSaysWhoAnswers(t *testing.T) {
	p := newPeers(t)
	p.cfg.Name = "tester/3"
	p.send("A", "STOMP\naccept-version:1.2\nhost:h\n\n\x00")
	f := p.take("A")
	require.Equal(t, "tester/3", f.Headers.Get("server"))
	require.Equal(t, p.conn("A").Channel().ID(), f.Headers.Get("session"))
	require.Equal(t, "10000,10000", f.Headers.Get("heart-beat"))
}

func TestHostsAreAskedForEveryClient(t *testing.T) {
	p := newPeers(t)
	var asked []string
	p.cfg.Hosts = func(host string) error {
		asked = append(asked, strings.Clone(host))
		if host == "good" {
			return nil
		}
		return errors.New("no such host here")
	}
	p.send("A", "CONNECT\naccept-version:1.2\nhost:good\n\n\x00")
	require.Equal(t, []string{"CONNECTED"}, p.got("A"))
	p.send("B", "CONNECT\naccept-version:1.2\nhost:bad\nreceipt:r\n\n\x00")
	p.refused("B", "no such host here")
	p.send("C", "CONNECT\n\n\x00")
	p.refused("C", "no such host here")
	require.Equal(t, []string{"good", "bad", ""}, asked)
}

func TestStrictClientsNameTheirHost(t *testing.T) {
	p := newPeers(t)
	p.cfg.Strict = true
	p.send("A", "CONNECT\naccept-version:1.1\n\n\x00")
	p.refused("A", "CONNECT without host")
	p.send("B", "CONNECT\n\n\x00") // 1.0 has no such header
	require.Equal(t, []string{"CONNECTED"}, p.got("B"))
}

func TestABadHeartBeatIsRefused(t *testing.T) {
	for _, value := range []string{"1", "a,b", "-1,0", "1,2,3", "1.5,2"} {
		p := newPeers(t)
		p.send("A", "CONNECT\naccept-version:1.2\nhost:h\nheart-beat:"+value+"\n\n\x00")
		p.refused("A", "heart-beat is not two numbers")
	}
}

func TestFramesBehindConnectMayComeWithIt(t *testing.T) {
	p := newPeers(t)
	p.send("A", "CONNECT\naccept-version:1.2\nhost:h\n\n\x00\nSUBSCRIBE\nid:1\ndestination:/topic/a\n\n\x00"+
		"SEND\ndestination:/topic/a\nk:a\\cb\n\nhi\x00DISCONNECT\nreceipt:bye\n\n\x00")
	got := p.got("A")
	require.Equal(t, "CONNECTED", got[0])
	require.Equal(t, "RECEIPT bye", got[len(got)-1])
	require.True(t, p.closed("A"))
}

func TestMatchKnowsClients(t *testing.T) {
	require.Equal(t, "yes", verdict("CONNECT\n"))
	require.Equal(t, "yes", verdict("STOMP\r\n"))
	require.Equal(t, "more", verdict("CONN"))
	require.Equal(t, "no", verdict("GET / HTTP/1.1"))
}

func verdict(prefix string) string {
	return [...]string{"no", "more", "yes"}[server.Match([]byte(prefix))]
}
