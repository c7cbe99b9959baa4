package httpx

import (
	"errors"

	"github.com/penstock-go/penstock/pipeline"
)

// BodyError is fired by a handler in front of those that answer when it could not make sense of the body that is
// arriving: it inflates to too much, say, or is damaged. Who takes the body gets it as an error, and the request its
// Status as the answer. Pieces that come behind it are not what they should be, and only to be dropped.
type BodyError struct {
	// Status and Reason are those of an *Error, which it matches; a client gets Status 0.
	Status int
	Reason string
	// Cause is what was found.
	Cause error
}

// Error implements error.
func (e *BodyError) Error() string {
	return refuse(e.Status, e.Reason).Error() + ": " + e.Cause.Error()
}

// Unwrap makes it match an *Error as well as Cause.
func (e *BodyError) Unwrap() []error { return []error{refuse(e.Status, e.Reason), e.Cause} }

// HandleError tells the exchange whose body is arriving that it can't be read; other errors pass.
func (h *ExchangeHandler) HandleError(_ *pipeline.Context, err error) error {
	var broken *BodyError
	if !errors.As(err, &broken) {
		return err
	}
	if x := h.receiving; x != nil { // else nobody wants it any more
		h.breakBody(x, err)
	}
	return nil
}

// breakBody ends the body of x with an error.
func (h *ExchangeHandler) breakBody(x *Exchange, err error) {
	x.enter()
	x.body.asked = true
	switch c, f := x.body.collector, x.body.broken; {
	case c != nil:
		err = c.end(nil, err)
	case f != nil:
		err = f(err)
	}
	h.try(x, err)
	x.body.take = nil
	x.leave()
	h.settle(x)
}

// OnBodyError has f called on the event loop, once, when the body can't be read to its end because of a *BodyError; no
// piece follows. What f returns is treated like an error of the HandlerFunc, so that nil leaves the answer to others.
// Without it the BodyError itself is. It is not asked when ReadBody collects the body. Call it on the event loop only.
func (x *Exchange) OnBodyError(f func(err error) error) { x.body.broken = f }
