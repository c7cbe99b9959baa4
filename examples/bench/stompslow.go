package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/handlers/broker"
)

// slowLoad is one message after another to many subscribers.
type slowLoad struct {
	subscribers int // the slow one among them
	rate        int // messages a second, fewer when the publisher is paused
	backlog     int // messages that wait for a subscriber before its policy applies: what one that reads may be late by
}

// slowPolicies are what can happen to a subscriber that is too slow.
var slowPolicies = []broker.Policy{broker.PolicyDisconnect, broker.PolicyDropOldest, broker.PolicyPause}

// slowResult is one round.
type slowResult struct {
	delivery float64 // p99 in µs from the server's taking the SEND to the others' reading the MESSAGE
	whole    float64 // p99 in µs from the publisher's sending it
	rate     float64 // messages published a second
	counts   slowCounts
}

// compareStompSlow prints the latency of messages to 99 subscribers beside one more that reads as fast as they do, or
// 10 KB/s only.
func compareStompSlow(s settings) error {
	load := slowLoad{subscribers: 100, rate: 100, backlog: 50}
	fmt.Printf("%d messages of %d B a second to %d subscribers, one of which reads 10 KB/s; backlog %d messages; %d rounds of %v: median (min … max)\n",
		load.rate, slowBody, load.subscribers, load.backlog, s.rounds, s.seconds)
	for _, policy := range slowPolicies {
		if err := load.compare(s, policy); err != nil {
			return fmt.Errorf("%v: %w", policy, err)
		}
	}
	return nil
}

func (l slowLoad) compare(s settings, policy broker.Policy) error {
	const without, with, again = 0, 1, 2
	var results [3][]slowResult
	for round := range s.rounds {
		for _, way := range [][]int{{without, with, again}, {again, with, without}}[round%2] {
			r, err := l.run(policy, way == with, s.seconds)
			if err == nil && way == with {
				err = r.counts.check(policy, l)
			}
			if err != nil {
				return err
			}
			results[way] = append(results[way], r)
		}
	}
	of := func(way int, get func(slowResult) float64) []float64 {
		v := make([]float64, s.rounds)
		for i, r := range results[way] {
			v[i] = get(r)
		}
		return v
	}
	delivery := func(r slowResult) float64 { return r.delivery }
	whole := func(r slowResult) float64 { return r.whole }
	rate := func(r slowResult) float64 { return r.rate }
	fast := of(without, delivery)
	fmt.Printf("%v\n  the others' p99 from SEND taken to MESSAGE read, µs: without %s, with the slow one %s\n    ratio %s (aim <= 2)  A/A %s\n",
		policy, spread(fast), spread(of(with, delivery)), spread(ratios(of(with, delivery), fast)), spread(ratios(of(again, delivery), fast)))
	fmt.Printf("  from SEND sent, which waits while the publisher is paused: without %s, with %s\n  messages/s: without %s, with %s\n",
		spread(of(without, whole)), spread(of(with, whole)), spread(of(without, rate)), spread(of(with, rate)))
	for _, r := range results[with] {
		fmt.Println("  counted:", r.counts)
	}
	return nil
}

// run is one round: a server, its subscribers, and a publisher for about d.
func (l slowLoad) run(policy broker.Policy, slow bool, d time.Duration) (r slowResult, err error) {
	most := int(d.Seconds()*float64(l.rate)) + l.rate
	srv, err := startSlowServer(policy, l.backlog, most)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, srv.close()) }()
	subs, err := l.subscribe(srv, slow)
	if err != nil {
		return r, err
	}
	defer subs.close()
	publisher, err := dialSlow(srv.transport.Addrs()[0].String(), sendLogin)
	if err != nil {
		return r, err
	}
	defer publisher.conn.Close()
	sent := make([]time.Duration, most)
	began := time.Now()
	n, err := publisher.publish(began.Add(d), l.rate, func(n int) { sent[n] = time.Since(srv.began) })
	if err != nil {
		return r, err
	}
	r.rate = float64(n) / time.Since(began).Seconds()
	if err := subs.wait(n); err != nil {
		return r, err
	}
	r.counts = srv.counts()
	r.counts.ended = r.counts.consumers < l.subscribers
	r.delivery = subs.p99(n, func(n int) time.Duration { return time.Duration(srv.accepted[n].Load()) })
	r.whole = subs.p99(n, func(n int) time.Duration { return sent[n] })
	return r, nil
}

