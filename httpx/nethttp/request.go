package nethttp

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// blank is what requests are made of; it is never written to.
var blank = new(http.Request)

// request makes what the handler gets. Nothing in it is the exchange's own memory. It runs on the event loop.
func (b *Bridge) request(x *httpx.Exchange, c *call) (*http.Request, error) {
	q := x.Request
	target := string(q.Target())
	where, err := parseTarget(q.Method, target)
	if err != nil {
		return nil, &httpx.Error{Status: http.StatusBadRequest, Reason: "bad request target"}
	}
	r := blank.WithContext(c.ctx)
	r.Method, r.URL, r.RequestURI = string(q.Method), where, target
	r.Proto, r.ProtoMajor, r.ProtoMinor = q.Version.String(), q.Version.Major(), q.Version.Minor()
	r.Header, r.Host, r.ContentLength, r.Body = requestHeader(&q.Header), where.Host, q.Length, http.NoBody
	r.Close, r.TLS = !q.KeepAlive, b.tls(x.Channel())
	if r.Host == "" {
		r.Host = string(q.Header.Get("host"))
	}
	if a := x.Channel().RemoteAddr(); a != nil {
		r.RemoteAddr = a.String()
	}
	if q.Length == httpx.LengthChunked {
		r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
		r.Header.Del("Transfer-Encoding")
		r.Trailer = announced(r.Header)
	}
	if q.Length != 0 {
		r.Body = &c.body
	}
	return r, nil
}

// parseTarget reads a request target in any of its forms. RFC 9112, 3.2.
func parseTarget(m httpx.Method, target string) (*url.URL, error) {
	if m == httpx.MethodConnect && !strings.HasPrefix(target, "/") {
		u, err := url.ParseRequestURI("http://" + target)
		if err == nil {
			u.Scheme = ""
		}
		return u, err
	}
	return url.ParseRequestURI(target)
}

// announced takes the Trailer field off h and makes the map that is filled at the end of the body.
func announced(h http.Header) http.Header {
	lines, ok := h["Trailer"]
	if !ok {
		return nil
	}
	delete(h, "Trailer")
	var trailer http.Header
	for name := range elements(lines) {
		name = http.CanonicalHeaderKey(name)
		if !httpx.TrailerAllowed(name) {
			continue
		}
		if trailer == nil {
			trailer = make(http.Header)
		}
		trailer[name] = nil
	}
	return trailer
}

// stateful is implemented by connections that know their TLS state.
type stateful interface{ ConnectionState() tls.ConnectionState }

// wrapper is implemented by transports, and by connections, over another connection.
type wrapper interface{ NetConn() net.Conn }

// tls returns the TLS state of the connection, nil when it has none or nobody tells.
func (b *Bridge) tls(ch *pipeline.Channel) *tls.ConnectionState {
	if b.TLS != nil {
		return b.TLS(ch)
	}
	var at any = ch.Transport()
	for at != nil {
		if s, ok := at.(stateful); ok {
			state := s.ConnectionState()
			return &state
		}
		w, ok := at.(wrapper)
		if !ok {
			return nil
		}
		at = w.NetConn()
	}
	return nil
}
