package httpx

import (
	"context"
	"fmt"
	"net/url"
)

// follow is Do with redirections. RFC 9110, 15.4.
func (c *Client) follow(parent context.Context, req *FullRequest) (*FullResponse, error) {
	for left := c.MaxRedirects; ; left-- {
		req.Retain()
		r, err := c.do(parent, req)
		if err != nil || !redirects(r) {
			req.Release()
			return r, err
		}
		next, err := redirected(req, r)
		r.Release()
		req.Release()
		if err == nil && left == 0 {
			next.Release()
			err = fmt.Errorf("%w: more than %d", ErrRedirects, c.MaxRedirects)
		}
		if err != nil {
			return nil, err
		}
		req = next
	}
}

// redirects reports whether r says where to ask instead.
func redirects(r *FullResponse) bool {
	switch r.Status {
	case 301, 302, 303, 307, 308:
		return r.Header.Has("location")
	}
	return false
}

// redirected returns the request that r asks for in the place of req.
func redirected(req *FullRequest, r *FullResponse) (*FullRequest, error) {
	from, err := url.Parse(requestURL(req))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRedirects, err)
	}
	to, err := from.Parse(string(r.Header.Get("location")))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: bad location", ErrRedirects)
	case to.Scheme != "http" && to.Scheme != "https" || to.Host == "" || to.User != nil:
		return nil, fmt.Errorf("%w: location is not of http", ErrRedirects)
	}
	to.Fragment, to.RawFragment = "", ""
	method := req.Method
	bodyless := r.Status == 303 && method != MethodHead || (r.Status == 301 || r.Status == 302) && method == MethodPost
	if bodyless {
		// RFC 9110, 15.4.2 to 15.4.4: what was posted has been dealt with, ask for the result.
		method = MethodGet
	}
	next := NewFullRequest(method, to.String())
	next.KeepAlive = req.KeepAlive
	sameHost := to.Scheme == from.Scheme && to.Host == from.Host
	for name, value := range req.Header.All() {
		if nameOf(name) == fieldHost || bodyless && aboutBody(name) || !sameHost && confidential(name) {
			continue
		}
		if err := next.Header.AddBytes(string(name), value); err != nil {
			next.Release()
			return nil, err
		}
	}
	if !bodyless {
		next.Trailer = req.Trailer
		req.slice.Retain()
		next.text, next.plain, next.slice = req.text, req.plain, req.slice
	}
	return next, nil
}

// requestURL is the URL that a request without absolute-form stands for, or its target.
func requestURL(req *FullRequest) string {
	target := string(req.Target())
	if _, absolute := authorityOf(req.Target()); absolute {
		return target
	}
	return plainKey + string(req.Host()) + target
}

// aboutBody reports whether a field describes the body of a request. RFC 9110, 15.4.
func aboutBody(name []byte) bool {
	switch nameOf(name) {
	case fieldContentLength, fieldTransferEncoding, fieldExpect:
		return true
	default:
		return len(name) > len("content-") && equalFold(name[:len("content-")], "content-") ||
			equalFold(name, "trailer") || equalFold(name, "digest") || equalFold(name, "last-modified")
	}
}

// confidential reports whether a field is meant for one host only. RFC 9110, 15.4 and 17.16.
func confidential(name []byte) bool {
	for _, n := range [...]string{
		"authorization", "proxy-authorization", "cookie", "cookie2", "www-authenticate", "proxy-authenticate",
	} {
		if equalFold(name, n) {
			return true
		}
	}
	return false
}
