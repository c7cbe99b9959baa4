package buffer_test

import (
	"fmt"
	"os"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// A message is written with its length patched in afterwards, read back, and released by whoever has it last.
func Example() {
	pool := buffer.NewPool(buffer.PoolConfig{Name: "loop 1"}) // an event loop has one

	var w buffer.Writer
	w.Reset(pool, 64)
	length := w.Mark()
	w.AppendUint16(0)
	w.AppendString("hello")
	w.PatchUint16(length, uint16(w.Len()-2))
	msg := w.Take().(*buffer.Buffer) // one piece, so a *Buffer

	n := int(msg.ReadUint16())
	fmt.Printf("%d bytes: %s\n", n, msg.Next(n))
	fmt.Println("live:", pool.Live())
	pool.Put(msg)
	fmt.Println("live:", pool.Live())
	// Output:
	// 5 bytes: hello
	// live: 1
	// live: 0
}

// A decoder hands out a body as a slice of the buffer that the socket filled; the memory lives as long as either.
func ExampleBuffer_ReadSlice() {
	read := buffer.FromString("5\nhello5\nworld")
	var bodies []buffer.Slice
	for read.Len() > 0 {
		n := int(read.ReadUint8() - '0')
		read.Skip(1) // the line feed
		bodies = append(bodies, read.ReadSlice(n))
	}
	read.Release()
	for _, body := range bodies {
		fmt.Printf("%s\n", body.Bytes())
		body.Release()
	}
	// Output:
	// hello
	// world
}

// A large body travels by reference between a head and a tail, and the message becomes a rope.
func ExampleWriter_AppendRef() {
	body := buffer.FromBytes(make([]byte, 4096))
	var w buffer.Writer
	w.Reset(buffer.Shared(), 32)
	w.AppendString("MESSAGE\n\n")
	w.AppendRef(body) // takes the reference
	w.AppendByte(0)
	msg := w.Take().(*buffer.Composite)
	defer msg.Release()
	fmt.Println(msg)
	// Output:
	// composite 4106 bytes in 3 parts, refs 1
}

// A rope reads as one run of bytes wherever it is cut.
func ExampleComposite() {
	rope := buffer.NewComposite()
	defer rope.Release()
	for _, part := range []string{"GET /in", "dex.html HT", "TP/1.1\r\n"} {
		rope.Append(buffer.FromString(part))
	}
	line := rope.Split(rope.IndexByte('\r'))
	defer line.Release()
	fmt.Printf("%s\n", line.Next(3))
	line.Skip(1)
	_, _ = line.WriteTo(os.Stdout)
	// Output:
	// GET
	// /index.html HTTP/1.1
}

// Code that runs on no event loop takes buffers from the shared pool.
func ExampleGet() {
	b := buffer.Get(100)
	defer b.Release()
	b.AppendString("answer ")
	b.AppendUint16LE('!'<<8 | '!')
	fmt.Printf("%s, %d bytes of room\n", b.Bytes(), b.Room())
	// Output:
	// answer !!, 119 bytes of room
}
