//go:build interop

package client_test

import (
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

// until waits for a state and returns the Status that has it.
func (p *party) until(status chan client.Status, want client.State) client.Status {
	p.Helper()
	for {
		select {
		case s := <-status:
			if s.State == want {
				return s
			}
		case <-p.parent.Done():
			require.FailNow(p, "not "+want.String())
		}
	}
}

// refused logs in with a passcode that is wrong. ActiveMQ knows no users and takes everybody.
func (p *party) refused() {
	c := &client.Client{Dial: p.dialer.Dial, Address: p.broker.address, Login: "guest", Passcode: "wrong", Host: "/"}
	err := c.Connect(p.parent)
	defer func() { _ = c.Close(p.parent) }()
	if p.broker.name == "ActiveMQ" {
		require.NoError(p, err)
		return
	}
	var refusal *client.ServerError
	require.ErrorAs(p, err, &refusal)
	require.Contains(p, refusal.Message, "Bad CONNECT")
}

// hang stops the broker's process as a frozen machine would: its sockets stay open.
func (p *party) hang() {
	status := make(chan client.Status, 100)
	c := p.connect(beats(status))
	in := p.subscribe(c, p.queue, client.AckAuto, 0)
	interval := p.until(status, client.StateConnected).FromServer

	p.broker.signal(p.T, syscall.SIGSTOP)
	defer p.broker.signal(p.T, syscall.SIGCONT)
	start := time.Now()
	lost := p.until(status, client.StateDisconnected)
	var late *client.TimeoutError
	require.ErrorAs(p, lost.Err, &late)
	require.Less(p, time.Since(start), 4*interval)

	p.broker.signal(p.T, syscall.SIGCONT)
	p.until(status, client.StateConnected)
	p.arrives(in)
}

// restart ends the broker while clients are connected.
func (p *party) restart() {
	status := make(chan client.Status, 100)
	c := p.connect(beats(status), func(c *client.Client) { c.HeartBeat = stomp.HeartBeat{} })
	in := p.subscribe(c, p.queue, client.AckClientIndividual, 0)
	p.until(status, client.StateConnected)
	p.send(c, "body0")
	m := in.want("body0")[0]

	p.broker.stop(p.T)
	require.Error(p, p.until(status, client.StateDisconnected).Err)
	require.ErrorIs(p, m.Ack(), client.ErrStale)
	require.ErrorIs(p, c.SendReceipt(p.parent, p.frame("nowhere")), client.ErrNotConnected)

	p.broker.run(p.T)
	p.until(status, client.StateConnected)
	p.arrives(in)
	require.EqualValues(p, 2, c.Stats().Connected)
}

// arrives sends something by another client until it comes to in; what came before is passed over.
func (p *party) arrives(in *inbox) {
	p.Helper()
	p.send(p.connect(), "afterwards")
	for in.next().Body().String() != "afterwards" {
		continue
	}
}
