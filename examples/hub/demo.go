package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
)

// runDemo lets two STOMP clients talk through the hub and asks for the status over HTTP.
func runDemo(parent context.Context, addr string) error {
	parent, cancel := context.WithTimeout(parent, 10*time.Second)
	defer cancel()
	client := transport.Client{Loops: 1}
	defer func() { _ = client.Close() }() // its connections are closed by then
	frames := make(chan string, 16)
	listener, err := client.Dial(parent, addr, stompClient(frames))
	if err != nil {
		return err
	}
	sender, err := client.Dial(parent, addr, stompClient(nil))
	if err != nil {
		return err
	}
	steps := []struct {
		ch    *pipeline.Channel
		frame *stomp.Frame
	}{
		{listener, stomp.NewFrame(stomp.CommandSubscribe, "destination", "/topic/demo", "id", "1", "receipt", "ready")},
		{sender, send("hello from the other connection")},
		{sender, send("both are pipelines on one port")},
	}
	for i, s := range steps {
		if err := s.ch.Write(parent, s.frame); err != nil {
			return err
		}
		select {
		case got := <-frames:
			if i > 0 {
				fmt.Printf("demo: a STOMP client got %q\n", got)
			}
		case <-parent.Done():
			return context.Cause(parent)
		}
	}
	return errors.Join(listener.Close(), sender.Close(), getStatus(parent, addr))
}

func send(text string) *stomp.Frame {
	f := stomp.NewFrame(stomp.CommandSend, "destination", "/topic/demo", "content-type", "text/plain")
	f.Body.AppendString(text)
	return f
}

// stompClient is the set-up of a client that logs in and reports the bodies of what it gets.
func stompClient(frames chan<- string) func(*pipeline.Channel) error {
	return func(ch *pipeline.Channel) error {
		state := &stomp.State{}
		err := ch.Pipeline().AddLast(
			codec.NewDecoder[any](&stomp.Decoder{State: state}),
			codec.NewEncoder[any](&stomp.Encoder{State: state}),
			pipeline.OnLend(func(_ *pipeline.Context, f *stomp.Frame) error {
				switch f.Command {
				case stomp.CommandMessage, stomp.CommandReceipt:
					select {
					case frames <- f.Body.String():
					default: // a handler must not wait; the demo expects fewer than the buffer holds
					}
				case stomp.CommandError:
					return fmt.Errorf("server says: %s", f.Headers.Get("message"))
				default: // CONNECTED
				}
				return nil
			}),
		)
		if err != nil {
			return err
		}
		return ch.Pipeline().Write(stomp.NewFrame(stomp.CommandConnect, "accept-version", "1.2", "host", "demo"))
	}
}

// getStatus asks for the page over plain HTTP.
func getStatus(parent context.Context, addr string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(parent, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := parent.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(conn, "GET /status.json HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", addr); err != nil {
		return err
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		return err
	}
	fmt.Printf("demo: GET /status.json gave %d bytes\n", len(answer))
	return nil
}
