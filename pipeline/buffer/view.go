package buffer

import "sync"

// views keeps the headers of views; their memory belongs to other buffers.
var views = sync.Pool{New: func() any { return new(Buffer) }}

// Buffer returns a view: a buffer with a reference of its own whose window is s, for passing the piece on as a message
// or writing it out. It has no room, appending moves its bytes. s keeps its own reference.
// The caller must Release the result.
func (s Slice) Buffer() *Buffer {
	s.Retain()
	return viewOf(s.root, s.Bytes())
}

// viewOf returns a view of window, which lies in root's memory, and takes one reference of root (nil: no bytes).
func viewOf(root *Buffer, window []byte) *Buffer {
	v := views.Get().(*Buffer)
	v.data = window[:len(window):len(window)]
	v.r, v.w, v.refs = 0, len(window), 1
	v.class, v.flags, v.root = unpooled, flagView, root
	if Debug {
		v.born()
	}
	return v
}

func (b *Buffer) freeView() {
	root := b.root
	b.data, b.root = nil, nil
	views.Put(b)
	if root != nil {
		root.Release()
	}
}

// moveView turns a view into a buffer of its own.
func (b *Buffer) moveView(size int) {
	own := shared.get(size)
	own.Append(b.Bytes())
	b.r, b.w, own.r, own.w = own.r, own.w, 0, 0
	b.data, own.data = own.data, nil
	b.class, own.class = own.class, unpooled
	b.flags, own.flags = own.flags&^flagTraced, flagView|own.flags&flagTraced
	b.root, own.root = nil, b.root
	own.Release()
}
