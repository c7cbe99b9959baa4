package httpx

// WholeResponse is a response type of your own: embed a FullResponse in it, which has the method, add what your handlers
// tell each other, and write it like a *FullResponse. A ResponseEncoder tries it last, behind the types of this package.
//
//	type Page struct {
//		httpx.FullResponse
//		Template string
//	}
//
// The encoder releases what was written, not what Whole returns; with an embedded FullResponse that is the same. Handlers
// of this package that look at answers on their way see a *FullResponse only.
type WholeResponse interface {
	// Whole returns the answer, which stays the message's own; nil is refused with ErrOrder. It is called on the event
	// loop, more than once for one message, and must return the same each time.
	Whole() *FullResponse
}

var _ WholeResponse = (*FullResponse)(nil)

// Whole returns f, so that a type that embeds a FullResponse is a WholeResponse.
func (f *FullResponse) Whole() *FullResponse { return f }
