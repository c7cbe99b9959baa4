// Package pipeline runs chains of handlers over connections, on event loops, in the manner of Netty.
//
// Start with three types: a [Channel] is one connection, its [Pipeline] the list of handlers, and a
// handler any value that implements one of the one-method interfaces of handler.go ([ReadHandler],
// [WriteHandler], …). Each method gets a [*Context], the handler's place in the pipeline.
//
//	          socket                                          application
//	            │                                                  │
//	bytes ──▶ head ──▶ decoder ──▶ ········ ──▶ session ──▶ tail   │  inbound:  HandleRead, ctx.FireRead
//	bytes ◀── head ◀── encoder ◀── ········ ◀── session            │  outbound: HandleWrite, ctx.Write
//
// Names tell the direction: Handle<Event> is what a handler implements, ctx.Fire<Event> passes an inbound
// event on, a bare verb (ctx.Write, ctx.Flush, ctx.Close, ctx.Read) goes outbound from the previous handler.
//
// # How a byte travels
//
// In: the transport calls [Channel.ReadReady] (read.go) for a readable socket. It reads into a pooled buffer and
// fires it from the head by [Context.FireRead] (context.go); each handler calls the next one directly, a decoder
// fires messages, a session takes them.
//
// Out: [Context.Write] (context.go) calls the handlers towards the socket, an encoder turns the message into
// bytes, the head (sentinel.go) queues them (outbound.go).
//
// At the end of the batch read-complete is fired; the loop (loop.go) settles every channel that was touched
// (Channel.settle in channel.go): it is flushed by one system call (flush.go), and promises complete. Nothing calls
// back into a handler that is still running, except for HandleWritability and what a handler itself causes by
// firing and writing.
//
// # Order of events
//
//	added → active → (read* → read complete)* → [read closed] → inactive → removed, from the tail
//
// Active and inactive come at most once. Inactive is the last event; it never runs inside another callback,
// and by then pending promises have failed and queued messages are released.
//
// # Who owns a message
//
// Whoever receives a message owns one reference and must pass it on, keep it, or release it, exactly once; a
// call that takes a message takes it even when it fails. Messages that hold pooled bytes implement
// [buffer.Counted]. Messages travel as any, are pointers, and are told apart by one switch on concrete types.
// [OnRead] makes a handler of a typed function that takes its message, [OnLend] of one that only looks.
//
// # Which goroutine
//
// A loop runs all callbacks of its channels on one goroutine. Methods of Context, Pipeline and Promise are for
// that goroutine. [Channel.Send], [Channel.Write], [Channel.Post], [Channel.Close] and [Loop.Post] are safe for
// concurrent use: they enter one queue for each loop. The writes of one goroutine keep their order; what was
// posted before a batch of a channel runs before that batch; beyond that there is no order.
//
// # Errors
//
// An inbound error that a handler returns goes to the same handler's HandleError, then onward. The tail logs
// it once and closes the channel. An outbound error fails the promise, or is what ctx.Write returns. A panic, or
// a runtime.Goexit, in a callback closes the channel that the callback belongs to and no other.
//
// # Backpressure
//
// Writes are counted from the moment they are queued. Above [Options].WriteHigh the channel is not
// [Channel.Writable], handlers are told, and reading pauses by itself; below WriteLow all of that ends. Decoders ask
// [Channel.Reading] between two messages. Past HardCap a write fails with [ErrOutboundFull].
//
// # Limits
//
// All are on in the zero configuration. Those of this module that are not a protocol's own:
//
//	what                                         default           where
//	accept to ready                              10 s              handlers.ExpectReady, handlers.Detect.Deadline
//	bytes for protocol detection                 64 B              handlers.Detect.MaxBytes
//	idle                                         60 s              handlers.Idle.All
//	peer takes no byte                           30 s              Options.WriteStall
//	linger after a drained close                 2 s               Options.Linger
//	drain at shutdown                            15 s              transport.Server.DrainTimeout
//	outbound high, low, hard cap per channel     64, 32 KiB, 16 MiB  Options.WriteHigh, WriteLow, HardCap
//	reads in one batch                           16                Options.MaxReads
//	connections in all, per address              10,000, 1,000     transport.Server.MaxConns, MaxPerAddress
//	bytes held for one incomplete message        1 MiB             codec.DecoderHandler.MaxHeld
//	inflated bytes, ratio                        16 MiB, 100:1     codec.Cap.MaxBytes, MaxRatio
//	memory that a zstd stream may ask for        8 MiB             codec.Cap.MaxWindow
//	messages of a queue or subscription          10,000            broker.Broker.MaxMessages
//	bytes of a queue or subscription             64 MiB            broker.Broker.MaxBytes
//	tries of a message                           16                broker.Broker.MaxDeliveries
//	destinations of a broker                     100,000           broker.Broker.MaxDestinations
//	actions of a transaction                     1,024             broker.Broker.MaxActions
//	bytes that a transaction publishes           8 MiB             broker.Broker.MaxTransactionBytes
//
// # Glossary
//
//	Channel      one connection. A Go chan is named by its content (done, acks), never ch.
//	Pipeline     the ordered handlers of a channel; head = socket side, tail = application side
//	Context      a handler's place in one pipeline
//	Loop         the goroutine that runs the handlers of its channels
//	Promise      how one write or close ended; nil = nobody cares
//	batch        one look at a socket: up to MaxReads reads and all that follows from them
//	watermark    the queue sizes at which a channel becomes unwritable and writable again
//	transport    the socket under a channel; the one interface between the core and what is below it
//
// # For transports
//
// Whoever brings another kind of socket implements [Transport] and drives the core: [NewLoop] with a
// [LoopConfig], [Loop.Bind], [Loop.RunPending], [Loop.Close]; [NewChannel] with a [ChannelConfig], [Channel.Open],
// [Channel.ReadReady], [Channel.WriteReady], [Channel.Failed]. [Channel.Inject] is for bridges that have
// messages instead of bytes, [Sink] for harnesses. Handlers need none of these.
//
// The parts: [github.com/penstock-go/penstock/pipeline/buffer] has the bytes,
// [github.com/penstock-go/penstock/pipeline/transport] sockets and event loops,
// [github.com/penstock-go/penstock/pipeline/embedded] a channel in memory for tests.
package pipeline
