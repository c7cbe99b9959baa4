package codec

import (
	"bufio"
	"errors"
	"io"
)

// errStopped is what a library's reader gets when its stream is abandoned.
var errStopped = errors.New("codec: inflater was reset")

// feed connects a library, which pulls its input and pushes its output, with the calls of Decode, which do the opposite.
// The library runs as a coroutine that yields whenever it has something or needs something.
type feed struct {
	codec    Compression
	limit    Cap
	messages bool
	yield    func(struct{}) bool
	input    []byte        // of this call, as far as it is not taken
	eof      bool          // no more will come
	ahead    *bufio.Reader // input that was taken and is not used, for libraries that ask byte by byte; may be nil
	rest     int           // what was in ahead when the library had finished
	output   []byte        // memory of the library, which stays as it is until the library runs again
	count    tally
	over     error // the limit was exceeded; a library may call that something else
}

// Read implements io.Reader for the library.
func (f *feed) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(f.input) == 0 {
		if f.eof {
			return 0, io.EOF
		}
		if err := f.leave(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.input)
	f.input = f.input[n:]
	f.count.took(n, f.messages)
	return n, nil
}

// Write implements io.Writer for the library: it offers p until it is used up. Nothing of it is offered when it is more
// than the limit allows.
func (f *feed) Write(p []byte) (int, error) {
	if err := f.count.made(len(p), f.unused(), f.limit, f.codec); err != nil {
		f.over = err
		return 0, err
	}
	f.output = p
	for len(f.output) > 0 {
		if err := f.leave(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// leave goes back to the caller of Decode until its next call.
func (f *feed) leave() error {
	if f.yield == nil || !f.yield(struct{}{}) {
		f.yield = nil // calling it again would panic
		return errStopped
	}
	return nil
}

// unused is the number of bytes that were taken and not used.
func (f *feed) unused() int {
	if f.ahead == nil {
		return f.rest
	}
	return f.ahead.Buffered()
}

// keepUnused remembers unused for the time when ahead serves somebody else.
func (f *feed) keepUnused() {
	f.rest = f.unused()
	f.ahead = nil
}
