package buffer

// Counted is implemented by messages that hold pooled bytes: *Buffer, *Composite, Slice, and every protocol message
// with such a part. Retain adds one reference, Release drops one; the last Release gives the memory back.
// Both are safe for concurrent use.
type Counted interface {
	Retain()
	Release()
}

var (
	_ Counted = (*Buffer)(nil)
	_ Counted = (*Composite)(nil)
	_ Counted = Slice{}
)

// Release drops one reference of msg when msg is Counted and does nothing otherwise.
// Safe for concurrent use.
func Release(msg any) {
	switch m := msg.(type) {
	case *Buffer:
		m.Release()
	case *Composite:
		m.Release()
	case Counted:
		m.Release()
	}
}

// Retain adds one reference to msg when msg is Counted and does nothing otherwise.
// Safe for concurrent use.
func Retain(msg any) {
	switch m := msg.(type) {
	case *Buffer:
		m.Retain()
	case *Composite:
		m.Retain()
	case Counted:
		m.Retain()
	}
}
