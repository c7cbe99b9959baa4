package embedded

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"

	"github.com/penstock-go/penstock/pipeline"
)

// Network is a set of addresses in memory that clients connect to by Dial, a pipeline.DialFunc. All its channels share
// one event loop and one virtual time.
//
// The goroutine that made it is the event loop: call its methods on it, except for Dial, which is safe for concurrent
// use. A client that blocks runs on a goroutine of its own while this one is in RunUntil.
type Network struct {
	cfg       Config
	world     *world
	loop      *loop
	listeners map[string]*listener
	made      []*Channel
	names     []string // of made, for texts
	finished  bool
}

// listener is one address.
type listener struct {
	init     func(*pipeline.Channel) error // nil: the peer is scripted
	dialed   []*Channel
	accepted []*Channel
}

// Addr is the address of a channel in a Network.
type Addr string

// Network is "embedded".
func (a Addr) Network() string { return "embedded" }

// String is the address.
func (a Addr) String() string { return string(a) }

// NewNetwork makes a network without addresses. All channels have cfg's options; its addresses are not used.
func NewNetwork(cfg Config) *Network {
	cfg = cfg.withDefaults()
	w := newWorld(cfg.Start)
	n := &Network{cfg: cfg, world: w, loop: w.newLoop(cfg), listeners: map[string]*listener{}}
	n.loop.users++ // itself: the loop outlives its channels
	return n
}

// Listen lets clients connect to address. Each connection gets a server's channel that init fills; with a nil init the
// peer of each client is scripted by the methods of its Socket, see Dialed.
func (n *Network) Listen(address string, init func(*pipeline.Channel) error) {
	n.listeners[address] = &listener{init: init}
}

// Dial connects to an address that was given to Listen, else the error is syscall.ECONNREFUSED. It is a
// pipeline.DialFunc. On another goroutine it waits until the network's own runs. Safe for concurrent use.
func (n *Network) Dial(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	if err := context.Cause(parent); err != nil {
		return nil, err
	}
	if n.loop.OnLoop() {
		if n.finished {
			return nil, pipeline.ErrLoopClosed
		}
		ch, err := n.dial(address, init)
		n.world.run()
		return ch, err
	}
	call := &dialing{done: make(chan struct{})}
	if err := n.loop.Post(func() { call.complete(n.dial(address, init)) }); err != nil {
		return nil, err
	}
	select {
	case <-call.done:
	case <-parent.Done():
		if call.over.CompareAndSwap(false, true) {
			return nil, context.Cause(parent)
		}
		<-call.done // it was in the middle of completing
	}
	return call.ch, call.err
}

// dialing is a call of Dial on another goroutine.
type dialing struct {
	over atomic.Bool // decided: the caller has given up, or the result is valid
	done chan struct{}
	ch   *pipeline.Channel
	err  error
}

func (d *dialing) complete(ch *pipeline.Channel, err error) {
	if !d.over.CompareAndSwap(false, true) {
		if ch != nil {
			ch.CloseWith(pipeline.CloseNow, nil) // nobody waits for it any more
		}
		return
	}
	d.ch, d.err = ch, err
	close(d.done)
}

func (n *Network) dial(address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	l := n.listeners[address]
	if l == nil {
		return nil, fmt.Errorf("embedded: dial %q: %w", address, syscall.ECONNREFUSED)
	}
	client := n.newChannel(fmt.Sprintf("client %d of %s", len(l.dialed), address))
	client.Socket.local = Addr(fmt.Sprintf("client-%d", len(n.made)))
	client.Socket.distant = Addr(address)
	if err := client.open(init); err != nil {
		n.made, n.names = n.made[:len(n.made)-1], n.names[:len(n.names)-1]
		return nil, err
	}
	l.dialed = append(l.dialed, client)
	if l.init == nil {
		return client.ch, nil
	}
	server := n.newChannel(fmt.Sprintf("server's end %d of %s", len(l.accepted), address))
	server.Socket.local, server.Socket.distant = client.Socket.distant, client.Socket.local
	l.accepted = append(l.accepted, server)
	client.Socket.peer, server.Socket.peer = server.Socket, client.Socket
	n.world.guard(func() { server.ch.Open(l.init) }) // its error is recorded by the server's end
	return client.ch, nil
}

func (n *Network) newChannel(name string) *Channel {
	c := n.world.newChannel(n.cfg, n.loop)
	n.made, n.names = append(n.made, c), append(n.names, name)
	return c
}

// Dialed are the clients' ends of the connections to address, in the order of dialing.
func (n *Network) Dialed(address string) []*Channel {
	if l := n.listeners[address]; l != nil {
		return l.dialed
	}
	return nil
}

// Accepted are the server's ends of the connections to address, in the same order.
func (n *Network) Accepted(address string) []*Channel {
	if l := n.listeners[address]; l != nil {
		return l.accepted
	}
	return nil
}
