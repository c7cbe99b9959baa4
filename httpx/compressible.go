package httpx

import (
	"bytes"
	"strings"
)

// verdict is what is to become of the body of an answer.
type verdict uint8

const (
	leaveAlone verdict = iota // it is sent as it is, to everybody
	varies                    // others would get it compressed
	compress
)

// survey is what the fields of an answer say about its body.
type survey struct {
	contentType []byte
	etag        []byte
	fixed       bool // to these very octets, or encoded already
	varies      bool // says Vary: Accept-Encoding
}

// look reads the fields once.
func (s *survey) look(h *Header) {
	for i := range h.fields {
		f := &h.fields[i]
		if f.is != fieldOther {
			continue
		}
		name, value := h.nameAt(f), h.valueAt(f)
		switch len(name) {
		case len("etag"):
			if equalFold(name, "etag") {
				s.etag = value
			} else if equalFold(name, "vary") {
				s.varies = s.varies || hasToken(value, "accept-encoding") || hasToken(value, "*")
			}
		case len("content-type"):
			if equalFold(name, "content-type") {
				s.contentType = value
			}
		case len("cache-control"):
			s.fixed = s.fixed || equalFold(name, "content-range") ||
				equalFold(name, "cache-control") && hasToken(value, "no-transform")
		case len("digest"), len("repr-digest"), len("content-digest"), len("content-encoding"):
			s.fixed = s.fixed || bindsOctets(name)
		}
	}
}

// bindsOctets reports whether a field with that name is about the octets of a body as they are. RFC 9110, 8.4;
// RFC 9530, 2 and 3; Content-MD5 and Digest are what came before.
func bindsOctets(name []byte) bool {
	for _, other := range [...]string{"content-encoding", "content-digest", "repr-digest", "content-md5", "digest"} {
		if equalFold(name, other) {
			return true
		}
	}
	return false
}

// judge decides about the body of r, of that many octets, -1 = unknown.
func (c *Compressor) judge(r *Response, octets int64, offer offer) (v verdict, s survey) {
	switch {
	case r.Identity || offer.has(offerTunnel) && r.Status/100 == 2:
		return leaveAlone, s
	case r.Status < 200, r.Status == statusNoContent, r.Status == statusResetContent, r.Status == statusPartial, r.Status == statusNotModified:
		return leaveAlone, s
	case octets >= 0 && octets < int64(orDefault(c.MinBytes, DefaultCompressFrom)):
		return leaveAlone, s
	}
	s.look(&r.Header)
	switch {
	case s.fixed || !c.compressible(s.contentType):
		return leaveAlone, s
	case offer.coding() == codingNone:
		return varies, s
	}
	return compress, s
}

// compressible reports whether a body of that type is worth it.
func (c *Compressor) compressible(contentType []byte) bool {
	if i := bytes.IndexByte(contentType, ';'); i >= 0 {
		contentType = contentType[:i]
	}
	contentType = trimRight(contentType)
	if c.Types != nil {
		for _, t := range c.Types {
			if isOfType(contentType, t) {
				return true
			}
		}
		return false
	}
	for _, t := range [...]string{
		"text/", "application/json", "application/javascript", "+json", "+xml", "application/xml", "application/wasm",
		"application/x-javascript", "application/x-ndjson", "application/jsonl", "application/graphql",
		"application/yaml", "application/toml", "application/sql", "application/rtf", "application/x-www-form-urlencoded",
		"application/vnd.ms-fontobject", "font/ttf", "font/otf", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon",
	} {
		if isOfType(contentType, t) {
			return true
		}
	}
	return false
}

// isOfType compares a media type with an entry of Compressor.Types.
func isOfType(media []byte, entry string) bool {
	switch {
	case strings.HasSuffix(entry, "/"):
		return len(media) > len(entry) && equalFold(media[:len(entry)], entry)
	case strings.HasPrefix(entry, "+"):
		return len(media) > len(entry) && equalFold(media[len(media)-len(entry):], entry)
	}
	return equalFold(media, entry)
}

// addVary says that the answer depends on what the client accepts. RFC 9110, 12.5.5.
func (s *survey) addVary(h *Header) error {
	if s.varies {
		return nil
	}
	return h.Add("vary", "accept-encoding")
}

// encode makes the fields those of the encoded body. The validator becomes a weak one, as the octets are not those that
// it was made for (RFC 9110, 8.8.3); ranges of what is made on the way do not exist.
func (s *survey) encode(h *Header, to coding) error {
	var weak [maxWeakETag]byte
	if n := len(s.etag); n > 0 && n <= maxWeakETag-len("W/") && s.etag[0] == '"' {
		value := append(append(weak[:0], "W/"...), s.etag...)
		h.Del("etag")
		if err := h.AddBytes("ETag", value); err != nil {
			return err
		}
	} else if n > 0 && s.etag[0] == '"' {
		h.Del("etag") // nobody needs one that long
	}
	h.Del("accept-ranges")
	if err := h.Add("content-encoding", to.String()); err != nil {
		return err
	}
	return s.addVary(h)
}

const maxWeakETag = 256
