// Package codectest checks that a decoder gives the same messages however its bytes arrive, and that it keeps to the
// rules of ownership. A decoder's test is a table of inputs and messages; Verify does the rest:
//
//	codectest.Verify(t, func() codectest.Decoder[*Quote] { return QuoteCodec{} },
//		[]byte("\x04ACME\x00\x00\x00\x00\x00\x00\x00\x64"), []*Quote{{"ACME", 100}}, codectest.Options[*Quote]{})
//
// VerifyError does the same for input that must be refused, and VerifyLinear finds decoders that read bytes again and
// again while a message is incomplete.
//
// Between two pieces the bytes that the decoder left move to fresh memory and the old memory is overwritten, which the
// drivers of package codec do only sometimes.
package codectest
