package httpx

import (
	"strconv"
	"strings"
	"time"
)

// SameSite says for which requests a browser sends a cookie along. RFC 6265bis, 4.1.2.7.
type SameSite uint8

// The values of the SameSite attribute.
const (
	SameSiteUnset  SameSite = iota // no attribute: the browser's default, which is mostly Lax
	SameSiteLax                    // requests of the own site, and following a link to it
	SameSiteStrict                 // requests of the own site only
	SameSiteNone                   // every request; needs Secure
)

// SetCookie is a cookie for a browser to keep. The zero value of each attribute leaves it out. RFC 6265, 4.1;
// RFC 6265bis, 4.1.
type SetCookie struct {
	Name  string // a token; __Host- and __Secure- in front of it bind what the browser accepts
	Value string // visible ASCII without quotes, commas, semicolons and backslashes

	Path   string // of the requests that get the cookie, and below it; "" = that of the request
	Domain string // of the hosts that get it, and below it; "" = this host only

	Expires time.Time     // when the browser forgets it; years 1601 to 9999
	MaxAge  time.Duration // the same from now on, in whole seconds, rounded up; negative = at once. It counts more than Expires

	Secure      bool // over TLS only
	HTTPOnly    bool // not for scripts
	SameSite    SameSite
	Partitioned bool // one for each site that embeds this one; needs Secure
}

// MaxCookieBytes is how long name and value of a cookie may be together: browsers drop longer ones. RFC 6265bis, 5.6.
const MaxCookieBytes = 4096

// maxAttributeBytes is how long one attribute may be: browsers leave out longer ones. RFC 6265bis, 5.6.
const maxAttributeBytes = 1024

// AddCookie appends a Set-Cookie line. It returns an *Error and changes nothing when part of c could be taken for
// another attribute or line, or when browsers would not keep the cookie. It does not keep c.
func (h *Header) AddCookie(c *SetCookie) error {
	if reason := c.fault(); reason != "" {
		return refuse(0, reason)
	}
	return h.AddBytes("Set-Cookie", c.append(make([]byte, 0, c.size())))
}

// fault says what is wrong with c, "" when nothing is.
func (c *SetCookie) fault() string {
	switch {
	case !validToken(c.Name):
		return "bad cookie name"
	case !validCookieValue(c.Value):
		return "bad cookie value"
	case len(c.Name)+len(c.Value) > MaxCookieBytes:
		return "cookie too large"
	case c.Path != "" && !validCookiePath(c.Path):
		return "bad cookie path"
	case c.Domain != "" && !validCookieDomain(c.Domain):
		return "bad cookie domain"
	case !c.Expires.IsZero() && (c.Expires.UTC().Year() < 1601 || c.Expires.UTC().Year() > 9999):
		return "bad cookie expiry"
	case c.SameSite > SameSiteNone:
		return "bad SameSite"
	case !c.Secure && (c.SameSite == SameSiteNone || c.Partitioned):
		return "cookie must be Secure"
	}
	return c.prefixFault()
}

// prefixFault checks what a prefix of the name promises; browsers compare it in either case. RFC 6265bis, 4.1.3.
func (c *SetCookie) prefixFault() string {
	const secure, host = "__Secure-", "__Host-"
	isHost := len(c.Name) >= len(host) && equalFold(c.Name[:len(host)], host)
	isSecure := len(c.Name) >= len(secure) && equalFold(c.Name[:len(secure)], secure)
	switch {
	case (isHost || isSecure) && !c.Secure:
		return "cookie must be Secure"
	case isHost && (c.Path != "/" || c.Domain != ""):
		return "cookie must have the path / and no domain"
	}
	return ""
}

// validCookieValue reports whether every octet is a cookie-octet. RFC 6265, 4.1.1.
func validCookieValue(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c <= ' ' || c >= 0x7f, c == '"', c == ',', c == ';', c == '\\':
			return false
		}
	}
	return true
}

// validCookiePath reports whether s is an absolute path of ASCII without controls and semicolons. RFC 6265, 4.1.1 and
// 5.2.4.
func validCookiePath(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == ';' {
			return false
		}
	}
	return s[0] == '/' && len(s) <= maxAttributeBytes
}

// validCookieDomain reports whether s is a host name; a point in front of it means nothing. RFC 6265, 4.1.2.3.
func validCookieDomain(s string) bool {
	s = strings.TrimPrefix(s, ".")
	if s == "" || len(s) > maxAttributeBytes || s[len(s)-1] == '.' {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; charClass[c]&(classAlpha|classDigit) == 0 && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// size returns how many octets append writes at most.
func (c *SetCookie) size() int {
	const attributes = len("=; Path=; Domain=; Expires=; Max-Age=; Secure; HttpOnly; SameSite=Strict; Partitioned")
	return len(c.Name) + len(c.Value) + len(c.Path) + len(c.Domain) + attributes + DateBytes + len("-9223372036854775808")
}

func (c *SetCookie) append(dst []byte) []byte {
	dst = append(append(append(dst, c.Name...), '='), c.Value...)
	if c.Path != "" {
		dst = append(append(dst, "; Path="...), c.Path...)
	}
	if c.Domain != "" {
		dst = append(append(dst, "; Domain="...), strings.TrimPrefix(c.Domain, ".")...)
	}
	if !c.Expires.IsZero() {
		dst = AppendDate(append(dst, "; Expires="...), c.Expires)
	}
	switch {
	case c.MaxAge > 0:
		seconds := (c.MaxAge-1)/time.Second + 1
		dst = strconv.AppendInt(append(dst, "; Max-Age="...), int64(seconds), 10)
	case c.MaxAge < 0:
		dst = append(dst, "; Max-Age=0"...)
	}
	if c.Secure {
		dst = append(dst, "; Secure"...)
	}
	if c.HTTPOnly {
		dst = append(dst, "; HttpOnly"...)
	}
	switch c.SameSite {
	case SameSiteLax:
		dst = append(dst, "; SameSite=Lax"...)
	case SameSiteStrict:
		dst = append(dst, "; SameSite=Strict"...)
	case SameSiteNone:
		dst = append(dst, "; SameSite=None"...)
	case SameSiteUnset:
	}
	if c.Partitioned {
		dst = append(dst, "; Partitioned"...)
	}
	return dst
}
