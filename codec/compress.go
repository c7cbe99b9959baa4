package codec

// Compression is an algorithm that Inflater and Deflater know.
type Compression uint8

const (
	// Gzip is RFC 1952; several members in a row are one stream.
	Gzip Compression = iota + 1
	// Zlib is RFC 1950, what HTTP calls deflate.
	Zlib
	// Deflate is RFC 1951, without header and checksum.
	Deflate
	// Zstd is RFC 8878; several frames in a row are one stream.
	Zstd
)

// String is the name of the algorithm.
func (c Compression) String() string {
	switch c {
	case Gzip:
		return "gzip"
	case Zlib:
		return "zlib"
	case Deflate:
		return "deflate"
	case Zstd:
		return "zstd"
	}
	return "unknown compression"
}

func (c Compression) check() error {
	if c < Gzip || c > Zstd {
		return wrongSettings("no compression format")
	}
	return nil
}
