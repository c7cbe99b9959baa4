package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// httpKind is the kind of a peer's server.
func httpKind(peer string) string { return "http-" + peer }

const (
	ourPeer    = "penstock"
	againLabel = ourPeer + " again" // the A/A row
)

// httpPeers are the servers in the order of printing.
var httpPeers = []string{ourPeer, "penstock-codec", "gnet", "fasthttp", "net/http", "nbio", "hertz", "go-netty"}

// httpCase is one kind of load.
type httpCase struct{ conns, pipelined int }

// String is how the case is printed.
func (c httpCase) String() string {
	return fmt.Sprintf("%d connections, %d at once", c.conns, c.pipelined)
}

// httpResult is one measurement of one server.
type httpResult struct {
	rate      float64 // requests per second
	cpu, user float64 // of the server, µs per request: in all, outside the kernel
}

// compareHTTP prints for each case and peer how much CPU our server needs for a request, as a ratio to the peer's.
func compareHTTP(s settings) error {
	cases, peers, err := httpPlan(s)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		return errors.New("wrk is missing (Debian's package wrk)")
	}
	script, err := writeScript()
	if err != nil {
		return err
	}
	defer os.Remove(script) //nolint:errcheck // a temporary file
	labels := append([]string{ourPeer, againLabel}, peers...)
	fmt.Printf("%d rounds of %v; server CPU µs per request, ratio = penstock's / the peer's in the same round: median (min … max)\n",
		s.rounds, s.seconds)
	for _, c := range cases {
		results, err := httpRounds(s, c, labels, script)
		if err != nil {
			return err
		}
		printHTTP(c, labels, results)
	}
	return nil
}

// httpPlan is what the flags ask for.
func httpPlan(s settings) (cases []httpCase, peers []string, err error) {
	conns, err := s.conns.numbers(64, 512)
	if err != nil {
		return nil, nil, err
	}
	pipelined, err := s.pipeline.numbers(1, 16)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range pipelined {
		for _, c := range conns {
			cases = append(cases, httpCase{c, n})
		}
	}
	peers = s.peers
	if len(peers) == 0 {
		peers = httpPeers
	}
	for _, p := range peers {
		if !slices.Contains(httpPeers, p) {
			return nil, nil, fmt.Errorf("no peer %q: there are %s", p, strings.Join(httpPeers, ", "))
		}
	}
	return cases, slices.DeleteFunc(slices.Clone(peers), func(p string) bool { return p == ourPeer }), nil
}

// httpRounds measures every server in each round, in ABBA order.
func httpRounds(s settings, c httpCase, labels []string, script string) (map[string][]httpResult, error) {
	results := make(map[string][]httpResult)
	for round := range s.rounds {
		order := slices.Clone(labels)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, label := range order {
			r, err := measureHTTP(s, c, strings.TrimSuffix(label, " again"), script)
			if err != nil {
				return nil, fmt.Errorf("%v, %s: %w", c, label, err)
			}
			results[label] = append(results[label], r)
		}
	}
	return results, nil
}

// measureHTTP starts a server, checks its answers, warms it up and loads it.
func measureHTTP(s settings, c httpCase, peer, script string) (r httpResult, err error) {
	srv, err := start(httpKind(peer))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	if err := checkAnswers(srv.addr); err != nil {
		return r, err
	}
	if _, err := runWrk(srv.addr, c, time.Second, script); err != nil {
		return r, err
	}
	allBefore, userBefore, err := srv.times()
	if err != nil {
		return r, err
	}
	load, err := runWrk(srv.addr, c, s.seconds, script)
	if err != nil {
		return r, err
	}
	all, user, err := srv.times()
	n := float64(load.requests)
	return httpResult{load.rate, micros(all-allBefore) / n, micros(user-userBefore) / n}, err
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func printHTTP(c httpCase, labels []string, results map[string][]httpResult) {
	fmt.Println(c)
	for _, label := range labels {
		var ratios, cpu, user, rates []float64
		for i, r := range results[label] {
			ratios = append(ratios, results[ourPeer][i].cpu/r.cpu)
			cpu, user, rates = append(cpu, r.cpu), append(user, r.user), append(rates, r.rate)
		}
		ratio := "ratio " + spread(ratios)
		switch label {
		case ourPeer:
			ratio = ""
		case againLabel:
			ratio = "A/A   " + spread(ratios)
		}
		fmt.Printf("  %-15s %-30s CPU µs %-28s user %-28s rate %s\n", label, ratio, spread(cpu), spread(user), spread(rates))
	}
}
