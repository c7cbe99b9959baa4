package client

import (
	"fmt"
	"time"

	"github.com/penstock-go/penstock/stomp"
)

// State is what has become of the connection of a Client.
type State uint8

// The states.
const (
	StateConnected    State = iota + 1 // the server has accepted the login
	StateDisconnected                  // the connection is lost, or an attempt has failed, and another one follows
	StateGivenUp                       // the same, and none follows: Connect and Start begin anew
	StateClosed                        // Close has ended the client
)

// String returns the state as one word.
func (s State) String() string {
	switch s {
	case StateConnected:
		return "connected"
	case StateDisconnected:
		return "disconnected"
	case StateGivenUp:
		return "given up"
	case StateClosed:
		return "closed"
	}
	return "unknown"
}

// Status is a change of the connection. Its texts are copies.
type Status struct {
	State State

	// Version, Server and Session are what the server said when it connected.
	Version         stomp.Version
	Server, Session string
	// ToServer and FromServer are how often each side gives a sign of life; 0 = it need not.
	ToServer, FromServer time.Duration

	// Err is why the connection was lost, or the attempt failed; nil behind an orderly close.
	Err error
	// Attempt is how many attempts in a row have failed, and Next when the next one comes.
	Attempt int
	Next    time.Duration
}

// String is for logs.
func (s Status) String() string {
	switch s.State {
	case StateConnected:
		return fmt.Sprintf("connected, version %v", s.Version)
	case StateDisconnected:
		return fmt.Sprintf("disconnected, next attempt in %v: %v", s.Next, s.Err)
	case StateGivenUp, StateClosed:
	}
	if s.Err == nil {
		return s.State.String()
	}
	return fmt.Sprintf("%v: %v", s.State, s.Err)
}

// teller calls OnStatus, in order and one at a time, whatever goroutines the changes come from. The client's mutex
// guards it.
type teller struct {
	queue []Status
	busy  bool
}

// note has s told by the next call of tell. The client is locked.
func (c *Client) note(s Status) {
	if c.OnStatus != nil {
		c.told.queue = append(c.told.queue, s)
	}
}

// tell tells what was noted. The client is not locked.
func (c *Client) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told.busy {
		return // who tells goes on with it
	}
	c.told.busy = true
	defer func() { c.told.busy = false }()
	for len(c.told.queue) > 0 {
		s := c.told.queue[0]
		c.told.queue = c.told.queue[1:]
		c.tellOne(s)
	}
}

// tellOne calls OnStatus with the client unlocked.
func (c *Client) tellOne(s Status) {
	c.mu.Unlock()
	defer c.mu.Lock()
	c.OnStatus(s)
}
