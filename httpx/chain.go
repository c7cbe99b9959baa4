package httpx

// Chain returns f with middleware around it. The first is the outermost: it is called first, and decides whether and
// when the next is. A middleware answers in the place of next, adds to the exchange before it, or has
// Exchange.OnAnswer called with the answer behind it.
func Chain(f HandlerFunc, middleware ...func(next HandlerFunc) HandlerFunc) HandlerFunc {
	for i := len(middleware) - 1; i >= 0; i-- {
		f = middleware[i](f)
	}
	return f
}
