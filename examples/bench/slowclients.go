package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	gostomp "github.com/go-stomp/stomp/v3/frame"
)

const (
	slowBody     = 1000                   // octets of a message
	slowRead     = 1000                   // octets that the slow subscriber reads
	slowEvery    = 100 * time.Millisecond // at a time, so 10 KB/s
	slowDeadline = 60 * time.Second
	skipped      = 20 // first messages, which nobody's latency counts
)

// slowClient is a peer of the server, over a real socket and with go-stomp's reader and writer of frames.
type slowClient struct {
	conn net.Conn
	in   *gostomp.Reader
	out  *gostomp.Writer
}

func dialSlow(addr, login string) (*slowClient, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &slowClient{conn, gostomp.NewReader(conn), gostomp.NewWriter(conn)}
	err = conn.SetDeadline(time.Now().Add(slowDeadline))
	if tcp, ok := conn.(*net.TCPConn); ok && login == slowLogin {
		err = errors.Join(err, tcp.SetReadBuffer(slowBuffer))
	}
	if err == nil {
		err = c.ask(gostomp.CONNECTED, gostomp.New(gostomp.CONNECT, "accept-version", "1.2", "host", "bench", "login", login))
	}
	if err == nil && login != sendLogin {
		err = c.ask(gostomp.RECEIPT, gostomp.New(gostomp.SUBSCRIBE, "id", "0", "destination", slowTopic, "receipt", "subscribed"))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

// ask sends f and waits for the answer, which nothing may come before.
func (c *slowClient) ask(want string, f *gostomp.Frame) error {
	if err := c.out.Write(f); err != nil {
		return err
	}
	answer, err := c.in.Read()
	if err == nil && (answer == nil || answer.Command != want) {
		err = fmt.Errorf("%v instead of %s", answer, want)
	}
	return err
}

// publish sends rate messages a second until end, each with a receipt that it waits for, and returns how many they were.
// sent is called before each.
func (c *slowClient) publish(end time.Time, rate int, sent func(n int)) (int, error) {
	body := make([]byte, slowBody)
	f := gostomp.New(gostomp.SEND, "destination", slowTopic, "receipt", "sent")
	f.Body = body
	began, n := time.Now(), 0
	for ; time.Now().Before(end); n++ {
		copy(body, fmt.Sprintf("%08d", n))
		f.Header.Set("content-length", strconv.Itoa(slowBody))
		sent(n)
		if err := c.ask(gostomp.RECEIPT, f); err != nil {
			return n, err
		}
		time.Sleep(time.Until(began.Add(time.Duration(n+1) * time.Second / time.Duration(rate))))
	}
	return n, nil
}

// receive reads messages until the connection ends and calls got with the number of each.
func (c *slowClient) receive(got func(n int)) error {
	for {
		f, err := c.in.Read()
		if err != nil {
			return err
		}
		if f == nil || f.Command != gostomp.MESSAGE || len(f.Body) != slowBody {
			return fmt.Errorf("%v instead of a message", f)
		}
		n, err := strconv.Atoi(string(f.Body[:8]))
		if err != nil {
			return err
		}
		got(n)
	}
}

// crawl reads 10 KB/s until the connection ends or stop is closed.
func (c *slowClient) crawl(stop <-chan struct{}) {
	t := time.NewTicker(slowEvery)
	defer t.Stop()
	p := make([]byte, slowRead)
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			if _, err := c.conn.Read(p); err != nil {
				return
			}
		}
	}
}
