package codec

// CRC32C is a handler that ends each outbound frame with its Castagnoli checksum, and verifies and strips
// the checksum of each inbound frame.
type CRC32C struct{}
