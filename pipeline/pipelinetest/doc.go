// Package pipelinetest is package embedded for tests: a channel without a socket that fails its test when something is
// left over. Whatever the test asserts, it also finds messages that nobody read, buffers that nobody released, promises
// that never completed, timers that outlive the channel, and errors that nobody expected.
//
//	ch := pipelinetest.New(t, codec.NewDecoder(QuoteCodec{}), codec.NewEncoder(QuoteCodec{}), pipeline.OnRead(b.quote))
//	ch.Feed("\x04ACME" + cents(100)) // byte by byte, so that framing is tested by the way
//	require.Equal(t, "\x04ACME"+cents(100), ch.Wire())
//
// Start with New, Channel.Feed, In and Out; ExpectError is for tests of failures, and Recorder shows in which order a
// handler sees events. Everything runs on the test's goroutine and in virtual time: AdvanceTime.
// What another channel has caused arrives by RunPending.
package pipelinetest
