package httpx

// TrailerAllowed reports whether a field called name may stand in a trailer section: those that decide about framing,
// routing, authentication or how the content is read may not, and encoders refuse them. Safe for concurrent use.
// RFC 9110, 6.5.1.
func TrailerAllowed(name string) bool { return validToken(name) && trailerName(name) == fieldOther }
