package client

import (
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// heartBeats keeps a connection alive, and finds out when the server is not. It is of the loop.
// STOMP 1.2, "Heart-beating".
type heartBeats struct {
	send, expect *pipeline.Timer // nil = that direction is off
	every        time.Duration   // between two signs of life to the server
	limit        time.Duration   // between two of the server's
	written      uint64          // octets, when it was last looked
	octets       uint64          // that have come
	read         time.Time       // when the last of them came
	late         bool            // the loop was late: what the server has sent may not have been read
}

// heartBeat is what CONNECT says: HeartBeat with its defaults.
func (c *Client) heartBeat() stomp.HeartBeat {
	of := func(d time.Duration) time.Duration {
		if d < 0 {
			return 0
		}
		return orDefault(d, DefaultHeartBeat)
	}
	return stomp.HeartBeat{Send: of(c.HeartBeat.Send), Receive: of(c.HeartBeat.Receive)}
}

// startBeats begins with what was agreed on.
func (n *conn) startBeats(toServer, fromServer time.Duration) {
	b := &n.beats
	if toServer > 0 {
		b.every = toServer
		b.written = n.channel.BytesWritten()
		b.send = n.ctx.After(look(toServer), n.beat)
	}
	if fromServer > 0 {
		b.limit = time.Duration(float64(fromServer) * max(orDefault(n.client.Tolerance, DefaultTolerance), 1))
		b.read = n.ctx.Loop().Now()
		b.expect = n.ctx.After(b.limit, n.check)
	}
}

func (n *conn) stopBeats() {
	n.beats.send.Stop()
	n.beats.expect.Stop()
}

// look returns how long to wait between two looks at what was sent. No gap is longer than two of them, which is less than
// the interval, so that it holds at the server too.
func look(every time.Duration) time.Duration { return every * 2 / 5 }

// beat sends an EOL when nothing else was sent since the last look.
func (n *conn) beat() {
	b := &n.beats
	if now := n.channel.BytesWritten(); now != b.written || n.channel.Pending() > 0 {
		b.written = now
	} else {
		_ = n.ctx.Write(&stomp.EOL{}) // a connection that closes needs none
	}
	b.send.Reset(look(b.every))
}

// HandleReadComplete notes that octets have come, whatever they were.
func (n *conn) HandleReadComplete(ctx *pipeline.Context) error {
	if b := &n.beats; b.limit > 0 && b.octets != n.channel.BytesRead() {
		b.octets, b.read, b.late = n.channel.BytesRead(), ctx.Loop().Now(), false
	}
	ctx.FireReadComplete()
	return nil
}

// check looks whether the server has been silent for too long.
func (n *conn) check() {
	b := &n.beats
	silent := n.ctx.Loop().Now().Sub(b.read)
	switch {
	case !n.channel.AutoRead() || !n.channel.Reading(): // it may have said something
		b.read = n.ctx.Loop().Now()
		b.expect.Reset(b.limit)
	case silent < b.limit:
		b.expect.Reset(b.limit - silent)
	case !b.late && silent > b.limit+b.limit/8:
		b.late = true
		b.expect.Reset(b.limit / 8)
	default:
		n.fail(&TimeoutError{What: "sign of life from the server", After: b.limit})
	}
}
