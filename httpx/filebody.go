package httpx

import "github.com/penstock-go/penstock/pipeline"

// filePieceBytes is how much of a file is handed to the channel at once. It is more than makes the channel unwritable,
// so that one piece waits at a time.
const filePieceBytes = 256 << 10

// filePart is octets that stand in front of a range, and the range.
type filePart struct {
	head []byte
	ByteRange
}

// fileBody sends parts of a file as the client takes them.
type fileBody struct {
	x     *Exchange
	file  *openFile
	parts []filePart
}

// octets returns the length of the whole.
func (b *fileBody) octets() (n int64) {
	for i := range b.parts {
		n += int64(len(b.parts[i].head)) + b.parts[i].Length
	}
	return n
}

// begin begins the answer with r, which it takes.
func (b *fileBody) begin(r *Response) error {
	if err := b.x.Begin(r); err != nil {
		b.close()
		return err
	}
	if b.x.answer.ended { // HEAD, or nothing in the file
		b.close()
		return nil
	}
	b.x.OnGone(func(error) { b.close() })
	b.x.OnWritable(func() { b.pump() })
	b.pump()
	return nil
}

// pump hands over pieces as long as they are wanted.
func (b *fileBody) pump() {
	for b.file != nil && b.x.Writable() {
		if !b.next() {
			b.close()
			return
		}
	}
}

// next hands over one piece; more is false behind the last one, and when a piece was refused, which closes the
// connection.
func (b *fileBody) next() (more bool) {
	if len(b.parts) == 0 {
		b.x.cut(b.x.End())
		return false
	}
	p := &b.parts[0]
	if len(p.head) > 0 {
		head := p.head
		p.head = nil
		return b.x.cut(b.x.WriteBytes(head))
	}
	n := min(p.Length, filePieceBytes, int64(max(b.x.channel.Options().HardCap/2, 1)))
	if n == 0 {
		b.parts = b.parts[1:]
		return true
	}
	region := pipeline.NewFileRegion(b.file.File, p.Start, int(n), false)
	b.file.refs.Add(1)
	region.OnRelease(b.file.release)
	p.Start, p.Length = p.Start+n, p.Length-n
	return b.x.cut(b.x.WriteFile(region))
}

// close gives up the file; pieces of it that are on their way keep it open.
func (b *fileBody) close() {
	if b.file != nil {
		b.file.release()
		b.file = nil
	}
}
