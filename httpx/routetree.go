package httpx

import (
	"bytes"
	"slices"
)

// route is a pattern and what serves it.
type route struct {
	pattern *pattern
	serve   HandlerFunc
}

// routeTree finds the route of a request: host, then method, then the segments of the path. It is not changed once
// requests see it.
type routeTree struct {
	hosts map[string][]routeMethod
	every []routeMethod // routes without a host
}

// routeMethod is the routes of one method.
type routeMethod struct {
	method Method // "" = any
	root   *routeNode
}

// routeNode is a place in a path. At each place the more specific is tried first: a literal, then any segment, then
// everything. Routes that do not conflict are always found like this.
type routeNode struct {
	literals map[string]*routeNode
	any      *routeNode
	leaf     *route // the path ends here
	end      *route // … with a slash
	rest     *route // whatever follows the slash
}

func newRouteTree(routes []*route) *routeTree {
	t := &routeTree{hosts: make(map[string][]routeMethod)}
	for _, r := range routes {
		if host := r.pattern.host; host != "" {
			t.hosts[host] = addRoute(t.hosts[host], r)
		} else {
			t.every = addRoute(t.every, r)
		}
	}
	return t
}

func addRoute(methods []routeMethod, r *route) []routeMethod {
	i := slices.IndexFunc(methods, func(m routeMethod) bool { return m.method == r.pattern.method })
	if i < 0 {
		i = len(methods)
		methods = append(methods, routeMethod{r.pattern.method, &routeNode{}})
	}
	methods[i].root.add(r, r.pattern.segments)
	return methods
}

func (n *routeNode) add(r *route, segments []segment) {
	if len(segments) == 0 {
		n.leaf = r
		return
	}
	switch s := segments[0]; s.kind {
	case segmentEnd:
		n.end = r
	case segmentRest:
		n.rest = r
	case segmentAny:
		if n.any == nil {
			n.any = &routeNode{}
		}
		n.any.add(r, segments[1:])
	case segmentLiteral:
		next := n.literals[s.text]
		if next == nil {
			next = &routeNode{}
			if n.literals == nil {
				n.literals = make(map[string]*routeNode)
			}
			n.literals[s.text] = next
		}
		next.add(r, segments[1:])
	}
}

// routing is one look-up. It is a value on the stack of whoever looks something up.
type routing struct {
	path    []byte
	escaped bool // there are escapes in path
	slash   bool // a slash is missing at the end of path
	values  routeValues
}

// routeSpan is the place of a value: octets of the path, escapes included.
type routeSpan struct{ from, to uint32 }

// routeValues are the values of the wildcards, in order.
type routeValues struct {
	n     int
	spans [4]routeSpan
	more  []routeSpan // behind spans; most routes have none
}

// at returns value i.
func (v *routeValues) at(i int) routeSpan {
	if i < len(v.spans) {
		return v.spans[i]
	}
	return v.more[i-len(v.spans)]
}

// set makes the value behind the first n one more than there are.
func (v *routeValues) set(n int, s routeSpan) {
	v.n = n + 1
	if n < len(v.spans) {
		v.spans[n] = s
		return
	}
	v.more = append(v.more[:n-len(v.spans)], s)
}

// find returns the route for a request, nil when there is none: one with the host wins over one without, one with the
// method over one for any.
func (t *routeTree) find(l *routing, method Method, host []byte) *route {
	if len(t.hosts) > 0 {
		if r := findMethod(t.hosts[string(host)], l, method); r != nil {
			return r
		}
	}
	return findMethod(t.every, l, method)
}

func findMethod(methods []routeMethod, l *routing, method Method) *route {
	if r := l.under(methods, method); r != nil {
		return r
	}
	if method == MethodHead {
		if r := l.under(methods, MethodGet); r != nil {
			return r
		}
	}
	return l.under(methods, "")
}

// under looks for the path among the routes of a method.
func (l *routing) under(methods []routeMethod, method Method) *route {
	for i := range methods {
		if methods[i].method == method {
			l.values.n = 0
			return l.match(methods[i].root, 0, 0)
		}
	}
	return nil
}

// match matches path[at:], which is empty or begins with a slash; n values have been found. Each node is visited once at
// most, since a node has one place in a path.
func (l *routing) match(node *routeNode, at, n int) *route {
	rest := l.path[at:]
	switch {
	case len(rest) == 0 && !l.slash:
		l.values.n = n
		return node.leaf
	case len(rest) <= 1 && node.end != nil:
		l.values.n = n
		return node.end
	case len(rest) <= 1:
		return l.matchRest(node, at, n)
	}
	end := len(l.path)
	if slash := bytes.IndexByte(rest[1:], '/'); slash >= 0 {
		end = at + 1 + slash
	}
	if next := l.literal(node, l.path[at+1:end]); next != nil {
		if r := l.match(next, end, n); r != nil {
			return r
		}
	}
	if node.any != nil {
		l.values.set(n, routeSpan{uint32(at + 1), uint32(end)})
		if r := l.match(node.any, end, n+1); r != nil {
			return r
		}
	}
	return l.matchRest(node, at, n)
}

func (l *routing) matchRest(node *routeNode, at, n int) *route {
	if node.rest != nil {
		l.values.set(n, routeSpan{uint32(min(at+1, len(l.path))), uint32(len(l.path))})
	}
	return node.rest
}

// literal returns the node behind a segment. A segment that is longer than any literal matches none of them.
func (l *routing) literal(node *routeNode, segment []byte) *routeNode {
	if node.literals == nil {
		return nil
	}
	if !l.escaped || bytes.IndexByte(segment, '%') < 0 {
		return node.literals[string(segment)]
	}
	var scratch [128]byte
	plain, _ := appendUnescaped(scratch[:0], segment, false)
	return node.literals[string(plain)]
}

// exact reports whether r matches the path otherwise than by a slash at its end: then there is nothing to redirect to.
// A pattern with a rest matches exactly when nothing but the slash at the end is left for it.
func (l *routing) exact(r *route) bool {
	if r == nil {
		return false
	}
	segments := r.pattern.segments
	if segments[len(segments)-1].kind != segmentRest {
		return true
	}
	slashes := bytes.Count(l.path, []byte{'/'})
	if l.slash {
		slashes++
	}
	return (l.slash || l.path[len(l.path)-1] == '/') && slashes == len(segments)
}

// allowed returns the methods of the routes that match the path, or would with a slash at its end, in order.
func (t *routeTree) allowed(l *routing, host []byte) []string {
	var names []string
	slashed := routing{path: l.path, escaped: l.escaped, slash: l.path[len(l.path)-1] != '/'}
	for _, methods := range [][]routeMethod{t.hosts[string(host)], t.every} {
		for _, m := range methods {
			if m.method == "" || l.match(m.root, 0, 0) == nil && slashed.match(m.root, 0, 0) == nil {
				continue
			}
			names = append(names, string(m.method))
			if m.method == MethodGet {
				names = append(names, string(MethodHead))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