// slowSubscribers are the subscribers, all but one of which are measured.
type slowSubscribers struct {
	clients []*slowClient
	read    [][]time.Duration // by subscriber and message, since the server began
	got     []atomic.Int64    // messages in order
	stop    chan struct{}
	all     sync.WaitGroup
}

func (l slowLoad) subscribe(srv *slowServer, slow bool) (*slowSubscribers, error) {
	s := &slowSubscribers{
		read: make([][]time.Duration, l.subscribers-1), got: make([]atomic.Int64, l.subscribers-1), stop: make(chan struct{}),
	}
	for i := range l.subscribers {
		login := "subscriber"
		if i == l.subscribers-1 && slow {
			login = slowLogin
		}
		c, err := dialSlow(srv.transport.Addrs()[0].String(), login)
		if err != nil {
			s.close()
			return nil, err
		}
		s.clients = append(s.clients, c)
		s.all.Go(func() {
			switch {
			case login == slowLogin:
				c.crawl(s.stop)
			case i == l.subscribers-1:
				_ = c.receive(func(int) {}) // ends with the connection
			default:
				s.receive(c, i, srv.began)
			}
		})
	}
	return s, nil
}

// receive notes when the subscriber read each message. One that is missing ends it.
func (s *slowSubscribers) receive(c *slowClient, i int, began time.Time) {
	_ = c.receive(func(n int) { // ends with the connection
		if n == len(s.read[i]) {
			s.read[i] = append(s.read[i], time.Since(began))
			s.got[i].Add(1)
		}
	})
}

// wait returns when all have n messages.
func (s *slowSubscribers) wait(n int) error {
	end := time.Now().Add(10 * time.Second)
	for i := range s.got {
		for s.got[i].Load() < int64(n) {
			if time.Now().After(end) {
				return fmt.Errorf("a subscriber that reads has %d of %d messages", s.got[i].Load(), n)
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// p99 is the latency in µs that 99 % of deliveries do not exceed. The first messages do not count.
func (s *slowSubscribers) p99(n int, from func(n int) time.Duration) float64 {
	var all []time.Duration
	for i := range s.read {
		for m := min(skipped, n-1); m < n; m++ {
			all = append(all, s.read[i][m]-from(m))
		}
	}
	slices.Sort(all)
	return float64(all[len(all)*99/100]) / 1e3
}

// close ends the connections and waits for who reads them.
func (s *slowSubscribers) close() {
	close(s.stop)
	for _, c := range s.clients {
		_ = c.conn.Close()
	}
	s.all.Wait()
}

// check says what of a round with a slow subscriber is not as the policy has it. Its numbers must fit exactly: what the
// slow one was given, what was dropped and what waits for it are all that was published.
func (c slowCounts) check(policy broker.Policy, l slowLoad) error {
	others := uint64(l.subscribers-1) * c.published //nolint:gosec // a hundred
	toSlow := c.delivered - others
	ok := c.refused == 0
	switch policy {
	case broker.PolicyDisconnect: // at the limit: its whole backlog is dropped
		ok = ok && c.ended && c.consumers == l.subscribers-1 && c.dropped > uint64(l.backlog) && //nolint:gosec // a setting
			toSlow+c.dropped <= c.published && c.pauses == 0
	case broker.PolicyDropOldest:
		ok = ok && c.slow && c.dropped > 0 && c.backlog <= l.backlog && c.pauses == 0
	case broker.PolicyPause:
		ok = ok && c.slow && c.dropped == 0 && c.pauses > 0
	}
	if c.slow { // its connection may be there longer than its subscription
		ok = ok && toSlow == c.slowDelivered && c.dropped == c.slowDropped &&
			(c.ended || toSlow+c.dropped+uint64(c.backlog) == c.published) //nolint:gosec // a length
	}
	if !ok {
		return fmt.Errorf("policy was not applied, or too slow for this round: %v", c)
	}
	return nil
}

// String is one line.
func (c slowCounts) String() string {
	slow := ""
	switch {
	case c.ended && c.slow:
		slow = fmt.Sprintf("; the slow one was ended at message %d", c.slowDelivered+c.slowDropped)
	case c.ended:
		slow = "; the slow one was ended and has gone"
	case c.slow:
		slow = fmt.Sprintf("; slow one: delivered %d + dropped %d + waiting %d", c.slowDelivered, c.slowDropped, c.backlog)
	}
	return fmt.Sprintf("published %d, delivered %d, dropped %d, refused %d, subscribers left %d, publisher paused %d times%s",
		c.published, c.delivered, c.dropped, c.refused, c.consumers, c.pauses, slow)
}
