package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// result is one measurement of one server.
type result struct {
	rate float64       // messages per second
	cpu  time.Duration // of the server, per message
}

// compareEcho prints, for each shape, the ratios of the kinds to the floor: the better of gnet and net.
func compareEcho(s settings) error {
	kinds := []string{kindGnet, kindPenstock, kindNet, kindGnet + " again"}
	fmt.Printf("%d rounds of %v, rates in messages/s, ratio = penstock / floor of the same round: median (min … max)\n", s.rounds, s.seconds)
	for _, shape := range shapes {
		results, err := rounds(s, shape, kinds)
		if err != nil {
			return err
		}
		printShape(shape, results)
	}
	return nil
}

// rounds measures every kind in each round, in ABBA order.
func rounds(s settings, sh shape, kinds []string) (map[string][]result, error) {
	results := make(map[string][]result)
	for round := range s.rounds {
		order := slices.Clone(kinds)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, label := range order {
			kind := label
			if label == kindGnet+" again" {
				kind = kindGnet
			}
			r, err := measure(s, sh, kind)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", sh.name, label, err)
			}
			results[label] = append(results[label], r)
		}
	}
	return results, nil
}

func measure(s settings, sh shape, kind string) (r result, err error) {
	srv, err := start(kind)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	if _, err := sh.run(srv.addr, s.seconds/10); err != nil {
		return r, err
	}
	before, err := srv.cpu()
	if err != nil {
		return r, err
	}
	began := time.Now()
	n, err := sh.run(srv.addr, s.seconds)
	if err != nil {
		return r, err
	}
	took := time.Since(began)
	after, err := srv.cpu()
	if err != nil || n == 0 {
		return r, errors.Join(err, errors.New("no message came back"))
	}
	return result{float64(n) / took.Seconds(), (after - before) / time.Duration(n)}, nil
}

func printShape(sh shape, results map[string][]result) {
	gnet, ours, std, again := results[kindGnet], results[kindPenstock], results[kindNet], results[kindGnet+" again"]
	var ratios, noise, cpu []float64
	for i := range ours {
		ratios = append(ratios, ours[i].rate/max(gnet[i].rate, std[i].rate))
		noise = append(noise, again[i].rate/gnet[i].rate)
		cpu = append(cpu, float64(ours[i].cpu)/float64(gnet[i].cpu))
	}
	fmt.Printf("%-10s ratio %s  A/A %s  CPU ours/gnet %s\n", sh.name, spread(ratios), spread(noise), spread(cpu))
	for _, kind := range []string{kindPenstock, kindGnet, kindNet} {
		var rates, micros []float64
		for _, r := range results[kind] {
			rates = append(rates, r.rate)
			micros = append(micros, float64(r.cpu)/1e3)
		}
		fmt.Printf("           %-9s rate %s  server CPU µs/message %s\n", kind, spread(rates), spread(micros))
	}
}

// spread is median (min … max).
func spread(v []float64) string {
	v = slices.Clone(v)
	slices.Sort(v)
	format := "%.3g (%.3g … %.3g)"
	if v[len(v)-1] >= 1000 {
		format = "%.0f (%.0f … %.0f)"
	}
	return fmt.Sprintf(format, median(v), v[0], v[len(v)-1])
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
