package httpx

// overlap says which requests two patterns match, as bits. Two patterns conflict when there are requests that both
// match, and none of the two is the more specific: each matches requests that the other does not, or they match the same.
type overlap uint8

const (
	overlapBoth   overlap = 1 << iota // there are requests that both match
	overlapFirst                      // … that only the first matches
	overlapSecond                     // … that only the second matches
)

// and combines what is known of two independent parts of patterns, each of which must match: a request that only the
// first matches comes from a part where only it does and the rest matches in any way.
func (o overlap) and(other overlap) overlap {
	if o&overlapBoth == 0 || other&overlapBoth == 0 {
		return overlapFirst | overlapSecond
	}
	return overlapBoth | (o|other)&(overlapFirst|overlapSecond)
}

// conflict returns why p and o cannot both be in a router, "" when they can: a request that both match must go to the
// one that is more specific. A pattern with a host is more specific than one without.
func (p *pattern) conflict(o *pattern) string {
	if p.host != o.host {
		return ""
	}
	switch p.methods(o).and(p.paths(o)) {
	case overlapBoth:
		return "both match the same requests"
	case overlapBoth | overlapFirst | overlapSecond:
		return "both match some requests, and each matches others that the other does not"
	default:
		return ""
	}
}

// methods compares the methods: GET matches HEAD as well.
func (p *pattern) methods(o *pattern) overlap {
	switch {
	case p.method == o.method:
		return overlapBoth
	case p.method == "", p.method == MethodGet && o.method == MethodHead:
		return overlapBoth | overlapFirst
	case o.method == "", p.method == MethodHead && o.method == MethodGet:
		return overlapBoth | overlapSecond
	}
	return overlapFirst | overlapSecond
}

// paths compares the paths segment by segment.
func (p *pattern) paths(o *pattern) overlap {
	result := overlapBoth
	for i := 0; ; i++ {
		switch first, second := i < len(p.segments), i < len(o.segments); {
		case !first && !second:
			return result
		case !first || !second:
			return overlapFirst | overlapSecond // other numbers of slashes
		}
		a, b := p.segments[i], o.segments[i]
		result = result.and(a.compare(b))
		if a.kind == segmentRest || b.kind == segmentRest || result&overlapBoth == 0 {
			return result
		}
	}
}

// compare compares two segments in the same place; a rest stands for everything behind it.
func (s segment) compare(o segment) overlap {
	switch {
	case s == o:
		return overlapBoth
	case s.kind == segmentRest:
		return overlapBoth | overlapFirst
	case o.kind == segmentRest:
		return overlapBoth | overlapSecond
	case s.kind == segmentAny && o.kind == segmentLiteral:
		return overlapBoth | overlapFirst
	case s.kind == segmentLiteral && o.kind == segmentAny:
		return overlapBoth | overlapSecond
	}
	return overlapFirst | overlapSecond // different literals, or one of them ends here
}
