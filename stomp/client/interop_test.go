//go:build interop

package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// TestForeignBrokers runs the client against RabbitMQ and ActiveMQ, in each version.
func TestForeignBrokers(t *testing.T) {
	all := foreigns(t)
	scenarios := []struct {
		name  string
		since stomp.Version
		run   func(p *party)
	}{
		{"a thousand messages come in order, each with its receipt", stomp.Version10, (*party).exchange},
		{"headers and bodies come as they were", stomp.Version10, (*party).fidelity},
		{"cumulative acks settle all before", stomp.Version10, (*party).cumulative},
		{"individual acks settle one", stomp.Version11, (*party).individual},
		{"refused messages come again or are put aside", stomp.Version11, (*party).refuse},
		{"transactions commit and abort", stomp.Version10, (*party).transactions},
		{"idle connections live by heart-beats", stomp.Version11, (*party).idle},
		{"nothing comes after UNSUBSCRIBE", stomp.Version10, (*party).unsubscribe},
	}
	for _, f := range all {
		for _, v := range []stomp.Version{stomp.Version10, stomp.Version11, stomp.Version12} {
			for _, s := range scenarios {
				if v < s.since {
					continue
				}
				t.Run(f.name+"/"+v.String()+"/"+s.name, func(t *testing.T) { s.run(newParty(t, f, v)) })
			}
		}
		t.Run(f.name+"/a login that is wrong is refused", func(t *testing.T) { newParty(t, f, stomp.Version12).refused() })
		t.Run(f.name+"/a broker that hangs is noticed, and used when it goes on", func(t *testing.T) { newParty(t, f, stomp.Version12).hang() })
		t.Run(f.name+"/a broker that restarts gets the subscriptions again", func(t *testing.T) { newParty(t, f, stomp.Version12).restart() })
	}
}

// party is one test's clients of one broker in one version, and a queue that nobody else uses.
type party struct {
	*testing.T
	broker  *foreign
	version stomp.Version
	dialer  *transport.Client
	queue   string
	parent  context.Context
}

func newParty(t *testing.T, f *foreign, v stomp.Version) *party {
	t.Helper()
	dialer := &transport.Client{Loops: 1}
	t.Cleanup(func() { require.NoError(t, dialer.Close()) })
	parent, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return &party{t, f, v, dialer, fmt.Sprintf("/queue/penstock-%d", time.Now().UnixNano()), parent}
}

// connect makes a client, which set may change before it connects.
func (p *party) connect(set ...func(c *client.Client)) *client.Client {
	p.Helper()
	c := &client.Client{
		Dial: p.dialer.Dial, Address: p.broker.address, Login: "guest", Passcode: "guest", Host: "/",
		Versions: []stomp.Version{p.version}, HeartBeat: stomp.HeartBeat{Send: -1, Receive: -1},
	}
	for _, f := range set {
		f(c)
	}
	require.NoError(p, c.Connect(p.parent))
	p.Cleanup(func() { _ = c.Close(p.parent) })
	require.Equal(p, p.version, c.Version())
	return c
}

// send sends body with a receipt.
func (p *party) send(c *client.Client, body string) {
	p.Helper()
	require.NoError(p, c.SendReceipt(p.parent, p.frame(body)))
}

func (p *party) frame(body string, headers ...string) *stomp.Frame {
	f := stomp.NewFrame(stomp.CommandSend, append([]string{stomp.HeaderDestination, p.queue}, headers...)...)
	f.Body.AppendString(body)
	return f
}

// sendAll sends body0, body1 and so on.
func (p *party) sendAll(c *client.Client, n int) {
	p.Helper()
	for i := range n {
		p.send(c, fmt.Sprint("body", i))
	}
}

// inbox takes the messages of a subscription and keeps them.
type inbox struct {
	*party
	sub      *client.Subscription
	messages chan *client.Message
}

