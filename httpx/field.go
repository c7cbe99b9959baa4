package httpx

// fieldName is a field that the codec itself acts on; all others are fieldOther.
type fieldName uint8

const (
	fieldOther fieldName = iota
	fieldHost
	fieldConnection
	fieldContentLength
	fieldTransferEncoding
	fieldExpect
	fieldUpgrade
	fieldNotTrailer // not acted on, but as little allowed in trailers as those above
	fieldDate       // from here on: not acted on when decoded
	fieldServer
)

// fieldSet has one bit per fieldName.
type fieldSet uint16

func (n fieldName) bit() fieldSet { return 1 << (n & 15) }

func (s fieldSet) has(n fieldName) bool { return s&n.bit() != 0 }

// framingFields say where a body ends. RFC 9112, 6.
const framingFields = fieldSet(1<<fieldContentLength | 1<<fieldTransferEncoding)

// freeFields are those that say nothing about the message and the connection.
const freeFields = fieldSet(1<<fieldOther | 1<<fieldDate | 1<<fieldServer)

// knownLengths has a bit for each length that a name has which nameOf knows.
const knownLengths = 1<<4 | 1<<6 | 1<<7 | 1<<10 | 1<<14 | 1<<17

// nameOf tells which field name is, a token. Length first, so that most names cost one comparison or none.
func nameOf[T text](name T) fieldName {
	switch len(name) {
	case 4:
		if isWord(name, "date") {
			return fieldDate
		}
		return pick(name, "host", fieldHost)
	case 6:
		if isWord(name, "server") {
			return fieldServer
		}
		return pick(name, "expect", fieldExpect)
	case 7:
		return pick(name, "upgrade", fieldUpgrade)
	case 10:
		return pick(name, "connection", fieldConnection)
	case 14:
		return pick(name, "content-length", fieldContentLength)
	case 17:
		return pick(name, "transfer-encoding", fieldTransferEncoding)
	}
	return fieldOther
}

func pick[T text](name T, known string, n fieldName) fieldName {
	if isWord(name, known) {
		return n
	}
	return fieldOther
}

// trailerName is nameOf for a trailer section: it also finds fields that decide about routing, authentication or how
// the content is read, none of which may arrive after the fact. RFC 9110, 6.5.1.
func trailerName[T text](name T) fieldName {
	if n := nameOf(name); n > fieldOther && n < fieldNotTrailer {
		return n
	}
	for _, forbidden := range [...]string{
		"te", "trailer", "keep-alive", "proxy-connection", "max-forwards", "forwarded", "via",
		"authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate", "cookie", "set-cookie",
		"content-encoding", "content-type", "content-range", "range", "location", "age", "cache-control", "vary",
	} {
		if equalFold(name, forbidden) {
			return fieldNotTrailer
		}
	}
	return fieldOther
}

// field is the place of one field line in its head.
type field struct {
	name, value uint32 // offsets of the first octet
	valueLen    uint32
	nameLen     uint16
	is          fieldName
}

func (f *field) valueEnd() int { return int(f.value) + int(f.valueLen) }

const maxNameBytes = 1<<16 - 1
