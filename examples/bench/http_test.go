package main

import (
	"strings"
	"testing"
)

func TestEveryPeerGivesTheSameAnswer(t *testing.T) {
	if len(httpServers) != len(httpPeers) {
		t.Fatalf("%d servers, %d peers", len(httpServers), len(httpPeers))
	}
	for _, peer := range httpPeers {
		t.Run(peer, func(t *testing.T) {
			t.Parallel()
			srv, err := start(httpKind(peer))
			if err != nil {
				t.Fatal(err)
			}
			if err := checkAnswers(srv.addr); err != nil {
				t.Error(err)
			}
			if err := srv.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTheReportOfWrkIsRead(t *testing.T) {
	const report = `Running 3s test @ http://127.0.0.1:1/plaintext
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   585.92us  194.71us   7.55ms   91.67%
    Req/Sec   109.47k     5.68k  117.88k    80.00%
  326692 requests in 3.00s, 40.50MB read
Requests/sec: 108853.66
Transfer/sec:     13.50MB
`
	l, err := parseWrk(report)
	if err != nil || l.requests != 326692 || l.rate != 108853.66 {
		t.Fatal(l, err)
	}
	for _, bad := range []string{
		"", "0 requests in 3.00s, 0B read\nRequests/sec: 0.00\n",
		strings.Replace(report, "Requests/sec", "  Socket errors: connect 0, read 3, write 0, timeout 0\nRequests/sec", 1),
		strings.Replace(report, "Requests/sec", "  Non-2xx or 3xx responses: 3\nRequests/sec", 1),
	} {
		if _, err := parseWrk(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestFlagsOfHTTPChooseCasesAndPeers(t *testing.T) {
	cases, peers, err := httpPlan(settings{})
	if err != nil || len(cases) != 4 || len(peers) != len(httpPeers)-1 {
		t.Fatal(cases, peers, err)
	}
	cases, peers, err = httpPlan(settings{conns: list{"8"}, pipeline: list{"4"}, peers: list{"gnet", "penstock"}})
	if err != nil || len(cases) != 1 || cases[0] != (httpCase{8, 4}) || len(peers) != 1 || peers[0] != "gnet" {
		t.Fatal(cases, peers, err)
	}
	for _, bad := range []settings{{conns: list{"0"}}, {pipeline: list{"x"}}, {peers: list{"nobody"}}} {
		if _, _, err := httpPlan(bad); err == nil {
			t.Errorf("no error for %+v", bad)
		}
	}
}
