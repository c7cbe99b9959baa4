// Package httpx speaks HTTP/1.1 (RFC 9110 and RFC 9112): servers and clients on event loops, and the codec alone.
//
// Start with three things. A [HandlerFunc] answers requests, an [Exchange] is one request and its answer, and [Init]
// makes the Init of a transport.Server out of a [ServerConfig]:
//
//	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{
//		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "hello\n") },
//	})}
//
// On a port that speaks other protocols too, [Match] tells which connections are HTTP, and [Install] does what Init does.
//
// # The pipeline of a server
//
//	bytes -> RequestDecoder  -> Server -> Handlers -> ExchangeHandler   *Request, *Content ... *Content
//	bytes <- ResponseEncoder <- Server <- Handlers <- ExchangeHandler   *FullResponse, a small answer in one piece
//	                                                                    *Response, *Content ... *Content, a streamed one
//
// Decoder and encoder know neither sockets nor pipelines. They share a [State], which matches each answer to its request:
// an answer to HEAD has no body, a client that asked for it gets Connection: close. [Server] holds clients to [Deadlines],
// answers what can't be read, and ends the connection as [KeepAlive] says. Handlers are what ServerConfig.Handlers makes:
// [AccessLog], [Decompressor], [Compressor], [Aggregator], and those of the program. [ExchangeHandler] calls Handle, and
// sends answers, which may be given in any order, in that of the requests.
//
// The last *Content of a body has Last; when it has nothing else it is the singleton [EmptyLast], so compare pointers. A
// message that is known to have no body (Length 0) is complete by itself, and nothing follows it.
//
// # Answering
//
// [Exchange.Respond] gives an answer whole, [Exchange.Begin] begins one in pieces; [Exchange.ReadBody] collects the
// request's body, [Exchange.OnBody] takes it as it comes. All of that is under backpressure. [Exchange.Upgrade] leaves
// HTTP, as package websocket does; package nethttp runs handlers that were written for net/http.
//
// [Router] chooses among functions by method, host and path, [Chain] puts middleware in front: [CORS], [RequestID], and
// what uses [Exchange.OnAnswer]. [Files] serves a directory, [NewEvents] a stream of events. [ParseQuery],
// [Exchange.ReadForm] and [Multipart] read what clients send, [Request.Cookies] and [Header.AddCookie] are for cookies,
// [Representation] and [ParseRange] for conditional requests and parts, [PreferEncoding] and [ParseMediaType] for content,
// and [Forwarded] knows who is behind a proxy.
//
// # Asking
//
// [Client] sends requests over connections that it keeps: [Client.Do] for goroutines that may wait, [Client.Start] and
// [Client.Stream] for event loops, each with a [Call] that takes the response. [Proxy] reaches servers through an HTTP
// proxy. A pipeline of one's own has a [RequestEncoder] and a [ResponseDecoder], which share a State likewise.
//
// # Limits
//
// Everything that a peer can make us hold, or wait for, has a limit, which stands with its default at the field that sets
// it: heads in [Limits], bodies where they are collected, time in Deadlines, what waits in ServerConfig and Client. Zero
// means the default; few can be turned off, and then the field says so.
//
// The zero [DecoderConfig] is strict: wherever RFC 9112 leaves a choice, the reading that no other implementation can
// misunderstand is taken, and one field of the config selects the other. What breaks a rule is an [*Error], which says
// what to answer; after it the decoder drops the rest of the connection unread.
//
// # Who owns a message
//
// Whoever receives a message owns one reference: it is passed on, kept, or released, exactly once. A call that takes a
// message takes it even when it fails. Decoded messages hold slices of the read buffer, so byte slices got from them end
// with them. Encoders neither keep messages nor release them; large bodies travel by a reference of their own. The Request
// of an Exchange is the exception: it stays with the Exchange, and readable for as long as that is held.
//
// # Which goroutine
//
// Codecs, handlers and exchanges belong to the event loop of their connection, and functions that it calls must not block.
// An answer may come from any goroutine: [Exchange.Respond] and its short forms, [Exchange.Post], [Exchange.Parent] and
// [Events.Send] are safe for concurrent use, as are Client, Router and Files. Messages may move between goroutines.
package httpx
