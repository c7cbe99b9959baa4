package websocket

import (
	"errors"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// Upgrader takes WebSocket connections on a server of package httpx: its method Handle is a httpx.HandlerFunc, to be given
// to a Router or to ServerConfig.Handle. Set the fields before and do not change them afterwards; all of it is safe for
// concurrent use. RFC 6455, 4.2.
type Upgrader struct {
	// Protocols are the subprotocols that this server speaks. A client that asks for none of them is refused with 400,
	// unless one has no name. Required.
	Protocols []Protocol
	// Origin reports whether a request comes from where it may. Browsers send cookies along also for pages of others, so
	// this is what keeps those from acting for a user. nil = SameOrigin.
	Origin func(r *httpx.Request) bool
	// Deflate is what this end wants of permessage-deflate. nil = messages are not compressed.
	Deflate *Deflate
	// Config has limits and times; its Client and Deflate do not count.
	Config Config
}

// Handle answers a request for a WebSocket: by 101 when it is one, and then the connection leaves HTTP, else by what is
// wrong with it, see Check. It returns an error, which becomes 500, when the fields of u make no sense. Call it on the event
// loop only.
func (u *Upgrader) Handle(_ *pipeline.Context, x *httpx.Exchange) error {
	p, agreed, err := u.check(x.Request)
	var bad *httpx.Error
	if errors.As(err, &bad) {
		return x.Respond(Refusal(bad))
	}
	if err != nil {
		return err
	}
	answer, err := switching(x.Request, &agreed)
	if err != nil {
		return err
	}
	c := u.Config
	c.Client, c.Deflate = false, agreed.Deflate
	agreements.Set(x.Channel(), agreed.Agreement)
	return x.Upgrade(answer, p.handlers(c)...)
}

// agreement is an Agreement with what the server says about it.
type agreement struct {
	Agreement
	extension string
}

// Check says what a request and this server agree on. An *httpx.Error has the status to refuse it with: 405 when it is no
// GET, 426 when it asks for no WebSocket or for another version, 403 when it comes from another origin, else 400. Another
// error says what is wrong with u.Deflate. It keeps nothing of r.
func (u *Upgrader) Check(r *httpx.Request) (Agreement, error) {
	_, a, err := u.check(r)
	return a.Agreement, err
}

func (u *Upgrader) check(r *httpx.Request) (*Protocol, agreement, error) {
	if err := u.Deflate.check(); err != nil {
		return nil, agreement{}, err
	}
	if err := checkRequest(r); err != nil {
		return nil, agreement{}, err
	}
	origin := u.Origin
	if origin == nil {
		origin = SameOrigin
	}
	if !origin(r) {
		return nil, agreement{}, &httpx.Error{Status: 403, Reason: "wrong origin"}
	}
	p, err := chooseProtocol(&r.Header, u.Protocols)
	if err != nil {
		return nil, agreement{}, err
	}
	if p == nil {
		return nil, agreement{}, &httpx.Error{Status: 400, Reason: "no known " + fieldProtocol}
	}
	offers, ok := parseExtensions(r.Header.Values(fieldExtensions))
	if !ok {
		return nil, agreement{}, &httpx.Error{Status: 400, Reason: "bad " + fieldExtensions}
	}
	deflate, answer := u.Deflate.choose(offers)
	return p, agreement{Agreement{Protocol: p.Name, Deflate: deflate}, answer}, nil
}

// checkRequest says what keeps r from being a request for a WebSocket. RFC 6455, 4.2.1.
func checkRequest(r *httpx.Request) error {
	key, oneKey := single(&r.Header, fieldKey)
	wanted, oneVersion := single(&r.Header, fieldVersion)
	switch {
	case r.Method != httpx.MethodGet:
		return &httpx.Error{Status: 405, Reason: "a WebSocket is asked for by GET"}
	case r.Version < httpx.Version11:
		return &httpx.Error{Status: 400, Reason: "a WebSocket needs HTTP/1.1"}
	case len(r.Host()) == 0:
		return &httpx.Error{Status: 400, Reason: "no Host"}
	case !r.Header.HasToken("Upgrade", "websocket"):
		return &httpx.Error{Status: 426, Reason: "this is a WebSocket"}
	case !r.Header.HasToken("Connection", "upgrade"):
		return &httpx.Error{Status: 400, Reason: "Connection is not for Upgrade"}
	case r.Length != 0:
		return &httpx.Error{Status: 400, Reason: "a request for a WebSocket has no body"}
	case !oneVersion || wanted != version:
		return &httpx.Error{Status: 426, Reason: "another " + fieldVersion} // 4.4
	case !oneKey || !validKey(key):
		return &httpx.Error{Status: 400, Reason: "bad " + fieldKey}
	}
	return nil
}

// switching is the answer to a request that is good. RFC 6455, 4.2.2.
func switching(r *httpx.Request, a *agreement) (*httpx.Response, error) {
	answer := httpx.NewResponse(101)
	h := &answer.Header
	err := errors.Join(
		h.Add("Upgrade", "websocket"),
		h.Add("Connection", "Upgrade"),
		h.Add(fieldAccept, Accept(string(r.Header.Get(fieldKey)))),
	)
	if a.Protocol != "" {
		err = errors.Join(err, h.Add(fieldProtocol, a.Protocol))
	}
	if a.extension != "" {
		err = errors.Join(err, h.Add(fieldExtensions, a.extension))
	}
	if err != nil {
		answer.Release()
		return nil, err
	}
	return answer, nil
}

// Refusal is the answer for an error of Check, with the fields that belong to it. Safe for concurrent use. The caller must
// release it or pass it on.
func Refusal(err error) *httpx.FullResponse {
	e := &httpx.Error{Status: 500, Reason: "internal error"}
	errors.As(err, &e)
	r := httpx.NewFullResponse(e.Status)
	r.SetBodyString(e.Reason + "\n")
	bad := r.Header.Add("Content-Type", "text/plain; charset=utf-8")
	switch e.Status {
	case 405:
		bad = errors.Join(bad, r.Header.Add("Allow", "GET"))
	case 426: // RFC 9110, 15.5.22
		bad = errors.Join(bad, r.Header.Add("Upgrade", "websocket"), r.Header.Add("Connection", "Upgrade"),
			r.Header.Add(fieldVersion, version))
	}
	if bad != nil { // these fields are good
		r.Header.Reset()
	}
	return r
}
