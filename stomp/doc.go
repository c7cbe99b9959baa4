// Package stomp is the codec of STOMP 1.0, 1.1 and 1.2, by the version that is in force on a connection: escapes,
// line ends and limits as each specification has them, and nothing dropped silently.
//
// Three types to start with:
//
//	Frame    a whole frame: Command, Headers, Body
//	Decoder  octets -> *Frame, or with Stream -> *HeadersSubframe, *ContentSubframe..., or with Beats -> *EOL too
//	Encoder  the same types -> octets
//
// A message for many subscribers is a Tail, encoded once, that each of their Deliveries shares: an Encoder writes a
// Delivery as it would write the MESSAGE frame, with the body by reference.
//
// A connection's Decoder and Encoder share one State, which has the negotiated version; the CONNECTED frame that
// passes through either of them sets it. Aggregator makes frames of subframes. NegotiateHeartBeat, HighestVersion
// and MatchPrefix are what a session needs beside the codec. Nothing here knows of channels or time; package codec
// has the handlers that run a Decoder or an Encoder in a pipeline.
//
// # Limits
//
// A Decoder bounds what a peer can make it hold, before memory is taken, with these defaults: a line of 4 KiB, 100
// headers, a head of 32 KiB, a body of 4 MiB. Its work is linear in the octets however they are cut: an unfinished
// head is resumed inside its line, and body octets are consumed as they come.
//
// # Strictness
//
// One reading only: the first content-length counts and must be a number, the octet behind a declared body must be
// NUL, an undefined escape, a CR that ends no line and a NUL among headers are fatal. By default a raw colon in a
// value and a body on any frame are accepted, since many senders write them; Decoder.Strict refuses both. The Encoder
// refuses what the peer would read as something else.
//
// # Ownership
//
// Frames and subframes are counted like buffers: whoever receives one owns one reference and must pass it on, keep it,
// or release it, exactly once. Bodies of 1 KiB and more are references to the buffers that they arrived in (see
// Body); what is shorter lies with the head in memory of the frame's own. Decoding allocates nothing.
//
// Header strings of a decoded frame are views of that memory: valid until the frame is released, then overwritten.
// Whoever keeps one for longer takes strings.Clone of it, or calls Frame.Detach; Frame.Clone is independent anyway. A
// map keeps keys: assigning to an entry that exists puts the string of the new key in place of the old one. Names of
// the specification are constants and always valid. With the tag bufdebug a string that was kept too long
// reads as octets 0xDB.
//
// Decoders, encoders and aggregators belong to one connection and its event loop; Retain and Release are safe for
// concurrent use.
package stomp