func (p *party) subscribe(c *client.Client, destination string, ack client.AckMode, prefetch int) *inbox {
	p.Helper()
	in := &inbox{party: p, messages: make(chan *client.Message, 2000)}
	in.sub = &client.Subscription{
		Destination: destination, Ack: ack, Prefetch: prefetch,
		Handle: func(_ *pipeline.Context, m *client.Message) {
			m.Retain()
			in.messages <- m
		},
	}
	require.NoError(p, c.Subscribe(p.parent, in.sub))
	p.Cleanup(func() {
		for len(in.messages) > 0 {
			(<-in.messages).Release()
		}
	})
	return in
}

// next waits for a message. It is valid until the test ends.
func (in *inbox) next() *client.Message {
	in.Helper()
	select {
	case m := <-in.messages:
		in.Cleanup(m.Release)
		return m
	case <-in.parent.Done():
		require.FailNow(in, "no message")
		return nil
	}
}

// want waits for messages with these bodies, in this order.
func (in *inbox) want(bodies ...string) []*client.Message {
	in.Helper()
	var all []*client.Message
	for _, b := range bodies {
		m := in.next()
		require.Equal(in, b, m.Body().String())
		all = append(all, m)
	}
	return all
}

// nothing fails when a message comes within a short time.
func (in *inbox) nothing() {
	in.Helper()
	select {
	case m := <-in.messages:
		in.Cleanup(m.Release)
		require.FailNow(in, "a message that should not come", "%v", m.Frame())
	case <-time.After(300 * time.Millisecond):
	}
}

func bodies(from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprint("body", i))
	}
	return all
}

func (p *party) exchange() {
	in := p.subscribe(p.connect(), p.queue, client.AckAuto, 0)
	c := p.connect()
	outcomes := make(chan error, 1000)
	for i := range 1000 {
		require.NoError(p, c.StartSend(p.frame(fmt.Sprint("body", i)), func(err error) { outcomes <- err }))
	}
	in.want(bodies(0, 1000)...)
	for range 1000 {
		require.NoError(p, <-outcomes)
	}
}

// fidelity sends what needs escapes where the version has them, and octets of every value.
func (p *party) fidelity() {
	in := p.subscribe(p.connect(), p.queue, client.AckAuto, 0)
	c := p.connect()
	text := "plain Grüße 😀"
	switch {
	case p.version == stomp.Version11:
		text += " a:b\\c\nd"
	case p.version == stomp.Version12:
		text += " a:b\\c\nd\re"
	}
	body := strings.Repeat("\x00\r\n", 1000) + "\xff\xfe"
	for _, kind := range []string{"application/octet-stream", "text/plain"} {
		require.NoError(p, c.SendReceipt(p.parent, p.frame(body, "note", text, "content-type", kind)))
		m := in.next()
		require.Equal(p, text, m.Header("note"))
		require.Equal(p, body, m.Body().String())
		require.Equal(p, p.queue, m.Destination())
		require.NotEmpty(p, m.ID())
	}
}

func (p *party) cumulative() {
	p.sendAll(p.connect(), 10)
	first := p.connect()
	got := p.subscribe(first, p.queue, client.AckClient, 0).want(bodies(0, 10)...)
	require.NoError(p, got[4].Ack())
	require.ErrorIs(p, got[2].Ack(), client.ErrSettled)
	require.NoError(p, first.Close(p.parent))

	second := p.connect()
	rest := p.subscribe(second, p.queue, client.AckClient, 0)
	got = rest.want(bodies(5, 10)...)
	require.NoError(p, got[4].Ack())
	require.NoError(p, second.Close(p.parent))
	p.subscribe(p.connect(), p.queue, client.AckAuto, 0).nothing()
}

func (p *party) individual() {
	p.sendAll(p.connect(), 10)
	first := p.connect()
	for i, m := range p.subscribe(first, p.queue, client.AckClientIndividual, 0).want(bodies(0, 10)...) {
		if i%2 == 1 {
			require.NoError(p, m.Ack())
		}
	}
	require.NoError(p, first.Close(p.parent))
	p.subscribe(p.connect(), p.queue, client.AckAuto, 0).want("body0", "body2", "body4", "body6", "body8")
}

