package main

import (
	"bytes"
	"errors"
	"io"

	gostomp "github.com/go-stomp/stomp/v3/frame"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/stomp"
)

// stompOp encodes or decodes one frame. It returns how many octets that were, so that a peer that does less is found.
type stompOp func() (int, error)

var errNoFrame = errors.New("no frame")

// stompEncoders make the op of each way to encode. One op is a frame that is there already, to octets that are dropped.
var stompEncoders = []struct {
	name string
	open func(k stompKind, size int) stompOp
}{
	{"pooled", func(k stompKind, size int) stompOp { return openOurEncoder(k, size, 1<<30) }},
	{"by reference", func(k stompKind, size int) stompOp { return openOurEncoder(k, size, 1) }},
	{"heap", openHeapEncoder},
	{"go-stomp", openGoEncoder},
}

// ourEncoder speaks 1.2 and adds no content-length where none is needed, as the peers.
func ourEncoder(copyBelow int) *stomp.Encoder {
	return &stomp.Encoder{State: &stomp.State{Version: stomp.Version12}, Length: stomp.LengthNeeded, CopyBelow: copyBelow}
}

func openOurEncoder(k stompKind, size, copyBelow int) stompOp {
	f, e := k.frame(size), ourEncoder(copyBelow)
	pool := buffer.NewPool(buffer.PoolConfig{})
	var out buffer.Writer
	sent := func(p *buffer.Buffer, _ []byte) { pool.Put(p) } // as a channel does with what was written
	return func() (int, error) {
		out.Reset(pool, e.Size(f))
		if err := e.Encode(&out, f); err != nil {
			return 0, err
		}
		switch m := out.Take().(type) {
		case *buffer.Buffer:
			n := m.Len()
			pool.Put(m)
			return n, nil
		case *buffer.Composite:
			n := m.Len()
			m.MoveTo(sent)
			m.Release()
			return n, nil
		}
		return 0, errNoFrame
	}
}

func openHeapEncoder(k stompKind, size int) stompOp {
	f, e := k.frame(size), ourEncoder(1<<30)
	return func() (int, error) {
		octets, err := e.AppendFrame(nil, f)
		return len(octets), err
	}
}

// counter drops octets.
type counter struct{ n int }

// Write counts p.
func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

func openGoEncoder(k stompKind, size int) stompOp {
	sink := new(counter)
	w := gostomp.NewWriter(sink)
	f := gostomp.New(k.command, k.headers...)
	f.Body = stompBody(size)
	return func() (int, error) {
		sink.n = 0
		err := w.Write(f)
		return sink.n, err
	}
}

// stompDecoders make the op of each decoder: frames that follow one another in a read buffer, as a busy connection has
// them, each with a content-length when it has a body.
var stompDecoders = []struct {
	name string
	open func(wire []byte) stompOp
}{
	{"pooled", openOurDecoder},
	{"go-stomp", openGoDecoder},
}

// readBuffer is how many octets a read brings.
const readBuffer = 64 << 10

func openOurDecoder(wire []byte) stompOp {
	d := &stomp.Decoder{State: &stomp.State{Version: stomp.Version12}}
	in := buffer.Get(readBuffer)
	batch := bytes.Repeat(wire, max(1, in.Room()/len(wire)))
	return func() (int, error) {
		if in.Len() == 0 {
			in.Reset()
			in.Append(batch)
		}
		m, ok, err := d.Decode(in)
		if !ok || err != nil {
			return 0, errors.Join(err, errNoFrame)
		}
		f, ok := m.(*stomp.Frame)
		if !ok {
			return 0, errNoFrame
		}
		n := f.Body.Len()
		f.Release()
		return n, nil
	}
}

// endless reads the same octets again and again.
type endless struct {
	octets []byte
	at     int
}

// Read gives up to what is left of the octets.
func (e *endless) Read(p []byte) (int, error) {
	if e.at == len(e.octets) {
		e.at = 0
	}
	n := copy(p, e.octets[e.at:])
	e.at += n
	return n, nil
}

var _ io.Reader = (*endless)(nil)

func openGoDecoder(wire []byte) stompOp {
	r := gostomp.NewReaderSize(&endless{octets: bytes.Repeat(wire, max(1, readBuffer/len(wire)))}, readBuffer)
	return func() (int, error) {
		f, err := r.Read()
		if f == nil || err != nil {
			return 0, errors.Join(err, errNoFrame)
		}
		return len(f.Body), nil
	}
}
