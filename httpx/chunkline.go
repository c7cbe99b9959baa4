package httpx

import "math"

// chunkLine is what the line in front of chunk data says. RFC 9112, 7.1.
type chunkLine struct {
	size int64
	ext  int // octets behind the size
}

// parseChunkLine reads chunk-size [ chunk-ext ] without its CR LF: digits only, as many as allowed, and extensions that
// follow the grammar, which are then ignored. What one reader skips and another does not is how requests are smuggled,
// so nothing is repaired.
func parseChunkLine(line []byte, c *DecoderConfig) (chunkLine, error) {
	var l chunkLine
	i := 0
	for ; i < len(line); i++ {
		v, ok := hexValue(line[i])
		if !ok {
			break
		}
		if i == c.Limits.ChunkDigits || l.size > math.MaxInt64>>4 {
			return l, refuse(statusBadRequest, "bad chunk size")
		}
		l.size = l.size<<4 | v
	}
	if i == 0 {
		return l, refuse(statusBadRequest, "bad chunk size")
	}
	l.ext = len(line) - i
	if l.ext == 0 {
		return l, nil
	}
	return l, checkChunkExt(line[i:], c.RefuseChunkBlanks)
}

// checkChunkExt checks *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ). RFC 9112, 7.1.1.
func checkChunkExt(ext []byte, refuseBlanks bool) error {
	for _, c := range ext {
		if c == '\r' {
			return refuse(statusBadRequest, "bare CR in chunk line")
		}
	}
	for i := 0; i < len(ext); {
		semicolon := skipBlanks(ext, i)
		if semicolon == len(ext) || ext[semicolon] != ';' {
			return badChunkExt(i == 0)
		}
		name := skipBlanks(ext, semicolon+1)
		end := name + tokenEnd(ext[name:])
		if end == name {
			return badChunkExt(false)
		}
		next := end
		if equals := skipBlanks(ext, end); equals < len(ext) && ext[equals] == '=' {
			value := skipBlanks(ext, equals+1)
			if next = extValueEnd(ext, value); next == value {
				return badChunkExt(false)
			}
			if refuseBlanks && (equals != end || value != equals+1) {
				return badChunkExt(false)
			}
		}
		if refuseBlanks && (semicolon != i || name != semicolon+1) {
			return badChunkExt(false)
		}
		i = next
	}
	return nil
}

// badChunkExt is the error for extensions; when the first one does not even begin, the size is what is wrong.
func badChunkExt(atSize bool) error {
	if atSize {
		return refuse(statusBadRequest, "bad chunk size")
	}
	return refuse(statusBadRequest, "bad chunk extension")
}

// extValueEnd returns the end of the token or quoted-string at i, or i when there is neither. RFC 9110, 5.6.4.
func extValueEnd(b []byte, i int) int {
	if i == len(b) || b[i] != '"' {
		return i + tokenEnd(b[i:])
	}
	for at := i + 1; at < len(b); at++ {
		switch c := b[at]; {
		case c == '"':
			return at + 1
		case c == '\\':
			at++
			if at == len(b) || !validValue(b[at:at+1]) {
				return i
			}
		case c < ' ' && c != '\t' || c == 0x7f:
			return i
		}
	}
	return i
}
