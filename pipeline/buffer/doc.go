// Package buffer holds the bytes that travel through pipelines: pooled, reference-counted, shared without copying.
//
// # What to use
//
//	Pool       an event loop's own allocator; Shared (and Get) serve all other goroutines
//	Buffer     a run of bytes with a readable window and room behind it; what sockets read into
//	Slice      a piece of a Buffer, held by the message that was decoded from it
//	Composite  a rope: several buffers read as one run of bytes
//	Writer     what encoders fill: small things in one buffer, large bodies by reference
//
// Begin with Buffer and Writer; a decoder needs no more than Buffer.Next, Buffer.ReadSlice and Buffer.Len, an encoder no
// more than the Append methods and Writer.AppendRef.
//
// # Who owns the bytes
//
// Whoever receives a message owns one reference and must pass it on, keep it, or release it, exactly once; a call that
// takes a message takes it even when it fails. In particular:
//
//   - Get, Wrap, FromString, FromBytes, NewComposite, Slice, Sub, View, Split and Take give the caller a reference.
//   - Append, AppendSlice and AppendComposite of a Composite, and AppendRef and AppendSlice of a Writer, take one.
//   - Bytes, Peek, Next, Part, Iovecs and Reserve lend: what they return needs no release and is gone when the buffer
//     is released, appended to or, for a Composite, consumed.
//   - Bytes may be changed in place only while Unique is true. Appending into the room behind the window is always
//     allowed, as nobody else sees it; growing is not, as it moves the bytes.
//
// Retain and Release are safe for concurrent use, so are Get, Shared, GetShared, Live and the statistics. Everything
// else belongs to one goroutine at a time, Get and Put of a Pool to its loop. A message that others hold, too, may be
// read by all of them as long as nobody consumes it: take a View, or a Slice as a Buffer, to consume on your own.
//
// # How memory comes and goes
//
// Requests are rounded up to a size class: 64, 128 and 256 bytes, then each power of two up to 1 MiB and the same plus one
// eighth, because messages are a power of two plus a header. Larger ones are plain memory.
//
//	Pool.Get   free list of the class -> what other goroutines returned -> shared pool -> make
//	Pool.Put   free list of the class -> shared pool, above PoolConfig.MaxHeldBytes
//	Release    the home pool's return stack (a quarter of its limit) -> shared pool
//
// A buffer always returns to the pool that gave it, so a loop that only sends what another loop frees does not starve.
// Pool.Put on the loop is the fast way back; Release is right everywhere.
//
// # Finding mistakes
//
// Misuse panics with a text that begins with "buffer: " and names the buffer's origin, never its payload: releasing
// twice, retaining after release, reading past the end, growing or patching shared bytes. What a peer sends cannot cause
// it, as long as decoders look at Len first.
//
// The build tag bufdebug (see Debug) makes every access check that the buffer is alive, overwrites freed memory with
// 0xDB, finds writes to it, keeps the stacks where a buffer was taken and released, and ties a Pool to the goroutine that
// called Bind. In an ordinary build these checks compile to nothing.
//
// SetLeakSampling reports buffers that became garbage without a release, with the stack that took them and the last
// four Touch hints. Pool.Live and SharedStats count what is out; the test harness fails when it does not return to zero.
//
// # Map of the files
//
//	buffer read append reserve patch varint    Buffer
//	slice view                                 Slice, and buffers that are windows of others
//	composite part peek split iov              Composite
//	equal hash javahash crc                    comparing and summing, the same for any chunking
//	writer writer_append writer_composite
//	writer_patch                               Writer
//	pool class returns shared stats tally      where memory comes from
//	counted refs misuse leak
//	poison_on poison_off                       rules, and what watches them
package buffer
