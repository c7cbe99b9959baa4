package buffer

import "sync/atomic"

// returnStack is where other goroutines leave a loop's buffers: any number of them push, the loop takes everything at
// once. As nobody ever pops a single buffer, the ABA problem does not arise.
type returnStack struct {
	top     atomic.Pointer[Buffer]
	arrived atomic.Uint64 // loads of all buffers ever pushed
	drained tally         // loads of those that the loop took out again
	count   tally         // number of those
	limit   uint64        // bytes
}

// A load counts buffers and bytes in one word, so that a push has one counter to change. The sums wrap around, but the
// difference of arrived and drained is the load of what the stack holds, which fits.
const (
	loadBytesBits = 40 // 1 TiB; 16 million buffers in the rest
	loadOne       = 1 << loadBytesBits
	loadBytes     = loadOne - 1
)

// held returns the load of the stack. What was drained is read first, so that it is part of what has arrived.
func (s *returnStack) held() uint64 {
	drained := s.drained.load()
	return s.arrived.Load() - drained
}

// returns is the number of buffers that ever came this way.
func (s *returnStack) returns() uint64 { return s.count.load() + s.held()>>loadBytesBits }

// push adds b, or returns false when the stack holds its limit already. Safe for concurrent use.
func (s *returnStack) push(b *Buffer) bool {
	load := loadOne + uint64(len(b.data))
	drained := s.drained.load()
	if (s.arrived.Add(load)-drained)&loadBytes > s.limit {
		s.arrived.Add(-load)
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

// takeAll returns the whole chain, linked by next, or nil. Call it on the event loop only.
func (s *returnStack) takeAll() *Buffer {
	if s.top.Load() == nil {
		return nil
	}
	return s.top.Swap(nil)
}

// forget takes n buffers of so many bytes, which takeAll returned, off the load. Call it on the event loop only.
func (s *returnStack) forget(n, bytes int) {
	s.drained.add(uint64(n)<<loadBytesBits + uint64(bytes))
	s.count.add(uint64(n)) // second, so that returns never counts a buffer twice
}
