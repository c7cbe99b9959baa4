package buffer

import (
	"sync"
	"sync/atomic"
)

// Allocator hands out buffers: a loop's *Pool, or Shared.
type Allocator interface {
	// Get returns an empty buffer with one reference and room for at least n bytes. The caller must Release it.
	Get(n int) *Buffer
}

// Shared returns the process-wide pool as an Allocator. Safe for concurrent use.
func Shared() Allocator { return &shared }

// shared is the process-wide pool behind Get and behind every loop's pool.
var shared sharedPool

// sharedPool keeps one sync.Pool per size class, so that the garbage collector bounds it. Safe for concurrent use.
type sharedPool struct {
	classes [classCount]sharedClass
	plain   sharedCounts // above 1 MiB and wrapped
}

type sharedClass struct {
	pool   sync.Pool
	counts sharedCounts
	_      [cacheLine]byte // classes are used by different goroutines at a time
}

// sharedCounts counts buffers whose home is the shared pool; misses are those of them that found no memory kept.
type sharedCounts struct{ gets, puts, misses atomic.Int64 }

// Get returns an empty buffer with one reference. Safe for concurrent use. The caller must Release the result.
func (s *sharedPool) Get(n int) *Buffer { return s.get(n) }

func (s *sharedPool) get(n int) *Buffer {
	b, made := s.take(n)
	b.flags |= flagShared
	b.refs = 1
	s.count(b)
	if made {
		s.countsOf(b).misses.Add(1)
	}
	return b
}

// count makes b one of the shared pool's live buffers.
func (s *sharedPool) count(b *Buffer) {
	s.countsOf(b).gets.Add(1)
	b.born()
	leaks.sample(b)
}

// put takes back a buffer that count has counted.
func (s *sharedPool) put(b *Buffer) {
	counts := s.countsOf(b)
	s.keep(b)
	counts.puts.Add(1)
}

func (s *sharedPool) countsOf(b *Buffer) *sharedCounts {
	if b.class < 0 {
		return &s.plain
	}
	return &s.classes[b.class].counts
}

// take returns a header with an array for n bytes and whether it was made for this call. It has no references and no
// home, and is counted nowhere.
func (s *sharedPool) take(n int) (b *Buffer, made bool) {
	c := classOf(n)
	if c < 0 {
		return newPlain(n), true
	}
	return s.takeClass(c)
}

func (s *sharedPool) takeClass(c int) (b *Buffer, made bool) {
	if b, kept := s.classes[c].pool.Get().(*Buffer); kept {
		return b, false
	}
	return &Buffer{data: make([]byte, classSize(c)), class: int8(c)}, true
}

// keep stores a free buffer for reuse by anybody; plain memory is left to the garbage collector.
func (s *sharedPool) keep(b *Buffer) {
	if b.class < 0 {
		return
	}
	b.home, b.flags = nil, 0
	s.classes[b.class].pool.Put(b)
}

func newPlain(n int) *Buffer {
	return &Buffer{data: make([]byte, n), class: unpooled, flags: flagPlain}
}
