package nethttp

import (
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/penstock-go/penstock/httpx"
)

// requestHeader copies the fields of a request: one string holds all values. Host is not among them, as in net/http.
func requestHeader(h *httpx.Header) http.Header {
	size, lines := 0, 0
	for _, value := range h.All() {
		size += len(value)
		lines++
	}
	var text strings.Builder
	text.Grow(size)
	for _, value := range h.All() {
		text.Write(value)
	}
	all := text.String()
	values := make([]string, 0, lines)
	out := make(http.Header, lines)
	for name, value := range h.All() {
		v := all[:len(value)]
		all = all[len(value):]
		key := canonical(name)
		if key == "Host" {
			continue
		}
		if before, ok := out[key]; ok {
			out[key] = append(before, v)
			continue
		}
		values = append(values, v)
		out[key] = values[len(values)-1 : len(values) : len(values)]
	}
	if p := out["Pragma"]; len(p) > 0 && p[0] == "no-cache" && len(out["Cache-Control"]) == 0 {
		out["Cache-Control"] = []string{"no-cache"} // RFC 9111, 5.4
	}
	return out
}

// trailerHeader copies the fields behind a body into dst, which may be nil, and returns it.
func trailerHeader(dst http.Header, h *httpx.Header) http.Header {
	if h.Len() == 0 {
		return dst
	}
	if dst == nil {
		dst = make(http.Header, h.Len())
	}
	fresh := requestHeader(h)
	for name, values := range fresh {
		dst[name] = values
	}
	return dst
}

// canonical returns the name as the keys of an http.Header have it. The usual ones cost no memory.
func canonical(name []byte) string {
	if s, ok := usualNames[string(name)]; ok {
		return s
	}
	return http.CanonicalHeaderKey(string(name))
}

// usualNames is fixed when the program starts and never written again.
var usualNames = usual(
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection",
	"Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Dnt", "Expect", "Forwarded", "From", "Host",
	"If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Keep-Alive", "Origin",
	"Pragma", "Priority", "Proxy-Authorization", "Range", "Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode",
	"Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Websocket-Extensions", "Sec-Websocket-Key", "Sec-Websocket-Protocol",
	"Sec-Websocket-Version", "Te", "Traceparent", "Tracestate", "Trailer", "Transfer-Encoding", "Upgrade",
	"Upgrade-Insecure-Requests", "User-Agent", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
	"X-Real-Ip", "X-Request-Id", "X-Requested-With",
)

func usual(names ...string) map[string]string {
	m := make(map[string]string, 2*len(names))
	for _, name := range names {
		m[name], m[strings.ToLower(name)] = name, name
	}
	return m
}

// elements yields the elements of comma-separated lists that are not empty.
func elements(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range lines {
			for element := range strings.SplitSeq(line, ",") {
				if element = strings.Trim(element, " \t"); element != "" && !yield(element) {
					return
				}
			}
		}
	}
}

// hasToken reports whether one of the comma-separated lists has token, in either case.
func hasToken(lines []string, token string) bool {
	for element := range elements(lines) {
		if strings.EqualFold(element, token) {
			return true
		}
	}
	return false
}

// addFields appends the fields of h, in the order of their names, to dst. Those for which skip is true are left out, and
// those whose name is no token. Controls in values, which would be a way to inject fields, become blanks.
func addFields(dst *httpx.Header, h http.Header, skip func(name string) bool) {
	var room [32]string
	names := room[:0]
	for name := range h {
		if !skip(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range h[name] {
			addField(dst, name, value)
		}
	}
}

func addField(dst *httpx.Header, name, value string) {
	if dst.Add(name, value) != nil {
		_ = dst.Add(name, strings.Map(printable, value)) // what is refused now is a bad name
	}
}

func printable(r rune) rune {
	if r < ' ' && r != '\t' || r == 0x7f {
		return ' '
	}
	return r
}
