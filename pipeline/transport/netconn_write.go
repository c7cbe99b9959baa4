package transport

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	chunkSize  = 32 << 10  // most bytes of one blocking write, so that a slow peer's progress is seen
	mostStaged = 256 << 10 // bytes copied and not yet written
)

// writeSide is the writing half of a netConn. Its fields belong to the connection's lock. Bytes are
// counted from the beginning of the stream: reported ≤ done ≤ staged. What the channel offers begins at
// reported, since it keeps offering what was not reported as written.
type writeSide struct {
	more     sync.Cond
	chunks   []*buffer.Buffer // copied and not yet taken by the writer
	staged   uint64           // copied
	done     uint64           // taken by the connection
	reported uint64           // told to the channel
	err      error
	want     bool // the channel wants WriteReady
	started  bool
	end      halfCloser // ends our side after the chunks; nil: not yet
}

// ready reports whether Writev would make progress. A failure waits until what the peer sent before is
// collected.
func (w *writeSide) ready(collecting bool) bool {
	if w.err != nil {
		return w.done > w.reported || !collecting
	}
	return w.done > w.reported || w.staged == w.reported
}

func (w *writeSide) drop() {
	for _, b := range w.chunks {
		b.Release()
	}
	w.chunks = nil
}

// report takes what was written since the last report.
func (w *writeSide) report() int {
	n := int(w.done - w.reported)
	w.reported = w.done
	return n
}

// Writev copies as much of the pieces as may wait for the writer, and returns how many bytes of them the
// connection has taken since the last call. Call it on the event loop only.
func (c *netConn) Writev(pieces [][]byte) (int, error) {
	return c.write(func(skip, room int) error {
		c.addPieces(pieces, skip, room)
		return nil
	})
}

// SendFile is Writev for a part of a file: it reads only what was not copied before. Call it on the event
// loop only.
func (c *netConn) SendFile(f *os.File, off int64, n int) (int, error) {
	return c.write(func(skip, room int) error {
		err := c.addFile(f, off+int64(skip), min(n-skip, room))
		if err != nil && c.busy() {
			return nil // what was read before is sent first
		}
		return err
	})
}

// write reports progress and lets add copy more: skip bytes of what is offered are copied already, room is
// what may be added.
func (c *netConn) write(add func(skip, room int) error) (int, error) {
	c.mu.Lock()
	w := &c.out
	skip := int(w.staged - w.reported)
	room := mostStaged - int(w.staged-w.done)
	n, err := w.report(), w.err
	c.mu.Unlock()
	if err == nil && room > 0 {
		err = add(skip, room)
	}
	switch {
	case n > 0:
		return n, nil // an error is found again
	case err != nil:
		return 0, err
	default:
		return 0, pipeline.ErrWouldBlock
	}
}

func (c *netConn) addPieces(pieces [][]byte, skip, room int) {
	var b *buffer.Buffer
	for _, p := range pieces {
		if skip >= len(p) {
			skip -= len(p)
			continue
		}
		p = p[skip:]
		p, skip = p[:min(len(p), room)], 0
		room -= len(p)
		for len(p) > 0 {
			if b == nil {
				b = c.loop.core.Pool().Get(min(len(p), chunkSize))
			}
			n := min(len(p), chunkSize-b.Len())
			b.Append(p[:n])
			p = p[n:]
			if b.Len() == chunkSize {
				c.push(b)
				b = nil
			}
		}
	}
	if b != nil {
		c.push(b)
	}
}

func (c *netConn) addFile(f *os.File, off int64, n int) error {
	for n > 0 {
		size := min(n, chunkSize)
		b := c.loop.core.Pool().Get(size)
		got, err := f.ReadAt(b.Reserve(size), off)
		if got == 0 {
			b.Release()
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // the file is shorter than announced
			}
			return err
		}
		b.Commit(got)
		c.push(b)
		off += int64(got)
		n -= got
	}
	return nil
}

// push hands b to the writer.
func (c *netConn) push(b *buffer.Buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.out.err != nil {
		b.Release()
		return
	}
	c.out.staged += uint64(b.Len())
	c.out.chunks = append(c.out.chunks, b)
	c.startWriter()
}

// busy reports whether there is anything that was not reported.
func (c *netConn) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.staged > c.out.reported
}

// startWriter starts the writer once and wakes it. The caller holds c.mu.
func (c *netConn) startWriter() {
	if !c.out.started {
		c.out.started = true
		c.loop.owner.group.Go(c.writeLoop)
		return
	}
	c.out.more.Signal()
}

// CloseWrite lets the writer end our side. A failure is reported later. Connections that have no such
// operation give an error that matches errors.ErrUnsupported. Call it on the event loop only.
func (c *netConn) CloseWrite() error {
	end, ok := c.conn.(halfCloser)
	if !ok {
		return errHalfClose
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.end = end
	c.startWriter()
	return nil
}

// writeLoop is the writer: one blocking write at a time.
func (c *netConn) writeLoop() {
	for {
		b, ok := c.awaitChunk()
		switch {
		case !ok:
			return
		case b == nil:
			c.endWrites()
			return
		}
		size := b.Len()
		n, err := c.conn.Write(b.Bytes())
		b.Release()
		if err == nil && n < size {
			err = io.ErrShortWrite
		}
		if !c.wrote(n, err) {
			return
		}
	}
}

// awaitChunk waits for something to write; nil means that our side is to be ended.
func (c *netConn) awaitChunk() (b *buffer.Buffer, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &c.out
	for !c.closed && len(w.chunks) == 0 && w.end == nil {
		w.more.Wait()
	}
	if c.closed {
		return nil, false
	}
	if len(w.chunks) == 0 {
		return nil, true
	}
	b = w.chunks[0]
	last := copy(w.chunks, w.chunks[1:])
	w.chunks[last] = nil
	w.chunks = w.chunks[:last]
	return b, true
}

// wrote counts what the connection took and reports whether to write on.
func (c *netConn) wrote(n int, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.out.done += uint64(n)
	if err != nil {
		c.out.err = connError(err)
		c.out.drop()
		c.collect()
	}
	c.look()
	return err == nil
}

func (c *netConn) endWrites() {
	c.mu.Lock()
	end := c.out.end
	c.mu.Unlock()
	err := end.CloseWrite()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && !c.closed {
		c.endErr = connError(err)
		c.look()
	}
}
