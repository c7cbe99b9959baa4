package httpx

// fifo is a queue of what a handler knows about requests, until their answers come by. It is as long as requests may
// wait, see Limits.Pipelined.
type fifo[T any] struct {
	ring    []T // a power of two long
	head, n int
}

// keptFIFO is the length above which the memory of an empty fifo is let go.
const keptFIFO = 64

func (f *fifo[T]) push(v T) {
	if f.n == len(f.ring) {
		ring := make([]T, max(4, 2*f.n))
		for i := range f.n {
			ring[i] = *f.at(i)
		}
		f.ring, f.head = ring, 0
	}
	f.n++
	*f.at(f.n - 1) = v
}

// at returns the i-th oldest, 0 <= i < n.
func (f *fifo[T]) at(i int) *T { return &f.ring[(f.head+i)&(len(f.ring)-1)] }

// peek returns the oldest, the zero value when there is none.
func (f *fifo[T]) peek() (v T) {
	if f.n > 0 {
		v = *f.at(0)
	}
	return v
}

// pop takes the oldest off, if there is one.
func (f *fifo[T]) pop() (v T) {
	if f.n == 0 {
		return v
	}
	var none T
	at := f.at(0)
	v, *at = *at, none
	f.head = (f.head + 1) & (len(f.ring) - 1)
	f.n--
	if f.n == 0 && len(f.ring) > keptFIFO {
		f.ring, f.head = nil, 0
	}
	return v
}
