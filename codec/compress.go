package codec

// Algorithm names a compressed format that Inflate reads and Deflate writes.
type Algorithm uint8

// The formats.
const (
	Zlib        Algorithm = iota + 1 // RFC 1950
	Gzip                             // RFC 1952
	DeflateOnly                      // RFC 1951, without a wrapper
	Zstd                             // RFC 8878
)
