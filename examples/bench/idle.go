package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// measureIdle prints the server's resident memory per connection: idle, after one echo of 64 bytes, and
// with 100 bytes of a frame that is not complete.
func measureIdle(s settings) (err error) {
	counts, err := s.conns.numbers(10_000)
	if err != nil {
		return err
	}
	n := counts[0]
	srv, err := start(kindIdle)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	// One connection first, so that what the server needs anyway is not counted.
	first, err := open(srv.addr, 1)
	if err != nil {
		return err
	}
	if err := echoFrame(first[0]); err != nil {
		return err
	}
	base, err := srv.rss()
	if err != nil {
		return err
	}
	conns, err := open(srv.addr, n)
	if err != nil {
		return err
	}
	steps := []struct {
		what string
		do   func(net.Conn) error
	}{
		{"idle", func(net.Conn) error { return nil }},
		{"after one echo of 64 B", echoFrame},
		{"with a 100 B partial frame held", partialFrame},
	}
	for _, step := range steps {
		for _, c := range conns {
			if err := step.do(c); err != nil {
				return err
			}
		}
		if err := echoFrame(first[0]); err != nil { // the loop has seen all before it
			return err
		}
		now, err := srv.rss()
		if err != nil {
			return err
		}
		fmt.Printf("%d connections %s: %.0f B of RSS each (base %d KiB, now %d KiB)\n", n, step.what,
			float64(now-base)/float64(n), base>>10, now>>10)
	}
	return nil
}

// open connects n times, from several loopback addresses so that the ports suffice.
func open(addr string, n int) ([]net.Conn, error) {
	conns := make([]net.Conn, n)
	for i := range conns {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%8))}}
		c, err := d.Dial("tcp", addr)
		if err != nil {
			return nil, err
		}
		conns[i] = c
	}
	return conns, nil
}

func echoFrame(c net.Conn) error {
	frame := binary.BigEndian.AppendUint32(nil, 60)
	frame = append(frame, make([]byte, 60)...)
	if _, err := c.Write(frame); err != nil {
		return err
	}
	_, err := io.ReadFull(c, frame)
	return err
}

func partialFrame(c net.Conn) error {
	frame := binary.BigEndian.AppendUint32(nil, 1000)
	_, err := c.Write(append(frame, make([]byte, 96)...))
	return err
}
