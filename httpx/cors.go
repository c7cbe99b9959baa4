package httpx

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// CORS says which pages of other sites may read answers. The zero value lets none; each field lets more. Browsers ask
// with a preflight request first, which is answered here, unless the request is one that every page could always send.
// Put the middleware in front of a Router: that knows no OPTIONS. Fetch standard, "CORS protocol".
type CORS struct {
	// Origins are those that are let in, as browsers send them: "https://app.example", with the port unless it is the
	// scheme's own; "null" is that of sandboxed pages, which anybody can make. "*" lets in all.
	Origins []string
	// AllowOrigin lets in more; it runs on the event loop. nil = none.
	AllowOrigin func(origin string, r *Request) bool
	// Methods are those that a page may use; nil = GET, HEAD and POST. Names are case-sensitive.
	Methods []string
	// Headers are the fields that a page may set besides the harmless ones; "*" lets it set any.
	Headers []string
	// Expose are the fields of answers that a page may read besides the harmless ones.
	Expose []string
	// Credentials lets pages send cookies and read what they get for them. It does not go with the origin "*": then any
	// site could act as its visitors.
	Credentials bool
	// MaxAge is how long browsers remember a preflight; 0 = as they like, mostly 5 s; negative = not at all.
	MaxAge time.Duration
	// PrivateNetwork lets pages of the public internet reach this server in a private network.
	PrivateNetwork bool
}

// cors is a CORS that has been checked, with its lists as they are sent.
type cors struct {
	CORS
	every, anyHeader         bool
	methods, headers, expose string
	maxAge                   string
}

// Middleware returns c as a middleware for Chain. The error is an *Error when c is contradictory or has names that are
// none. It copies what it needs of c.
func (c CORS) Middleware() (func(next HandlerFunc) HandlerFunc, error) {
	own := &cors{CORS: c, every: slices.Contains(c.Origins, "*"), anyHeader: slices.Contains(c.Headers, "*")}
	own.Origins = slices.Clone(c.Origins)
	if own.every && c.Credentials {
		return nil, refuse(0, "CORS: credentials for every origin")
	}
	if len(c.Methods) == 0 {
		c.Methods = []string{"GET", "HEAD", "POST"}
	}
	for _, names := range [][]string{c.Methods, c.Headers, c.Expose} {
		if slices.ContainsFunc(names, func(name string) bool { return !validToken(name) }) {
			return nil, refuse(0, "CORS: a name is no token")
		}
	}
	own.methods = strings.Join(c.Methods, ", ")
	own.headers = strings.Join(c.Headers, ", ")
	own.expose = strings.Join(c.Expose, ", ")
	switch {
	case c.MaxAge < 0:
		own.maxAge = "0"
	case c.MaxAge > 0:
		own.maxAge = strconv.FormatInt(int64(c.MaxAge/time.Second), 10)
	}
	return func(next HandlerFunc) HandlerFunc {
		return func(ctx *pipeline.Context, x *Exchange) error { return own.serve(ctx, x, next) }
	}, nil
}

func (c *cors) serve(ctx *pipeline.Context, x *Exchange, next HandlerFunc) error {
	origin, allowed := c.origin(x.Request)
	if x.Request.Method == MethodOptions && origin != "" && x.Request.Header.Has("access-control-request-method") {
		return c.preflight(x, origin, allowed)
	}
	if origin != "" || !c.every {
		x.OnAnswer(func(r *Response) { c.mark(&r.Header, origin, allowed) })
	}
	return next(ctx, x)
}

// origin returns the origin of a request, "" when it has none or several, and whether it is let in.
func (c *cors) origin(r *Request) (origin string, allowed bool) {
	i := r.Header.index("origin", 0)
	if i < 0 || r.Header.index("origin", i+1) >= 0 {
		return "", false
	}
	origin = string(r.Header.valueAt(&r.Header.fields[i]))
	if origin == "" {
		return "", false
	}
	return origin, c.every || slices.Contains(c.Origins, origin) || c.AllowOrigin != nil && c.AllowOrigin(origin, r)
}

// mark adds to an answer who may read it. What it returns of errors cannot be: all names have been checked, and the
// origin is a value that a request had.
func (c *cors) mark(h *Header, origin string, allowed bool) {
	if !c.every {
		_ = h.Add("vary", "Origin") // caches must not give the answer for one origin to another
	}
	if !allowed {
		return
	}
	c.allow(h, origin)
	if c.expose != "" {
		_ = h.Set("access-control-expose-headers", c.expose)
	}
}

func (c *cors) allow(h *Header, origin string) {
	if c.every {
		origin = "*"
	}
	_ = h.Set("access-control-allow-origin", origin)
	if c.Credentials {
		_ = h.Set("access-control-allow-credentials", "true")
	}
}

// preflight answers what a browser asks before it sends the request itself.
func (c *cors) preflight(x *Exchange, origin string, allowed bool) error {
	status := statusNoContent
	if !allowed {
		status = statusForbidden
	}
	r := NewFullResponse(status)
	h := &r.Header
	vary := "Access-Control-Request-Method, Access-Control-Request-Headers"
	if !c.every {
		vary = "Origin, " + vary
	}
	if c.PrivateNetwork {
		vary += ", Access-Control-Request-Private-Network"
	}
	_ = h.Add("vary", vary)
	if allowed {
		c.grant(h, &x.Request.Header, origin)
	}
	return x.Respond(r)
}

// grant tells a browser what it may send.
func (c *cors) grant(h, asked *Header, origin string) {
	c.allow(h, origin)
	_ = h.Add("access-control-allow-methods", c.methods)
	if names := asked.Get("access-control-request-headers"); c.anyHeader && len(names) > 0 {
		_ = h.AddBytes("access-control-allow-headers", names)
	} else if c.headers != "" && !c.anyHeader {
		_ = h.Add("access-control-allow-headers", c.headers)
	}
	if c.maxAge != "" {
		_ = h.Add("access-control-max-age", c.maxAge)
	}
	if c.PrivateNetwork && string(asked.Get("access-control-request-private-network")) == "true" {
		_ = h.Add("access-control-allow-private-network", "true")
	}
}
