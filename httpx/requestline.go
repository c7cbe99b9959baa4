package httpx

import "bytes"

// parseLine reads the request line, which begins the window. RFC 9112, 3.
func (r *Request) parseLine(line []byte, c *DecoderConfig) error {
	methodEnd, target, targetEnd, version := splitLine(line, c.AllowBlankRuns)
	if version < 0 {
		return badLine(line)
	}
	var ok bool
	if r.Method, ok = methodOf(line[:methodEnd]); !ok {
		if methodEnd == 0 {
			return badLine(line)
		}
		return refuse(statusBadRequest, "bad method")
	}
	if err := r.parseVersion(line[version:], c); err != nil {
		return err
	}
	r.target, r.targetEnd = uint32(target), uint32(targetEnd)
	if !validTarget(line[target:targetEnd], c.AllowObsTextInTarget) || !validForm(r.Method, line[target:targetEnd]) {
		return refuse(statusBadRequest, "bad request target")
	}
	return nil
}

// splitLine finds the three words of a request line; version is where the third begins, -1 when there are not three.
func splitLine(line []byte, runs bool) (methodEnd, target, targetEnd, version int) {
	if runs {
		return splitRuns(line)
	}
	for methodEnd < len(line) && line[methodEnd] != ' ' {
		methodEnd++
	}
	target = methodEnd + 1
	if target >= len(line) {
		return 0, 0, 0, -1
	}
	n := bytes.IndexByte(line[target:], ' ')
	if n <= 0 {
		return 0, 0, 0, -1
	}
	targetEnd = target + n
	return methodEnd, target, targetEnd, targetEnd + 1
}

// splitRuns is splitLine where any run of blanks separates. Blanks in front of the method stay an error.
func splitRuns(line []byte) (methodEnd, target, targetEnd, version int) {
	methodEnd = wordEnd(line, 0)
	target = skipBlanks(line, methodEnd)
	targetEnd = wordEnd(line, target)
	version = skipBlanks(line, targetEnd)
	if methodEnd == 0 || targetEnd == target || version == targetEnd {
		return 0, 0, 0, -1
	}
	return methodEnd, target, targetEnd, version
}

func wordEnd(b []byte, i int) int {
	for i < len(b) && !isBlank(b[i]) {
		i++
	}
	return i
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

func (r *Request) parseVersion(b []byte, c *DecoderConfig) error {
	v, ok := parseVersion(b)
	switch {
	case !ok && bytes.IndexByte(b, '\r') >= 0:
		return refuse(statusBadRequest, "bare CR")
	case !ok && bytes.IndexByte(b, ' ') >= 0:
		// RFC 9112, 3.2: a target with a blank must not be repaired.
		return refuse(statusBadRequest, "bad request line")
	case !ok:
		return refuse(statusBadRequest, "bad version")
	case v.Major() != 1 || v > Version11 && c.RefuseNewerMinor:
		return refuse(statusBadVersion, "version not supported")
	}
	r.Version = v
	return nil
}

func badLine(line []byte) error {
	if bytes.IndexByte(line, '\r') >= 0 {
		return refuse(statusBadRequest, "bare CR")
	}
	return refuse(statusBadRequest, "bad request line")
}

// validForm reports whether target has a form that m allows. RFC 9112, 3.2.
func validForm(m Method, target []byte) bool {
	switch {
	case m == MethodConnect:
		return validAuthority(target)
	case target[0] == '/':
		return true
	case len(target) == 1 && target[0] == '*':
		return m == MethodOptions
	}
	return validAbsolute(target)
}

// validAuthority reports whether b is host ":" port, with neither missing. RFC 9112, 3.2.3.
func validAuthority(b []byte) bool {
	colon := bytes.LastIndexByte(b, ':')
	if colon <= 0 || !validHost(b[:colon]) {
		return false
	}
	port := b[colon+1:]
	for _, c := range port {
		if !isDigit(c) {
			return false
		}
	}
	return len(port) > 0 && len(port) <= 5
}

// validAbsolute reports whether b is scheme ":" and more, without user information: that hides the real host from a
// reader. RFC 9112, 3.2.2; RFC 3986, 3.1; RFC 9110, 4.2.4.
func validAbsolute(b []byte) bool {
	colon := bytes.IndexByte(b, ':')
	if colon <= 0 || colon == len(b)-1 || charClass[b[0]]&classAlpha == 0 {
		return false
	}
	for _, c := range b[:colon] {
		if charClass[c]&(classAlpha|classDigit) == 0 && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	authority, ok := authorityOf(b)
	return !ok || len(authority) > 0 && validHost(authority)
}

// validHost reports whether b has only octets of uri-host [":" port]; an empty one is valid. RFC 9110, 7.2.
func validHost(b []byte) bool {
	for _, c := range b {
		if charClass[c]&classHost == 0 {
			return false
		}
	}
	return true
}
