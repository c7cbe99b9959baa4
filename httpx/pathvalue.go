package httpx

import (
	"bytes"
	"slices"
)

// takenRoute is the route that an exchange has taken, and where in its target the values are.
type takenRoute struct {
	pattern *pattern
	offset  uint32 // of the path in the target
	values  routeValues
}

// take notes a route.
func (t *takenRoute) take(r *route, l *routing, target []byte) {
	t.pattern, t.values = r.pattern, l.values
	t.offset = uint32(max(pathStart(target), 0))
}

// Pattern returns the pattern by which a Router has chosen the one who answers, "" when none has. Call it on the event
// loop only.
func (x *Exchange) Pattern() string {
	if x.route.pattern == nil {
		return ""
	}
	return x.route.pattern.text
}

// PathValue returns what stands in the path in the place of the wildcard {name} or {name...} of the pattern by which a
// Router has chosen, without escapes: it may hold any octet, slashes too. "" when the pattern has no such wildcard. Call
// it on the event loop only.
func (x *Exchange) PathValue(name string) string {
	raw, _ := x.rawPathValue(name)
	if bytes.IndexByte(raw, '%') < 0 {
		return string(raw)
	}
	plain, _ := appendUnescaped(make([]byte, 0, len(raw)), raw, false)
	return string(plain)
}

// rawPathValue is PathValue with the escapes; ok is false when the pattern has no such wildcard.
func (x *Exchange) rawPathValue(name string) (raw []byte, ok bool) {
	r := &x.route
	if r.pattern == nil || name == "" {
		return nil, false
	}
	i := slices.Index(r.pattern.names, name)
	if i < 0 {
		return nil, false
	}
	span := r.values.at(i)
	if span.from == span.to {
		return nil, true
	}
	return x.Request.Target()[r.offset+span.from : r.offset+span.to], true
}
