package pipeline

import (
	"errors"
	"io"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// inbound is the reading side of a channel.
type inbound struct {
	bytes       uint64 // read so far
	guess       int32  // size of the next read buffer
	small       uint8  // reads in a row that a smaller buffer would have held
	auto        bool   // read without requests
	always      bool   // read also while the outbound queue is above the high watermark
	requested   bool   // one batch was asked for
	granted     bool   // that batch is running
	kick        bool   // auto or always was switched on: whoever holds messages back may go on
	running     bool   // in readBatch
	eof         bool   // the peer's FIN has been seen
	readWanted  bool   // interests as the transport has them
	writeWanted bool
}

const (
	firstGuess = 2 << 10
	leastGuess = 512
	mostGuess  = 256 << 10
)

// ReadReady reads what the socket has, up to Options.MaxReads times, and sends it through the pipeline.
// The transport calls it when the socket may be readable, on the event loop.
func (c *Channel) ReadReady() { c.loop.batch(c, (*Channel).readBatch) }

// Reading reports whether one more inbound message is wanted right now: the channel is open, its
// outbound queue is not above the high watermark, and reading is on or was requested. Decoders ask it
// between two messages, and keep the rest until HandleWritability or HandleReadRequest. Call it on the
// event loop only.
func (c *Channel) Reading() bool {
	return c.state == stateActive && (c.in.auto || c.in.requested || c.in.granted) && !c.pausedByWrites()
}

func (c *Channel) pausedByWrites() bool {
	return c.out.unwritable && !c.out.failed && !c.in.always && !c.opts.ReadWhileUnwritable
}

func (c *Channel) setReadWhileUnwritable(on bool) {
	if c.in.always != on {
		c.in.always = on
		c.in.kick = c.in.kick || on && c.in.auto
		c.touch()
	}
}

// BytesRead is the number of bytes that came from the socket. Call it on the event loop only.
func (c *Channel) BytesRead() uint64 { return c.in.bytes }

// AutoRead reports whether reading needs no requests. Call it on the event loop only.
func (c *Channel) AutoRead() bool { return c.in.auto }

func (c *Channel) setAutoRead(on bool) {
	if c.in.auto == on {
		return
	}
	c.in.auto, c.in.kick = on, on
	c.touch()
}

func (c *Channel) requestRead() {
	if c.in.auto {
		return // it reads anyway
	}
	c.in.requested = true
	c.touch()
}

// kickRead lets handlers that held messages back go on after SetAutoRead(true).
func (c *Channel) kickRead() {
	if c.in.kick && c.state == stateActive {
		c.in.kick = false
		c.pipe.tail.Read()
	}
}

// Inject runs f as one batch of reads of this channel: what f fires counts as wanted, even when auto
// read is off. Embedded channels and bridges that have messages instead of bytes use it. Call it on the
// event loop only.
func (c *Channel) Inject(f func(p *Pipeline)) {
	c.loop.batch(c, func(c *Channel) {
		outer := c.in.granted
		c.in.granted = true
		f(&c.pipe)
		c.in.granted = outer
	})
}

func (c *Channel) readBatch() {
	if c.state != stateActive {
		c.readRest()
		return
	}
	if c.in.running || c.in.eof {
		return
	}
	c.in.running = true
	c.in.granted, c.in.requested = c.in.requested, false
	fired := false
	var err error
	// Until the socket has nothing more, nobody wants more, or the batch is full.
	for more, n := true, 0; more && n < c.opts.MaxReads && c.Reading(); n++ {
		var b *buffer.Buffer
		if b, more, err = c.readOnce(); b != nil {
			fired = true
			c.pipe.head.FireRead(b)
		}
	}
	c.in.running = false
	if !fired && err == nil && c.in.granted {
		c.in.requested = true // the request was not used up
	}
	if fired && c.state < stateClosed {
		c.pipe.head.FireReadComplete()
	}
	c.in.granted = false
	if err != nil && c.state == stateActive {
		c.readEnded(err)
	}
	if !c.in.auto || c.in.eof {
		c.touch()
	}
}

// readOnce does one system call. b is what came, nil when nothing did; more tells that the socket may have more: otherwise
// it is empty, or will be reported again.
func (c *Channel) readOnce() (b *buffer.Buffer, more bool, err error) {
	b = c.loop.pool.Get(int(c.in.guess))
	room := b.Reserve(b.Room())
	n, err := c.tr.Read(room)
	if n <= 0 {
		c.loop.pool.Put(b)
		if errors.Is(err, ErrWouldBlock) {
			err = nil
		}
		return nil, false, err
	}
	b.Commit(n)
	c.in.bytes += uint64(n)
	c.adapt(n)
	return b, n == len(room), nil
}

// adapt lets the read buffer follow the traffic: it grows at once, and shrinks after eight small reads.
func (c *Channel) adapt(n int) {
	switch g := int(c.in.guess); {
	case n >= g:
		c.in.guess = int32(min(g*4, mostGuess))
		c.in.small = 0
	case n < g/4 && g > leastGuess:
		c.in.small++
		if c.in.small >= 8 {
			c.in.guess = int32(g / 2)
			c.in.small = 0
		}
	default:
		c.in.small = 0
	}
}

// readEnded handles the peer's FIN and read errors.
func (c *Channel) readEnded(err error) {
	if !errors.Is(err, io.EOF) {
		c.fail(err)
		return
	}
	c.in.eof = true
	c.pipe.head.FireReadClosed()
	if c.state == stateActive && (!c.opts.AllowHalfClose || c.out.ended) {
		c.pipe.Close(CloseDrain, nil)
	}
}

// Failed says that the transport saw the socket break (a reset while nothing was read). Call it on the
// event loop only.
func (c *Channel) Failed(err error) {
	c.loop.batch(c, func(c *Channel) { c.fail(err) })
}

// updateInterest tells the transport what to report, when that has changed.
func (c *Channel) updateInterest() {
	if c.state >= stateClosed {
		return
	}
	read := c.Reading() && !c.in.eof
	if c.state == stateClosing {
		read = c.drainsInput()
	}
	write := c.out.blocked
	if read == c.in.readWanted && write == c.in.writeWanted {
		return
	}
	c.in.readWanted, c.in.writeWanted = read, write
	if err := c.tr.SetInterest(read, write); err != nil {
		c.fail(err)
	}
}
