package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// shape is one kind of load: conns connections, each sending depth messages of size bytes before it waits
// for their echoes.
type shape struct {
	name        string
	size, depth int
	conns       int
}

var shapes = []shape{
	{"64 B", 64, 1, 64},
	{"64 B x16", 64, 16, 32},
	{"16 KiB", 16 << 10, 1, 16},
	{"16 KiB x4", 16 << 10, 4, 16},
	{"1 MiB", 1 << 20, 1, 4},
	{"1 MiB x4", 1 << 20, 4, 4},
}

// run loads addr for d and counts the messages that came back whole and right.
func (s shape) run(addr string, d time.Duration) (int64, error) {
	var done atomic.Int64
	var all sync.WaitGroup
	errs := make(chan error, s.conns)
	end := time.Now().Add(d)
	for i := range s.conns {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := s.one(addr, byte(i), end, &done); err != nil {
				errs <- err
			}
		}()
	}
	all.Wait()
	close(errs)
	return done.Load(), <-errs // the first is enough
}

func (s shape) one(addr string, seed byte, end time.Time, done *atomic.Int64) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(end.Add(20 * time.Second)); err != nil {
		return err
	}
	out := make([]byte, s.size*s.depth)
	for i := range out {
		out[i] = seed + byte(i*7)
	}
	in := make([]byte, len(out))
	sent := make(chan error, 1)
	writes := make(chan struct{})
	defer close(writes)
	go func() { // the peer may have to be read while it is written to
		for range writes {
			_, err := conn.Write(out)
			sent <- err
		}
	}()
	direct := len(out) <= 64<<10
	for time.Now().Before(end) {
		if direct {
			_, err = conn.Write(out)
		} else {
			writes <- struct{}{}
		}
		if err != nil {
			return err
		}
		if _, err := io.ReadFull(conn, in); err != nil {
			return err
		}
		if !direct {
			if err := <-sent; err != nil {
				return err
			}
		}
		if !bytes.Equal(in, out) {
			return fmt.Errorf("echo of %s differs", s.name)
		}
		done.Add(int64(s.depth))
	}
	return nil
}
