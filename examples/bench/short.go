package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// compareShort prints the server's CPU for connect, one echo of 64 bytes, close.
func compareShort(s settings) error {
	var ratios, noise []float64
	cost := make(map[string][]float64)
	for round := range s.rounds {
		order := []string{kindGnet, kindPenstock, kindGnet + " again"}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, label := range order {
			kind := kindGnet
			if label == kindPenstock {
				kind = kindPenstock
			}
			micros, err := shortConnections(s, kind)
			if err != nil {
				return err
			}
			cost[label] = append(cost[label], micros)
		}
		g, o, a := cost[kindGnet][round], cost[kindPenstock][round], cost[kindGnet+" again"][round]
		ratios, noise = append(ratios, o/g), append(noise, a/g)
	}
	fmt.Printf("short connections, server CPU µs each: penstock %s, gnet %s\n", spread(cost[kindPenstock]), spread(cost[kindGnet]))
	fmt.Printf("ratio %s, A/A %s\n", spread(ratios), spread(noise))
	return nil
}

func shortConnections(s settings, kind string) (micros float64, err error) {
	srv, err := start(kind)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	before, err := srv.cpu()
	if err != nil {
		return 0, err
	}
	end := time.Now().Add(s.seconds)
	counts := make([]int, 8)
	errs := make([]error, len(counts))
	var all sync.WaitGroup
	for i := range counts {
		all.Add(1)
		go func() {
			defer all.Done()
			for time.Now().Before(end) && errs[i] == nil {
				errs[i] = connectAndEcho(srv.addr)
				counts[i]++
			}
		}()
	}
	all.Wait()
	after, err := srv.cpu()
	if err := errors.Join(append(errs, err)...); err != nil {
		return 0, err
	}
	n := 0
	for _, c := range counts {
		n += c
	}
	return float64(after-before) / 1e3 / float64(n), nil
}

func connectAndEcho(addr string) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	if err := conn.(*net.TCPConn).SetLinger(0); err != nil { // no TIME-WAIT: ports would run out
		return err
	}
	var p [64]byte
	if _, err := conn.Write(p[:]); err != nil {
		return err
	}
	if _, err := io.ReadFull(conn, p[:]); err != nil {
		return err
	}
	return conn.Close()
}
