package websocket

import (
	"strings"

	"github.com/penstock-go/penstock/httpx"
)

// SameOrigin reports whether r comes from a page of the host that it goes to, or from no page at all: it has no Origin
// field, as what is no browser sends it, or one whose host and port are those of the Host field. Safe for concurrent
// use. RFC 6455, 10.2; RFC 6454, 7.
func SameOrigin(r *httpx.Request) bool {
	origin, one := single(&r.Header, "Origin")
	if origin == "" {
		return one
	}
	scheme, host, ok := strings.Cut(origin, "://")
	if !one || !ok || host == "" {
		return false
	}
	port := ""
	switch strings.ToLower(scheme) {
	case "http":
		port = ":80"
	case "https":
		port = ":443"
	}
	trim := func(host string) string { return strings.TrimSuffix(strings.ToLower(host), port) }
	return trim(host) == trim(string(r.Host()))
}

// Origins returns a function that reports whether r comes from one of the origins, each scheme "://" host [":" port] as
// browsers send it, or from no page at all. What it returns is safe for concurrent use.
func Origins(origins ...string) func(r *httpx.Request) bool {
	allowed := map[string]bool{"": true}
	for _, o := range origins {
		allowed[strings.ToLower(o)] = true
	}
	return func(r *httpx.Request) bool {
		origin, one := single(&r.Header, "Origin")
		return one && allowed[strings.ToLower(origin)]
	}
}

// single returns the value of a field that may come once, "" when it does not; one is false when it comes more often.
func single(h *httpx.Header, name string) (value string, one bool) {
	n := 0
	for v := range h.Values(name) {
		if n++; n > 1 {
			return "", false
		}
		value = string(v)
	}
	return value, true
}
