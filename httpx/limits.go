package httpx

// Limits bound what a peer can make a decoder hold. The zero value is safe: each field that is zero or negative means
// its default; there is no way to say unlimited. Each is checked before memory is taken. RFC 9110, 5.4 and 17.5.
type Limits struct {
	Line            int // octets of the start line without its line end; 0 = 8 KiB; beyond: 414
	Head            int // octets of all field lines together, line ends included, and of a trailer section; 0 = 32 KiB; beyond: 431
	Fields          int // field lines of a head or a trailer section; 0 = 128; beyond: 431
	ChunkExt        int // octets of chunk extensions that a body may have in any case, and that one chunk may have; 0 = 4 KiB; beyond: 400
	ChunkExtPerByte int // octets of chunk extensions that each body octet adds to that; 0 = 16
	ChunkDigits     int // digits of a chunk size, leading zeros included; 0 = 16; beyond: 400
	BlankLines      int // empty lines skipped in front of a start line; 0 = 4; beyond: 400
	Pipelined       int // requests decoded and not yet answered, one octet each; 0 = 16,384; beyond: 503
}

// The defaults of Limits.
const (
	DefaultLine            = 8 << 10
	DefaultHead            = 32 << 10
	DefaultFields          = 128
	DefaultChunkExt        = 4 << 10
	DefaultChunkExtPerByte = 16
	DefaultChunkDigits     = 16
	DefaultBlankLines      = 4
	DefaultPipelined       = 16 << 10
)

// filled returns l with its defaults in place.
func (l Limits) filled() Limits {
	return Limits{
		Line:            orDefault(l.Line, DefaultLine),
		Head:            orDefault(l.Head, DefaultHead),
		Fields:          orDefault(l.Fields, DefaultFields),
		ChunkExt:        orDefault(l.ChunkExt, DefaultChunkExt),
		ChunkExtPerByte: orDefault(l.ChunkExtPerByte, DefaultChunkExtPerByte),
		ChunkDigits:     orDefault(l.ChunkDigits, DefaultChunkDigits),
		BlankLines:      orDefault(l.BlankLines, DefaultBlankLines),
		Pipelined:       orDefault(l.Pipelined, DefaultPipelined),
	}
}

// orDefault returns n, a limit or a time, or what stands for it when it is zero or negative.
func orDefault[N ~int | ~int64](n, standard N) N {
	if n <= 0 {
		return standard
	}
	return n
}
