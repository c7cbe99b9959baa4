package stomp

// Limits bound what one frame may make its reader hold. The zero value is safe: each field that is zero or
// negative means its default. They are read at the start of every frame, so that a session can raise them
// after login. STOMP 1.2, "Size Limits".
type Limits struct {
	Line    int   // octets of one line, line end not counted; 0 = 4 KiB
	Headers int   // header lines of one frame; 0 = 100
	Head    int   // octets of command and headers with all line ends; 0 = 32 KiB
	Body    int64 // octets of one body; 0 = 4 MiB
	Chunk   int   // octets of one ContentSubframe; 0 = 64 KiB
}

// The defaults of Limits.
const (
	DefaultLine    = 4 << 10
	DefaultHeaders = 100
	DefaultHead    = 32 << 10
	DefaultBody    = 4 << 20
	DefaultChunk   = 64 << 10
)

// maxHead keeps offsets in a head within 32 bits.
const maxHead = 1 << 30

// filled returns l with its defaults in place.
func (l Limits) filled() Limits {
	return Limits{
		Line:    orDefault(l.Line, DefaultLine),
		Headers: orDefault(l.Headers, DefaultHeaders),
		Head:    min(orDefault(l.Head, DefaultHead), maxHead),
		Body:    orDefault(l.Body, DefaultBody),
		Chunk:   orDefault(l.Chunk, DefaultChunk),
	}
}

func orDefault[N int | int64](n, def N) N {
	if n > 0 {
		return n
	}
	return def
}
