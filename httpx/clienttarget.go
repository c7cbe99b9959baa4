package httpx

import "bytes"

// The key of a host in a pool is the scheme and what is dialed.
const (
	plainKey  = "http://"
	secureKey = "https://"
)

// appendKey appends the key of the host that r goes to; address overrides what r says. RFC 9110, 4.2 and 7.2.
func (c *Client) appendKey(dst []byte, address string, r *Request) ([]byte, error) {
	key, port := plainKey, ":80"
	target := r.Target()
	if _, absolute := authorityOf(target); absolute && r.Method != MethodConnect {
		switch scheme := target[:bytes.IndexByte(target, ':')]; {
		case equalFold(scheme, "http"):
		case equalFold(scheme, "https") && c.DialTLS != nil:
			key, port = secureKey, ":443"
		default:
			return nil, ErrScheme
		}
	}
	dst = append(dst, key...)
	if address != "" {
		return append(dst, address...), nil
	}
	authority := r.Host()
	if len(authority) == 0 || !validHost(authority) {
		return nil, refuse(0, "missing or bad host")
	}
	for _, b := range authority {
		dst = append(dst, lower(b))
	}
	switch colon := bytes.LastIndexByte(authority, ':'); {
	case colon < 0 || bytes.IndexByte(authority[colon:], ']') >= 0:
		dst = append(dst, port...)
	case colon == len(authority)-1:
		dst = append(dst, port[1:]...)
	}
	return dst, nil
}

// idempotent reports whether a request with method m may be sent again when nobody knows whether the first one was
// received. RFC 9110, 9.2.2.
func idempotent(m Method) bool {
	switch m {
	case MethodGet, MethodHead, MethodOptions, MethodTrace, MethodPut, MethodDelete:
		return true
	default:
		return false
	}
}
