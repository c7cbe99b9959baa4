package httpx

// DecoderConfig says how strict a decoder is. The zero value is the strict reading of RFC 9112 with all limits on; each
// field selects the other reading that the specification allows. Whether two parties read a stream alike decides about
// request smuggling (RFC 9112, 11.2): relax only what a known sender needs.
type DecoderConfig struct {
	Limits Limits

	// AllowMissingHost accepts an HTTP/1.1 request without a Host field; by default the field is required and the answer
	// is 400. Two Host fields, or an invalid one, are refused in either case. RFC 9112, 3.2.
	AllowMissingHost bool
	// AllowBlankRuns splits a request line on any run of SP and HTAB; default 400. RFC 9112, 3.
	AllowBlankRuns bool
	// AllowObsTextInTarget passes octets above 0x7f in a request target through; default 400. RFC 9112, 3.2.
	AllowObsTextInTarget bool
	// RefuseNewerMinor answers 505 to HTTP/1.2 and up; by default they are read as HTTP/1.1. RFC 9110, 2.5.
	RefuseNewerMinor bool
	// UnfoldLines replaces a folded field line's fold by one SP; default 400. Responses are always unfolded.
	// RFC 9112, 5.2.
	UnfoldLines bool
	// AllowBareLF lets LF alone end a start line or a field line; default 400. Chunk lines and trailers always end in
	// CR LF. RFC 9112, 2.2.
	AllowBareLF bool
	// CollapseEqualLengths takes several equal Content-Length values for one; default error. RFC 9112, 6.3.
	CollapseEqualLengths bool
	// PreferTransferEncoding drops Content-Length when there is Transfer-Encoding too, and closes after the message;
	// default error. RFC 9112, 6.1 and 6.3.
	PreferTransferEncoding bool
	// NotImplementedForChunkedTwice answers 501 instead of 400 when a request is chunked more than once; it is never
	// decoded. RFC 9112, 6.1.
	NotImplementedForChunkedTwice bool
	// RefuseChunkBlanks refuses blanks in chunk extensions; by default they are skipped. RFC 9112, 7.1.1.
	RefuseChunkBlanks bool
	// RefuseForbiddenTrailers refuses a trailer section with a field that may not be there; by default the field is
	// dropped. RFC 9110, 6.5.1.
	RefuseForbiddenTrailers bool
	// RequireReasonSpace refuses a status line without the SP behind the status; by default it is accepted.
	// RFC 9112, 4.
	RequireReasonSpace bool
}

// Strict returns the zero value under a name: the reading of everything that no other implementation can misunderstand.
func Strict() DecoderConfig { return DecoderConfig{} }

// Lenient returns the reading that RFC 9110 and RFC 9112 allow a server that wants to serve old and careless clients. All
// limits stay on, and what they forbid stays refused. Do not use it behind or in front of an intermediary that may read
// the same octets in another way: RFC 9112, 11.2.
func Lenient() DecoderConfig {
	return DecoderConfig{
		Limits:                 Limits{ChunkDigits: lenientChunkDigits},
		AllowBlankRuns:         true,
		AllowObsTextInTarget:   true,
		UnfoldLines:            true,
		AllowBareLF:            true,
		CollapseEqualLengths:   true,
		PreferTransferEncoding: true,
	}
}

// lenientChunkDigits leaves room for the leading zeros of senders that pad chunk sizes.
const lenientChunkDigits = 64
