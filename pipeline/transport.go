package pipeline

import (
	"context"
	"net"
	"os"
)

// Transport is the socket under a channel. The channel calls it on the event loop only, a few times per
// batch; none of its methods may block or call back into the channel.
type Transport interface {
	// Read reads up to len(p) bytes. ErrWouldBlock means none now, io.EOF that the peer sent its FIN.
	Read(p []byte) (int, error)
	// Writev writes the pieces in order and returns how many bytes it took; fewer than given, or
	// ErrWouldBlock, means that the channel waits for WriteReady. It keeps no piece after it returns.
	Writev(pieces [][]byte) (int, error)
	// SetInterest says whether ReadReady and WriteReady are wanted. A readable socket is reported again
	// for as long as reading is wanted.
	SetInterest(read, write bool) error
	// CloseWrite sends FIN after everything that was written. An error that matches errors.ErrUnsupported
	// means that this kind of socket can't: a drained close then closes it at once.
	CloseWrite() error
	// Close closes the socket; with reset the peer sees RST.
	Close(reset bool) error
}

// FileSender is implemented by transports that can send from a file without copying (sendfile).
type FileSender interface {
	// SendFile sends up to n bytes from offset off of f, like Writev. A file that ends before is io.ErrUnexpectedEOF.
	SendFile(f *os.File, off int64, n int) (int, error)
}

// Addresser is implemented by transports that know their addresses.
type Addresser interface {
	LocalAddr() net.Addr
	RemoteAddr() net.Addr
}

// Sink gets what would be dropped at the ends of a pipeline. Embedded channels use it; each method
// returns false to let the ordinary thing happen.
type Sink interface {
	// Unread gets a message that no handler read, and owns it when it returns true.
	Unread(msg any) bool
	// Untaken gets an event that no handler took, and owns it when it returns true.
	Untaken(event any) bool
	// Uncaught gets an error that no handler handled.
	Uncaught(err error) bool
	// Unencoded gets an outbound message that is not bytes, and owns it when it returns true.
	Unencoded(msg any) bool
}

// DialFunc connects to address ("host:port", or what the transport documents), runs init on the new
// channel's loop like a server's Init, and returns the open channel. parent ends the attempt, not the
// channel. Every protocol client takes one, so that no protocol depends on a transport.
type DialFunc func(parent context.Context, address string, init func(*Channel) error) (*Channel, error)
