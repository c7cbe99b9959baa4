package codec

// Verdict is what a protocol says about the first bytes of a connection.
type Verdict uint8

const (
	// No says that these bytes can't begin this protocol.
	No Verdict = iota
	// More says that they may; ask again with more of them.
	More
	// Yes says that they do.
	Yes
)

// String is the verdict in a word.
func (v Verdict) String() string {
	switch v {
	case No:
		return "no"
	case More:
		return "more"
	case Yes:
		return "yes"
	}
	return "unknown"
}
