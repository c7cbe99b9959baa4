package httpx

import "bytes"

// Query returns the parameters of the request's query, with the default limits. The error is an *Error that answers the
// request when the HandlerFunc returns it. The result is a copy: it stays readable as long as it is held. ParseQuery
// with Request.RawQuery does without one. Call it on the event loop only.
func (x *Exchange) Query() (*Params, error) {
	p := new(Params)
	return p, ParseQuery(p, bytes.Clone(x.Request.RawQuery()), ParamLimits{})
}

// ReadForm reads the body as a form of FormType, up to limits.Bytes, and has f called once with it on the event loop; p
// is valid until f returns. A body of another type gives an *Error with 415, one that is too large or has too many
// fields 413, one that cannot be read 400. An error of f, which may be the one that it got, is treated like one of the
// HandlerFunc. ErrBodyTaken: the body was asked for before. Call it on the event loop only.
func (x *Exchange) ReadForm(limits ParamLimits, f func(p *Params, err error) error) error {
	if !IsForm(&x.Request.Header) {
		return f(nil, errMediaType)
	}
	limits = limits.filled()
	return x.ReadBody(limits.Bytes, func(body []byte, err error) error {
		if err != nil {
			return f(nil, err)
		}
		p := new(Params)
		if err := ParseForm(p, body, limits); err != nil {
			return f(nil, err)
		}
		return f(p, nil)
	})
}

// Redirect answers with a status that sends the client to location, a URL reference; octets that no reference may have
// are escaped. Check where it leads when a client had a say in it: a reference that begins with two slashes names
// another host. Safe for concurrent use. RFC 9110, 15.4 and 10.2.2.
func (x *Exchange) Redirect(status int, location string) error {
	return x.redirect(status, appendEscaped(nil, []byte(location), "[]#"))
}

// redirect is Redirect with a location that is escaped already.
func (x *Exchange) redirect(status int, location []byte) error {
	r := NewFullResponse(status)
	if err := r.Header.AddBytes("location", location); err != nil {
		r.Release()
		return err
	}
	return x.Respond(r)
}
