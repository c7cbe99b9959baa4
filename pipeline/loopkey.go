package pipeline

// LoopKey names one value of type T that a loop keeps for all that runs on it: a cache, a clock, a scratch area. Such a
// value needs no lock. Make the key once, as a package variable; two keys are never the same, whatever their names.
type LoopKey[T any] struct{ name string }

// NewLoopKey makes a key; name is for diagnostics.
func NewLoopKey[T any](name string) *LoopKey[T] { return &LoopKey[T]{name} }

// String is the name.
func (k *LoopKey[T]) String() string { return k.name }

// Get is the value that l keeps, and whether there is one. Call it on the event loop only.
func (k *LoopKey[T]) Get(l *Loop) (T, bool) {
	for i := range l.values {
		if l.values[i].key == any(k) {
			value, _ := l.values[i].value.(T) // not of T only when T is an interface and it is nil
			return value, true
		}
	}
	var none T
	return none, false
}

// Set makes l keep value until it ends. Call it on the event loop only.
func (k *LoopKey[T]) Set(l *Loop, value T) {
	for i := range l.values {
		if l.values[i].key == any(k) {
			l.values[i].value = value
			return
		}
	}
	l.values = append(l.values, attribute{k, value})
}
