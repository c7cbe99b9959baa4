package pipeline

// Key names one attribute of type T. Make it once, as a package variable; two keys are never the same,
// whatever their names.
type Key[T any] struct{ name string }

// NewKey makes a key; name is for diagnostics.
func NewKey[T any](name string) *Key[T] { return &Key[T]{name} }

// String is the name.
func (k *Key[T]) String() string { return k.name }

type attribute struct {
	key   any
	value any
}

// Get is the attribute's value on ch, and whether it was set. Call it on the event loop only.
func (k *Key[T]) Get(ch *Channel) (T, bool) {
	for i := range ch.attributes {
		if ch.attributes[i].key == any(k) {
			value, _ := ch.attributes[i].value.(T) // not of T only when T is an interface and it is nil
			return value, true
		}
	}
	var none T
	return none, false
}

// Set gives the attribute a value on ch. A *Timer that is an attribute when the channel has closed is stopped.
// Call it on the event loop only.
func (k *Key[T]) Set(ch *Channel, value T) {
	for i := range ch.attributes {
		if ch.attributes[i].key == any(k) {
			ch.attributes[i].value = value
			return
		}
	}
	ch.attributes = append(ch.attributes, attribute{k, value})
}

// Delete takes the attribute off ch. Call it on the event loop only.
func (k *Key[T]) Delete(ch *Channel) {
	for i := range ch.attributes {
		if ch.attributes[i].key == any(k) {
			last := len(ch.attributes) - 1
			ch.attributes[i] = ch.attributes[last]
			ch.attributes[last] = attribute{}
			ch.attributes = ch.attributes[:last]
			return
		}
	}
}

// stopTimers ends the timers among the attributes: nobody else would, and they hold the channel in memory.
func (c *Channel) stopTimers() {
	for i := range c.attributes {
		if t, ok := c.attributes[i].value.(*Timer); ok {
			t.Stop()
		}
	}
}
