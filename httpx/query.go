package httpx

// ParseQuery reads a query, as RawQuery returns it, into p, which forgets what it had: ampersands separate, the first
// equals sign ends a name, a name without one has an empty value, empty pieces between ampersands are nothing; a
// semicolon has no meaning. On an error, an *Error with 400 or 414, p is not to be used. p shows raw and does not
// change it. WHATWG URL, 5.1.
func ParseQuery(p *Params, raw []byte, limits ParamLimits) error {
	limits = limits.filled()
	if len(raw) > limits.Bytes {
		return refuse(statusURITooLong, "query too long")
	}
	return p.parse(raw, limits.Count, errTooManyParams)
}

var errTooManyParams = refuse(statusBadRequest, "too many parameters")
