package httpx

// Version is a protocol version, major in the high and minor in the low octet, so that versions compare as numbers.
// RFC 9112, 2.3.
type Version uint16

// The versions this package speaks.
const (
	Version10 Version = 1 << 8
	Version11 Version = 1<<8 | 1
)

// Major returns the first digit.
func (v Version) Major() int { return int(v >> 8) }

// Minor returns the second digit.
func (v Version) Minor() int { return int(v & 0xff) }

// String returns the version as it stands in a message, "HTTP/1.1".
func (v Version) String() string {
	switch v {
	case Version11:
		return "HTTP/1.1"
	case Version10:
		return "HTTP/1.0"
	}
	return "HTTP/" + string([]byte{'0' + byte(v>>8)%10, '.', '0' + byte(v)%10})
}

const versionBytes = len("HTTP/1.1")

// parseVersion reads HTTP-version: upper-case name, one digit each. RFC 9112, 2.3.
func parseVersion(b []byte) (v Version, ok bool) {
	if string(b) == "HTTP/1.1" {
		return Version11, true
	}
	if len(b) != versionBytes || string(b[:5]) != "HTTP/" || b[6] != '.' {
		return 0, false
	}
	major, minor := b[5]-'0', b[7]-'0'
	if major > 9 || minor > 9 {
		return 0, false
	}
	return Version(major)<<8 | Version(minor), true
}
