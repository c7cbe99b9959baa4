package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// demo is what the hub does with itself when it starts.
type demo struct {
	addr  string
	count int           // messages
	every time.Duration // between two of them
	out   io.Writer
}

// run lets a STOMP client over WebSocket talk to one over TCP, and asks for the status over HTTP.
func (d *demo) run(parent context.Context) error {
	loops := transport.Client{Loops: 1}
	defer func() { _ = loops.Close() }() // its connections are closed by then
	dialer := websocket.Dialer{Plain: loops.Dial, Target: "/stomp", Protocols: []string{"v12.stomp"}, Text: true}
	bodies := make(chan string, d.count)
	receiver := client.Client{Dial: loops.Dial, Address: d.addr, Host: "demo"}
	sender := client.Client{Dial: dialer.Dial, Address: d.addr, Host: "demo"}
	err := errors.Join(receiver.Connect(parent), sender.Connect(parent))
	if err == nil {
		err = receiver.Subscribe(parent, &client.Subscription{
			Destination: "/topic/demo",
			Handle: func(_ *pipeline.Context, m *client.Message) {
				if m.Header("from") == "demo" { // others may talk here, too
					bodies <- m.Body().String() // there is room for all
				}
			},
		})
	}
	if err == nil {
		err = d.talk(parent, &sender, bodies)
	}
	if err = errors.Join(err, sender.Close(parent), receiver.Close(parent)); err != nil {
		return err
	}
	return d.status(parent)
}

// talk sends the messages, each with a receipt, and waits for all of them to come.
func (d *demo) talk(parent context.Context, sender *client.Client, bodies <-chan string) error {
	began := time.Now()
	ticks := time.NewTicker(d.every)
	defer ticks.Stop()
	for i := range d.count {
		f := stomp.NewFrame(stomp.CommandSend, "destination", "/topic/demo", "from", "demo", "content-type", "text/plain")
		f.Body.AppendString(fmt.Sprintf("message %d of the demo", i+1))
		if err := sender.SendReceipt(parent, f); err != nil {
			return err
		}
		select {
		case <-ticks.C:
		case <-parent.Done():
			return context.Cause(parent)
		}
	}
	for range d.count {
		select {
		case <-bodies:
		case <-parent.Done():
			return context.Cause(parent)
		}
	}
	_, err := fmt.Fprintf(d.out, "demo: %d messages went over STOMP over WebSocket and came over STOMP over TCP, in %s\n",
		d.count, time.Since(began).Round(time.Millisecond))
	return err
}

// status asks for the page's data over plain HTTP.
func (d *demo) status(parent context.Context) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(parent, "tcp", d.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(parent, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := fmt.Fprintf(conn, "GET /status.json HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", d.addr); err != nil {
		return err
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out, "demo: GET /status.json gave %d bytes\n", len(answer))
	return err
}
