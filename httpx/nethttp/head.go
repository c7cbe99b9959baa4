package nethttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/penstock-go/penstock/httpx"
)

// headFields is what WriteHeader has taken of the header map.
type headFields struct {
	whole    *httpx.FullResponse // holds the fields, and goes as it is when the answer is small
	typed    bool                // has Content-Type, or says that there is to be none
	encoded  bool                // has Content-Encoding
	coded    bool                // has Transfer-Encoding
	closes   bool                // Connection: close
	trailers []string
	trailing bool // trailers are announced, or known already
}

// take copies the fields of an answer. Where the body ends is not the handler's affair, beyond Content-Length, which is
// dealt with apart.
func (f *headFields) take(h http.Header) {
	_, f.typed = h["Content-Type"]
	f.encoded = h.Get("Content-Encoding") != ""
	f.coded = h.Get("Transfer-Encoding") != ""
	f.closes = hasToken(h["Connection"], "close")
	f.whole = httpx.NewFullResponse(http.StatusOK)
	addFields(&f.whole.Header, h, func(name string) bool {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			f.trailing = true
			return true
		}
		return name == "Content-Length" || name == "Transfer-Encoding"
	})
	for name := range elements(h["Trailer"]) {
		f.trailing = true
		f.trailers = append(f.trailers, http.CanonicalHeaderKey(name))
	}
}

// drop lets the fields go.
func (f *headFields) drop() {
	if f.whole != nil {
		f.whole.Release()
		f.whole = nil
	}
}

// decide settles how the answer is sent. last: what is kept back is all of the body.
func (r *response) decide(last bool) {
	f, fields, head := &r.head, &r.head.whole.Header, r.c.req.Method == http.MethodHead
	allowed := bodyAllowed(r.status)
	r.decided = true
	if last && r.length < 0 && allowed && !f.trailing && !f.coded && (!head || r.kept() > 0) {
		r.length = int64(r.kept())
	}
	closing := f.closes || !r.keep
	if !closing && r.c.req.ContentLength != 0 && (!r.duplex || r.c.body.waits) {
		closing = !r.c.body.settle()
	}
	if allowed && !f.typed && !f.encoded && !f.coded && r.kept() > 0 {
		addField(fields, "Content-Type", http.DetectContentType(r.buf.Bytes()))
	}
	switch {
	case r.status == http.StatusNotModified:
		fields.Del("Content-Type")
		r.length = -1
	case !allowed:
		r.length = -1
	case r.length >= 0:
		_ = fields.AddInt("Content-Length", r.length) // name and value are good
	}
	if closing && !f.closes && r.status != http.StatusSwitchingProtocols {
		fields.Del("Connection")
	}
	f.closes = closing
}

// finishHead makes m, which has the fields, the head that was decided on.
func (r *response) finishHead(m *httpx.Response) {
	m.Status, m.Close = r.status, r.head.closes
	if m.Status != http.StatusOK {
		m.Reason = reason(m.Status)
	}
}

// newHead returns the head of an answer in pieces.
func (r *response) newHead() *httpx.Response {
	m := httpx.NewResponse(r.status)
	m.Header.AddAll(&r.head.whole.Header)
	r.finishHead(m)
	r.head.drop()
	return m
}

func reason(status int) string {
	if s := http.StatusText(status); s != "" {
		return s
	}
	return "status code " + strconv.Itoa(status)
}

// trailer returns the fields behind the body, nil for none: those that were announced, and those with
// http.TrailerPrefix.
func (r *response) trailer() *httpx.Header {
	h := make(http.Header)
	for name, values := range r.header {
		if plain, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			h[plain] = values
		}
	}
	for _, name := range r.head.trailers {
		h[name] = append(h[name], r.header[name]...)
	}
	if len(h) == 0 {
		return nil
	}
	t := new(httpx.Header)
	addFields(t, h, func(name string) bool { return !httpx.TrailerAllowed(name) })
	return t
}
