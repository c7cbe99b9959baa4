package websocket

// Limits bound what a peer can make a Decoder hold. The zero value is safe: each field that is zero or negative means
// its default; there is no way to say unlimited. They are checked as soon as a frame's head is known, before memory is
// taken. RFC 6455, 10.4.
type Limits struct {
	Frame     int // payload octets of one frame; 0 = 1 MiB; beyond: 1009
	Message   int // payload octets of one message, as they come and inflated; 0 = 4 MiB; beyond: 1009
	Fragments int // frames of one message; 0 = 1,024; beyond: 1008
}

// The defaults of Limits.
const (
	DefaultFrame     = 1 << 20
	DefaultMessage   = 4 << 20
	DefaultFragments = 1024
)

// filled returns l with its defaults in place.
func (l Limits) filled() Limits {
	return Limits{
		Frame:     orDefault(l.Frame, DefaultFrame),
		Message:   orDefault(l.Message, DefaultMessage),
		Fragments: orDefault(l.Fragments, DefaultFragments),
	}
}

func orDefault[N ~int | ~int64](n, def N) N {
	if n > 0 {
		return n
	}
	return def
}
