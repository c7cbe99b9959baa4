package httpx

import (
	"crypto/rand"

	"github.com/penstock-go/penstock/pipeline"
)

// RequestID gives each request an id, by which its traces in logs are found: 26 letters and digits with 128 random bits.
// It stands in a field of the request, for the handlers behind, and of the answer.
type RequestID struct {
	// Field is where the id stands; "" = X-Request-Id.
	Field string
	// Accept takes the id that a request comes with when it is one line of 1 to 64 letters, digits and "-._". Anybody
	// can send one, so use it behind a proxy that sets or removes the field. false = every request gets a new id.
	Accept bool
}

// Middleware returns r as a middleware for Chain. The error is an *Error when Field is no name.
func (r RequestID) Middleware() (func(next HandlerFunc) HandlerFunc, error) {
	if r.Field == "" {
		r.Field = "X-Request-Id"
	}
	if err := checkField(r.Field, ""); err != nil {
		return nil, err
	}
	return func(next HandlerFunc) HandlerFunc {
		return func(ctx *pipeline.Context, x *Exchange) error { return r.serve(ctx, x, next) }
	}, nil
}

func (r *RequestID) serve(ctx *pipeline.Context, x *Exchange, next HandlerFunc) error {
	id := r.incoming(&x.Request.Header)
	if id == "" {
		id = rand.Text()
		if err := x.Request.Header.Set(r.Field, id); err != nil {
			return err
		}
	}
	x.OnAnswer(func(a *Response) { _ = a.Header.Set(r.Field, id) }) // both have been checked
	return next(ctx, x)
}

// incoming returns the id that a request comes with, "" when that is not to be used.
func (r *RequestID) incoming(h *Header) string {
	const maxBytes = 64
	i := h.index(r.Field, 0)
	if !r.Accept || i < 0 || h.index(r.Field, i+1) >= 0 {
		return ""
	}
	id := h.valueAt(&h.fields[i])
	for _, c := range id {
		if charClass[c]&(classAlpha|classDigit) == 0 && c != '-' && c != '.' && c != '_' {
			return ""
		}
	}
	if len(id) > maxBytes {
		return ""
	}
	return string(id)
}
