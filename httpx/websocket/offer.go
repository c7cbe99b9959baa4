package websocket

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/penstock-go/penstock/httpx"
)

// HandshakeError says why a client did not get its WebSocket.
type HandshakeError struct {
	// Status is that of the answer when it was not 101, else 0.
	Status int
	// Reason says what was wrong in a few fixed words.
	Reason string
	// Err is the cause when there was no answer, such as a *handlers.TimeoutError or io.ErrUnexpectedEOF. It may be nil.
	Err error
}

// Error implements error.
func (e *HandshakeError) Error() string {
	switch {
	case e.Err != nil:
		return fmt.Sprintf("websocket: handshake: %s: %v", e.Reason, e.Err)
	case e.Status != 0:
		return fmt.Sprintf("websocket: handshake: %s: status %d", e.Reason, e.Status)
	}
	return "websocket: handshake: " + e.Reason
}

// Unwrap gives the cause.
func (e *HandshakeError) Unwrap() error { return e.Err }

// Offer is the client's side of one handshake: what it asks for, and what may be answered. RFC 6455, 4.1. A Dialer does all
// of it; an Offer is for those who have an HTTP connection already. It belongs to one goroutine at a time.
type Offer struct {
	// Target is the path and query; "" = "/".
	Target string
	// Host is the value of the Host field: the port is left out when it is the scheme's own. Required.
	Host string
	// Header has further fields, such as Origin, Cookie and Authorization; nil = none.
	Header *httpx.Header
	// Protocols are the subprotocols that are asked for, most wanted first; the server must choose one. None: it must not.
	Protocols []string
	// Deflate is what this end wants of permessage-deflate; nil = nothing.
	Deflate *Deflate

	key string
}

// Request returns the request, with a new key, for the connection to the server. The caller must release it or pass it on.
// An *httpx.Error says that a field can't be sent.
func (o *Offer) Request() (*httpx.Request, error) {
	if err := o.Deflate.check(); err != nil {
		return nil, err
	}
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails: it ends the program instead
	o.key = base64.StdEncoding.EncodeToString(nonce[:])
	target := o.Target
	if target == "" {
		target = "/"
	}
	r := httpx.NewRequest(httpx.MethodGet, target)
	h := &r.Header
	err := errors.Join(
		h.Add("Host", o.Host),
		h.Add("Upgrade", "websocket"),
		h.Add("Connection", "Upgrade"),
		h.Add(fieldKey, o.key),
		h.Add(fieldVersion, version),
	)
	for _, name := range o.Protocols {
		err = errors.Join(err, h.Add(fieldProtocol, name))
		if !isToken(name) {
			err = errors.Join(err, &httpx.Error{Reason: "bad subprotocol"})
		}
	}
	if o.Deflate != nil {
		err = errors.Join(err, h.Add(fieldExtensions, o.Deflate.offer().String()))
	}
	if err != nil {
		r.Release()
		return nil, err
	}
	if o.Header != nil {
		h.AddAll(o.Header)
	}
	return r, nil
}

// Verify says what an answer to the last Request has agreed on. It returns a *HandshakeError when that is no WebSocket, or
// not what was asked for. It keeps nothing of r. RFC 6455, 4.1.
func (o *Offer) Verify(r *httpx.Response) (Agreement, error) {
	if r.Status != 101 {
		return Agreement{}, &HandshakeError{Status: r.Status, Reason: "the server refused"}
	}
	accept, one := single(&r.Header, fieldAccept)
	switch {
	case !r.Header.HasToken("Upgrade", "websocket"), !r.Header.HasToken("Connection", "upgrade"):
		return Agreement{}, &HandshakeError{Reason: "the server switched to another protocol"}
	case !one || accept != Accept(o.key):
		return Agreement{}, &HandshakeError{Reason: "wrong " + fieldAccept}
	}
	protocol, one := single(&r.Header, fieldProtocol)
	switch {
	case !one, protocol != "" && !slices.Contains(o.Protocols, protocol):
		return Agreement{}, &HandshakeError{Reason: "a subprotocol that was not asked for"}
	case protocol == "" && len(o.Protocols) > 0:
		return Agreement{}, &HandshakeError{Reason: "no subprotocol"}
	}
	deflate, err := o.extensions(&r.Header)
	if err != nil {
		return Agreement{}, err
	}
	return Agreement{Protocol: protocol, Deflate: deflate}, nil
}

// extensions says what the answer has made of the offer. RFC 6455, 9.1; RFC 7692, 5.1.
func (o *Offer) extensions(h *httpx.Header) (*Deflate, error) {
	list, ok := parseExtensions(h.Values(fieldExtensions))
	switch {
	case !ok:
		return nil, &HandshakeError{Reason: "bad " + fieldExtensions}
	case len(list) == 0:
		return nil, nil
	case len(list) > 1 || list[0].name != extensionDeflate || o.Deflate == nil:
		return nil, &HandshakeError{Reason: "an extension that was not asked for"}
	}
	answer, ok := parseDeflate(list[0])
	if !ok {
		return nil, &HandshakeError{Reason: "bad parameter of " + extensionDeflate}
	}
	agreed, ok := o.Deflate.settle(answer)
	if !ok {
		return nil, &HandshakeError{Reason: "a parameter of " + extensionDeflate + " that was not asked for"}
	}
	return &agreed, nil
}
