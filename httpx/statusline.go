package httpx

import "bytes"

// parseLine reads the status line. RFC 9112, 4.
func (r *Response) parseLine(line []byte, c *DecoderConfig) error {
	const statusAt = versionBytes + len(" ")
	const reasonAt = statusAt + len("200 ")
	if bytes.IndexByte(line, '\r') >= 0 {
		return refuse(0, "bare CR")
	}
	if len(line) < reasonAt-1 || line[versionBytes] != ' ' {
		return refuse(0, "bad status line")
	}
	v, ok := parseVersion(line[:versionBytes])
	if !ok || v.Major() != 1 {
		return refuse(0, "bad version")
	}
	r.Version = v
	for _, c := range line[statusAt : statusAt+3] {
		if !isDigit(c) {
			return refuse(0, "bad status line")
		}
		r.Status = r.Status*10 + int(c-'0')
	}
	if r.Status < 100 {
		return refuse(0, "bad status line")
	}
	if len(line) == reasonAt-1 {
		if c.RequireReasonSpace {
			return refuse(0, "no space behind the status")
		}
		return nil
	}
	if line[reasonAt-1] != ' ' || !validValue(line[reasonAt:]) {
		return refuse(0, "bad status line")
	}
	r.Reason = phrase(r.Status, line[reasonAt:])
	return nil
}

// phrase returns b as a string, without an allocation when it is the usual one.
func phrase(status int, b []byte) string {
	if usual := StatusText(status); usual == string(b) {
		return usual
	}
	return string(b)
}