func (p *party) refuse() {
	c := p.connect()
	for _, body := range bodies(0, 2) { // ActiveMQ puts aside what is persistent, and drops the rest
		require.NoError(p, c.SendReceipt(p.parent, p.frame(body, "persistent", "true")))
	}
	in := p.subscribe(c, p.queue, client.AckClientIndividual, 1)
	m := in.want("body0")[0]
	require.NoError(p, m.Nack())
	if p.broker.nacked == "" {
		again := in.want("body0")[0]
		require.Equal(p, "true", again.Header("redelivered"))
		require.NoError(p, again.Ack())
		require.NoError(p, in.want("body1")[0].Ack())
		return
	}
	require.NoError(p, in.want("body1")[0].Ack())
	aside := p.subscribe(p.connect(), p.broker.nacked, client.AckClientIndividual, 0)
	require.NoError(p, aside.want("body0")[0].Ack())
}

func (p *party) transactions() {
	c := p.connect()
	in := p.subscribe(p.connect(), p.queue, client.AckAuto, 0)

	aborted, err := c.Begin()
	require.NoError(p, err)
	require.NoError(p, aborted.Send(p.parent, p.frame("never")))
	require.NoError(p, aborted.Abort())
	require.ErrorIs(p, aborted.Commit(p.parent), client.ErrEnded)

	tx, err := c.Begin()
	require.NoError(p, err)
	require.NoError(p, tx.Send(p.parent, p.frame("body0")))
	require.NoError(p, tx.Send(p.parent, p.frame("body1")))
	in.nothing()
	require.NoError(p, tx.Commit(p.parent))
	in.want("body0", "body1")
	in.nothing()
	require.NoError(p, in.sub.Unsubscribe(p.parent))

	// Acks of a transaction count when it is committed.
	p.sendAll(c, 2)
	first := p.connect()
	got := p.subscribe(first, p.queue, client.AckClient, 0).want("body0", "body1")
	tx, err = first.Begin()
	require.NoError(p, err)
	require.NoError(p, tx.Ack(got[0]))
	require.NoError(p, tx.Commit(p.parent))
	tx, err = first.Begin()
	require.NoError(p, err)
	require.NoError(p, tx.Ack(got[1]))
	require.NoError(p, tx.Abort())
	require.NoError(p, first.Close(p.parent))
	again := p.subscribe(p.connect(), p.queue, client.AckAuto, 0)
	again.want("body1")
	again.nothing()
}

// beats asks for heart-beats every half second.
func beats(status chan client.Status) func(c *client.Client) {
	return func(c *client.Client) {
		c.HeartBeat = stomp.HeartBeat{Send: 500 * time.Millisecond, Receive: 500 * time.Millisecond}
		c.Reconnect = client.Reconnect{Min: 100 * time.Millisecond, Max: time.Second}
		c.OnStatus = func(s client.Status) { status <- s }
	}
}

func (p *party) idle() {
	status := make(chan client.Status, 100)
	c := p.connect(beats(status))
	s := <-status
	require.Equal(p, client.StateConnected, s.State)
	require.Positive(p, s.ToServer)
	require.Positive(p, s.FromServer)
	select {
	case s := <-status:
		require.FailNow(p, "the connection did not last", "%v", s)
	case <-time.After(4 * max(s.ToServer, s.FromServer)):
	}
	p.send(c, "still here")
	require.EqualValues(p, 1, c.Stats().Connected)
}

func (p *party) unsubscribe() {
	c := p.connect()
	in := p.subscribe(c, p.queue, client.AckAuto, 0)
	p.send(c, "body0")
	in.want("body0")
	require.NoError(p, in.sub.Unsubscribe(p.parent))
	p.send(c, "body1")
	in.nothing()
	p.subscribe(c, p.queue, client.AckAuto, 0).want("body1")
}
