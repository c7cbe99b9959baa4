package embedded

// queue is a FIFO that reuses its memory.
type queue[T any] struct {
	items []T
	first int
}

func (q *queue[T]) push(v T) { q.items = append(q.items, v) }

func (q *queue[T]) len() int { return len(q.items) - q.first }

// peek is the oldest item; the queue must not be empty.
func (q *queue[T]) peek() T { return q.items[q.first] }

// pop takes the oldest item out; the queue must not be empty.
func (q *queue[T]) pop() T {
	var none T
	v := q.items[q.first]
	q.items[q.first] = none
	q.first++
	if q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return v
}
