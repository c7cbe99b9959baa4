package codec

import "github.com/penstock-go/penstock/pipeline/buffer"

const (
	firstOut   = 512
	joinedOut  = 8 << 10 // less than this moves to a larger buffer when it grows, so that it stays in one piece
	largestOut = 32 << 10
)

// sink collects what a library writes, in buffers of up to 32 KiB.
type sink struct {
	alloc buffer.Allocator
	rope  *buffer.Composite // full buffers
	cur   *buffer.Buffer
	n     int // bytes in all
}

// Write implements io.Writer; it never fails.
func (s *sink) Write(p []byte) (int, error) {
	total := len(p)
	s.n += total
	for len(p) > 0 {
		if s.cur == nil || s.cur.Room() == 0 {
			s.more(len(p))
		}
		k := min(len(p), s.cur.Room())
		s.cur.Append(p[:k])
		p = p[k:]
	}
	return total, nil
}

// more makes room where n bytes or more come.
func (s *sink) more(n int) {
	switch full := s.cur; {
	case full == nil:
		s.cur = s.alloc.Get(min(max(n, firstOut), largestOut))
	case full.Len() < joinedOut:
		s.cur = s.alloc.Get(min(full.Len()+max(n, full.Len()), largestOut))
		s.cur.Append(full.Bytes())
		full.Release()
	default:
		if s.rope == nil {
			s.rope = buffer.NewComposite()
		}
		s.rope.Append(full)
		s.cur = s.alloc.Get(largestOut)
	}
}

// take gives away what has been written, a *buffer.Buffer or a *buffer.Composite, nil when nothing was.
func (s *sink) take() any {
	rope, cur := s.rope, s.cur
	s.rope, s.cur, s.n = nil, nil, 0
	switch {
	case rope != nil:
		rope.Append(cur) // there is one behind a full one
		return rope
	case cur != nil:
		return cur
	}
	return nil
}
