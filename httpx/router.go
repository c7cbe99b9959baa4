package httpx

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
)

// Router chooses by method, host and path who answers a request. Its patterns are those of http.ServeMux:
//
//	[METHOD ][HOST]/[PATH]
//
//	/about                    exactly this path
//	/files/                   this path and everything below it
//	/files/{$}                with the slash at its end, and nothing below it
//	/users/{id}/posts/{post}  any two segments, which Exchange.PathValue returns
//	/files/{path...}          all that follows the slash
//	GET /about                GET and HEAD only
//	api.example/about         this host only, in either case; requests' ports are left out
//
// Of the patterns that match a request the most specific wins, in whatever order they were added: one with a host, then
// one that matches fewer requests. Two of which none is more specific than the other cannot both be added.
//
// Literals are compared with the unescaped segments of a path, so /a%2Fb is one segment. Paths with empty segments or
// with segments of points are redirected to the clean ones if there is a route for those, /files to /files/ if only that
// has one. Where another method has a route the answer is 405 with Allow; OPTIONS * is answered with 204, and a target
// that has no path or a bad escape with 400. CONNECT is matched with the path / and the host that it names.
//
// The zero value is ready. Set the fields before the first request; Handle and Serve are safe for concurrent use.
type Router struct {
	// NotFound answers requests that no pattern matches; nil = 404.
	NotFound HandlerFunc
	// NotAllowed answers those that a pattern of another method matches; the Allow field is added to what it answers.
	// nil = 405. RFC 9110, 15.5.6.
	NotAllowed HandlerFunc
	// RedirectStatus is that of redirects to another spelling of the path; 0 = 301 for GET and HEAD, 308 for others,
	// which a client must send again as they are. RFC 9110, 15.4.
	RedirectStatus int

	mu     sync.Mutex
	routes []*route
	tree   atomic.Pointer[routeTree] // nil = routes have been added since it was made
}

// Handle has f answer the requests that pattern matches. The error is a *PatternError. Safe for concurrent use.
func (r *Router) Handle(pattern string, f HandlerFunc) error {
	p, err := parsePattern(pattern)
	if err != nil {
		return err
	}
	if f == nil {
		return p.wrong("no function")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.routes {
		if reason := p.conflict(other.pattern); reason != "" {
			return &PatternError{Pattern: pattern, Reason: reason, Other: other.pattern.text}
		}
	}
	r.routes = append(r.routes, &route{p, f})
	r.tree.Store(nil)
	return nil
}

// current returns the tree of all routes.
func (r *Router) current() *routeTree {
	if t := r.tree.Load(); t != nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := newRouteTree(r.routes)
	r.tree.Store(t)
	return t
}

// Serve answers a request by the route that matches it: it is a HandlerFunc. Call it on the event loop only; several
// loops may do so at once.
func (r *Router) Serve(ctx *pipeline.Context, x *Exchange) error {
	q := x.Request
	path, query, ok := splitTarget(q.Method, q.Target())
	switch {
	case ok:
	case q.Method == MethodConnect:
		path = rootPath
	case q.Method == MethodOptions && string(q.Target()) == "*":
		return x.Respond(NewFullResponse(statusNoContent))
	default:
		return refuse(statusBadRequest, "target without a path")
	}
	l := routing{path: path, escaped: bytes.IndexByte(path, '%') >= 0}
	if l.escaped && !validEscapes(path) {
		return refuse(statusBadRequest, "bad escape")
	}
	var scratch [64]byte
	host := appendHostName(scratch[:0], q.Host())
	t := r.current()
	clean := cleanPath(path)
	if !clean {
		l.path = appendClean(nil, path)
	}
	found := t.find(&l, q.Method, host)
	switch wantsSlash := t.wantsSlash(&l, found, q.Method, host); {
	case wantsSlash || !clean && found != nil:
		return r.redirect(x, l.path, wantsSlash, query)
	case found == nil:
		return r.unmatched(ctx, x, t, &l, host)
	}
	x.route.take(found, &l, q.Target())
	return found.serve(ctx, x)
}

// wantsSlash reports whether the path with a slash at its end has a route, and found, that of the path itself, matches
// only because it matches everything below some other path.
func (t *routeTree) wantsSlash(l *routing, found *route, method Method, host []byte) bool {
	if l.path[len(l.path)-1] == '/' || l.exact(found) {
		return false
	}
	other := routing{path: l.path, escaped: l.escaped, slash: true}
	return other.exact(t.find(&other, method, host))
}

// redirect sends the client to the same resource by its proper path.
func (r *Router) redirect(x *Exchange, path []byte, slash bool, query []byte) error {
	status := r.RedirectStatus
	if status == 0 {
		status = statusPermanentRedirect
		if x.Request.Method == MethodGet || x.Request.Method == MethodHead {
			status = statusMoved
		}
	}
	location := appendEscaped(nil, path, "")
	if slash {
		location = append(location, '/')
	}
	if query != nil {
		location = appendEscaped(append(location, '?'), query, "")
	}
	return x.redirect(status, location)
}

// unmatched answers a request that no route matches.
func (r *Router) unmatched(ctx *pipeline.Context, x *Exchange, t *routeTree, l *routing, host []byte) error {
	allowed := t.allowed(l, host)
	if len(allowed) == 0 {
		if r.NotFound != nil {
			return r.NotFound(ctx, x)
		}
		return errNotFound
	}
	x.OnAnswer(func(a *Response) { _ = a.Header.Set("allow", strings.Join(allowed, ", ")) }) // methods are tokens
	if r.NotAllowed != nil {
		return r.NotAllowed(ctx, x)
	}
	return errNotAllowed
}

var (
	errNotFound   = refuse(statusNotFound, "not found")
	errNotAllowed = refuse(statusNotAllowed, "method not allowed")
)

func validEscapes(path []byte) bool {
	for i := bytes.IndexByte(path, '%'); i >= 0; {
		if len(path)-i < len("%00") {
			return false
		}
		_, high := hexValue(path[i+1])
		_, low := hexValue(path[i+2])
		if !high || !low {
			return false
		}
		path = path[i+len("%00"):]
		i = bytes.IndexByte(path, '%')
	}
	return true
}

// appendHostName appends a host in lower case, without its port and a point at its end.
func appendHostName(dst, host []byte) []byte {
	if colon := bytes.LastIndexByte(host, ':'); colon >= 0 && bytes.IndexByte(host[colon:], ']') < 0 {
		host = host[:colon]
	}
	for _, c := range bytes.TrimSuffix(host, []byte{'.'}) {
		dst = append(dst, lower(c))
	}
	return dst
}

// HostName returns the host that a request is for in lower case, without its port and without a point at its end; "" =
// not said. An IPv6 address keeps its brackets.
func (r *Request) HostName() string { return string(appendHostName(nil, r.Host())) }
