package buffer

// Grow makes room for n more bytes behind the window. Bytes returned by earlier calls are no longer b's afterwards.
// It panics when there is no room and somebody else holds a reference.
func (b *Buffer) Grow(n int) {
	if Debug {
		b.check("Grow")
	}
	if n < 0 {
		panicNegative("Grow", n)
	}
	if n <= len(b.data)-b.w {
		return
	}
	if b.loadRefs() != 1 {
		panicShared(b, "grow")
	}
	held := b.w - b.r
	// Moving down is worth it only when it moves fewer bytes than were consumed, so that the cost stays linear.
	if held+n <= len(b.data) && held <= b.r && b.flags&flagView == 0 {
		copy(b.data, b.data[b.r:b.w])
		b.r, b.w = 0, held
		return
	}
	b.move(max(held+n, len(b.data)+len(b.data)/2))
}

// move gives b a larger array. The header stays, as others may know b by its address, so the two headers swap arrays and
// the old array leaves with the new header.
func (b *Buffer) move(size int) {
	if b.flags&flagView != 0 {
		b.moveView(size)
		return
	}
	old, _ := shared.take(size)
	if Debug {
		old.verify()
	}
	held := copy(old.data, b.data[b.r:b.w])
	b.r, b.w = 0, held
	b.data, old.data = old.data, b.data
	b.class, old.class = old.class, b.class
	const ofArray = flagPlain | flagAdopted
	b.flags, old.flags = b.flags&^ofArray|old.flags&ofArray, b.flags&ofArray
	if Debug {
		old.poison()
	}
	shared.keep(old)
}

// Reserve returns n writable bytes behind the window, growing b when needed. They become readable by Commit and are
// valid until then or the next append. The transport reads from the socket into them.
func (b *Buffer) Reserve(n int) []byte {
	b.Grow(n)
	return b.data[b.w : b.w+n]
}

// Commit makes the first n bytes of the room readable. It panics when n > Room.
func (b *Buffer) Commit(n int) {
	if Debug {
		b.check("Commit")
	}
	if uint(n) > uint(len(b.data)-b.w) {
		panicShort("Commit", n, len(b.data)-b.w)
	}
	b.w += n
}
