// Package websocket speaks WebSocket (RFC 6455) with permessage-deflate (RFC 7692), as server and as client.
//
// Start with three types. A Message is a whole data message, text or binary. An Upgrader takes connections on an HTTP
// server, a Dialer makes them; both put these handlers into the pipeline when the handshake is done, and the program's
// behind them:
//
//	bytes -> Decoder -> *Message, *Ping, *Pong, *Close            -> Session -> *Message, CloseEvent
//	bytes <- Encoder <- *Message, *Prepared, *Pong, *Close ...    <- Session <- *Message, *Prepared, *Piece, *Ping, *Close
//
// Decoder and Encoder know neither sockets nor pipelines. The Session answers pings, closes properly, and gives up peers
// that break the rules or are silent. A connection that carries another protocol has a Stream behind it: bytes on both
// sides, so that the handlers of the protocol are those that it has over TCP; where its frames are text or binary, each one
// message, MessageOf makes them. Who does the handshake otherwise has [Config.Handlers], [Config.Streaming],
// [Upgrader.Check] and Offer.
//
// A Prepared is a message for many connections, encoded once. All of them are counted like buffers, but for Close: whoever
// receives one owns one reference and must pass it on, keep it, or release it, exactly once. Payloads are references to
// the buffers that they arrived in, so byte slices got from a message end with it.
//
// # Limits
//
//	payload of a frame, of a message (inflated)   1 MiB, 4 MiB     Limits.Frame, Message
//	frames of a message                           1,024            Limits.Fragments
//	inflated bytes, ratio                         16 MiB, 100:1    Deflate.Cap
//	pings and pongs of the peer in 10 s           1,000            Session.MaxControl
//	pings answered each in one batch              16, then the last
//	silence of the peer, until it is asked        60 s, 30 s       Session.Idle, PingAfter
//	answer to our Close frame                     5 s              Session.CloseWithin
//	handshake of a client                         10 s             Dialer.Within
//	parameters of an extension                    16
//
// Sizes are checked when the head of a frame is known, before memory is taken. What breaks a rule is an *Error with the
// code for the Close frame that answers it; after it the rest of the connection is dropped unread.
//
// # Which goroutine
//
// Decoders, encoders and handlers belong to one connection and its event loop. Upgrader, Dialer and Prepared, and Retain
// and Release of all messages, are safe for concurrent use; other goroutines write by Channel.Send and Channel.Write, which
// take all messages.
//
// # Memory
//
// An idle connection holds no payload and no state of compression, unless takeover was agreed on: then up to 32 KiB of what
// the peer sent, and about 1 MiB for what is sent to it, which is given back when nothing was compressed for a minute.
package websocket
