package buffer

import "sync/atomic"

// returnStack is where other goroutines leave a loop's buffers: any number of them push, the loop takes everything at
// once. As nobody ever pops a single buffer, the ABA problem does not arise.
type returnStack struct {
	top   atomic.Pointer[Buffer]
	bytes atomic.Int64
	limit int64
}

// push adds b, or returns false when the stack holds its limit already. Safe for concurrent use.
func (s *returnStack) push(b *Buffer) bool {
	size := int64(len(b.data))
	if s.bytes.Add(size) > s.limit {
		s.bytes.Add(-size)
		return false
	}
	for {
		top := s.top.Load()
		b.next = top
		if s.top.CompareAndSwap(top, b) {
			return true
		}
	}
}

// takeAll returns the whole chain, linked by next, or nil. Its bytes stay counted until the caller subtracts them.
func (s *returnStack) takeAll() *Buffer {
	if s.top.Load() == nil {
		return nil
	}
	return s.top.Swap(nil)
}
