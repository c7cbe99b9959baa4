// Package websocket speaks WebSocket (RFC 6455) with permessage-deflate (RFC 7692), as server and as client. The codec
// turns bytes into messages and back and knows neither sockets nor pipelines.
//
// Start with three types. A Message is a whole data message, text or binary. [Config.Handlers] are the handlers of a
// connection behind the handshake: a Decoder, an Encoder, and a Session, which answers pings, closes properly, and gives
// up peers that break the rules or are silent. Behind them there are data messages, and a CloseEvent at the end.
//
//	bytes -> Decoder -> *Message, *Ping, *Pong, *Close            -> Session -> *Message, CloseEvent
//	bytes <- Encoder <- *Message, *Prepared, *Pong, *Close ...    <- Session <- *Message, *Prepared, *Piece, *Ping, *Close
//
// A connection that carries another protocol has a Stream behind the Session ([Config.Streaming]): bytes on both sides.
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
//
// Sizes are checked when the head of a frame is known, before memory is taken. What breaks a rule is an *Error with the
// code for the Close frame that answers it; after it the rest of the connection is dropped unread.
//
// Decoders and encoders belong to one connection and its event loop; a Prepared, and Retain and Release of all messages,
// are safe for concurrent use.
package websocket
