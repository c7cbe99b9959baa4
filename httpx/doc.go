// Package httpx speaks HTTP/1.1 (RFC 9112). The codec turns bytes into messages and back and knows neither sockets nor
// pipelines; [Install] puts it into one, with [Server], which does what every server must.
//
// Start with three types. A RequestDecoder cuts a stream into messages, a ResponseEncoder writes answers, and a State,
// given to both, matches each answer to its request: an answer to HEAD has no body, a client that asked for it gets
// Connection: close.
//
//	bytes -> RequestDecoder  -> *Request, *Content ... *Content    one message, then the next
//	bytes <- ResponseEncoder <- *FullResponse                      a small answer in one piece
//	                            *Response, *Content ... *Content   a streamed one
//
// The last *Content of a body has Last; when it has nothing else it is the singleton EmptyLast, so compare pointers. A
// message that is known to have no body (Length 0) is complete by itself, and nothing follows it. A client has a
// RequestEncoder and a ResponseDecoder, which share a State likewise.
//
// [Client] sends requests over connections that it keeps: [Client.Do] for goroutines that may wait, [Client.Start] and
// [Client.Stream] for event loops. [Proxy] reaches servers through an HTTP proxy.
//
// Programs answer by a [HandlerFunc]. [Router] chooses among them by method, host and path, [Chain] puts middleware in
// front: [CORS], [RequestID], and what uses [Exchange.OnAnswer]. [Files] serves a directory, [NewEvents] a stream of
// events. [ParseQuery], [Exchange.ReadForm] and [Multipart] read what clients send, [Request.Cookies] and
// [Header.AddCookie] are for cookies, [Representation] and [ParseRange] for conditional requests and parts,
// [PreferEncoding] and [ParseMediaType] for content, and [Forwarded] knows who is behind a proxy.
//
// The zero DecoderConfig is strict: wherever RFC 9112 leaves a choice, the reading that no other implementation can
// misunderstand is taken, and one field of the config selects the other. All limits are on. What breaks a rule is an
// *Error that says what to answer; after it the decoder drops the rest of the connection unread.
//
// Ownership: a decoded message belongs to whoever receives it and is released exactly once. It holds slices of the read
// buffer, so byte slices got from it end with it. Encoders do not keep messages and do not release them; large bodies
// travel by a reference of their own.
//
// Codecs belong to one goroutine at a time, the event loop. Messages may move between goroutines.
package httpx
