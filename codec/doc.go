// Package codec has what stands between bytes and messages: drivers that run decoders and encoders in a pipeline,
// decoders and encoders of frames, compression, checksums, and large bodies that are made while they are sent.
//
// Start with three types. A [Decoder] is a pure function with state, from bytes to messages of one type; an [Encoder]
// is the way back. Neither knows of channels, so both are tested as functions. [NewDecoder] and [NewEncoder] make handlers
// of them, and the [DecoderHandler] does what is hard: joining what arrives in pieces, messages that cause more
// bytes to arrive, removal in the middle of a stream, backpressure, limits and the end.
//
//	p.AddLast(
//		codec.NewDecoder(&codec.LengthField{Strip: 4}),      // bytes → frames
//		codec.NewEncoder[any](codec.LengthPrefix{}),         // frames → bytes
//		codec.NewMessageDecoder(codec.TextDecoder{}),        // frames → *codec.Text
//		pipeline.OnRead(greet),                              // func(ctx *pipeline.Context, t *codec.Text) error
//	)
//
// # The parts
//
//	bytes ↔ messages     Decoder, Encoder, run by NewDecoder, NewEncoder; more that they may implement: optional.go
//	messages ↔ messages  MessageDecoder, MessageEncoder, run by NewMessageDecoder, NewMessageEncoder
//	frames in            Line, Delimiter, FixedLength, LengthField, Varint
//	frames out           LineEncoder, DelimiterEncoder, LengthPrefix, VarintPrefix
//	texts                Text, TextDecoder, TextEncoder
//	checksums            CRC32C, behind the codec of frames
//	compression          Inflater (run by NewDecoder) under a Cap, Deflater (run by NewDeflate)
//	parts → a whole      Aggregator, told how by an Assembly
//	large bodies         Chunks, sent by a ChunkedWriter
//	which protocol       Verdict, what a protocol says about the first bytes
//
// # A codec in ten steps
//
// The example of this page is the result.
//
//  1. Write the message type. Messages travel as pointers: a value in an any costs an allocation at every handler.
//  2. Write Decode(in) (m, ok, err). Look at in.Bytes(). When the message is not all there, return ok == false
//     and consume nothing: what is left comes again, with more behind it.
//  3. When it is, consume exactly its bytes and return it. in itself is not yours: copy what is small, and take what is
//     large by in.ReadSlice, which costs no copy; the message then has Retain and Release.
//  4. Check every length against a limit before you wait or allocate for it.
//  5. Return an error for what can't be right, a sentinel or a struct that callers can tell apart. Consume the bad part
//     if you can go on behind it. Never panic on input.
//  6. If a message may come in many pieces, keep how far you have looked, so that no byte is looked at twice.
//  7. Write Size(m) and Encode(out, m). Refuse what the peer would read as something else; nothing is sent then.
//  8. If the end of the stream means something, add DecodeEOF. If the codec holds pooled bytes between calls, add Reset.
//  9. Test it by codectest.Verify, which feeds your input in every way it can be cut, and by a fuzz target that encodes
//     what was decoded.
//  10. Put both into a pipeline by NewDecoder and NewEncoder, and test that by pipelinetest.New, Feed and Wire.
//
// # Who owns bytes
//
// A decoder lends its input; a message owns what it took by ReadSlice. Frames are *buffer.Buffer and belong to whoever
// receives them: up to 256 bytes copies, above that views of the read buffer. Drivers release what they have decoded
// or encoded, also on failure. An encoder does not keep its message.
//
// # Which goroutine
//
// Everything here runs on the event loop of one channel, and values with state belong to one channel. Only
// [ChunkedWriter.ResumeTransfer] is safe for concurrent use. Nothing starts a goroutine; an [Inflater] runs its library as
// a coroutine.
//
// # Limits
//
//	what                                      default   where
//	bytes held for one incomplete message     1 MiB     DecoderHandler.MaxHeld
//	line, delimited frame                     8 KiB     Line.MaxBytes, Delimiter.MaxBytes
//	frame behind its length                   1 MiB     LengthField.MaxBytes, Varint.MaxBytes, and those of their encoders
//	aggregate                                 1 MiB     Assembly.MaxBytes
//	inflated bytes, ratio, window of zstd     16 MiB, 100:1, 8 MiB   Cap
//	what waits behind a transfer              16 MiB    pipeline.Options.HardCap
//	close that waits for a transfer           15 s      ChunkedWriter.CloseWait
package codec
