package httpx

// stamp is what an encoder adds to each final answer that has not got it: when it was made, and by whom. The zero value
// adds nothing. RFC 9110, 6.6.1 and 10.2.4.
type stamp struct {
	clock  *clock // nil: no Date
	server []byte // "Server: name\r\n"
}

// maxServerName is the length of ServerConfig.Name.
const maxServerName = 64

// named sets the Server line.
func (s *stamp) named(name string) {
	if name != "" {
		s.server = []byte("Server: " + name + "\r\n")
	}
}

// append writes the lines that are not among those given.
func (s *stamp) append(dst []byte, given fieldSet) []byte {
	if s.clock != nil && !given.has(fieldDate) {
		dst = append(dst, s.clock.dateLine()...)
	}
	if !given.has(fieldServer) {
		dst = append(dst, s.server...)
	}
	return dst
}

// wireBytes returns the most octets that append writes.
func (s *stamp) wireBytes() int {
	if s.clock == nil {
		return len(s.server)
	}
	return dateLineBytes + len(s.server)
}
