// Package client is the client's side of STOMP 1.0, 1.1 and 1.2: one connection to a server, which is replaced when it is
// lost, and what goes over it: subscriptions, messages, acknowledgements, receipts and transactions.
//
// Start with three types. A [Client] has the connection and sends, a [Subscription] says where messages come from and who
// takes them, and a [Message] is one of them.
//
//	c := &client.Client{Dial: dialer.Dial, Address: "broker:61613", Login: "guest", Passcode: "guest", Host: "/"}
//	err := c.Connect(parent)
//	err = c.Subscribe(parent, &client.Subscription{
//		Destination: "/queue/orders", Ack: client.AckClientIndividual,
//		Handle: func(ctx *pipeline.Context, m *client.Message) { take(m.Body()); m.Ack() },
//	})
//	err = c.SendReceipt(parent, stomp.NewFrame(stomp.CommandSend, stomp.HeaderDestination, "/queue/orders"))
//	err = c.Close(parent)
//
// Any pipeline.DialFunc makes the connections: that of a transport.Client for TCP, of transport.Conns with a tls.Dialer
// for TLS, of a websocket.Dialer, of an embedded.Network in tests.
//
// # When the connection is lost
//
// It is, when the socket breaks or the server closes it, sends ERROR, breaks the protocol, or gives no sign of life for
// Client.Tolerance times the agreed interval. Then
//
//   - subscriptions are made again, as soon as there is another connection (Client.Reconnect);
//   - messages that were not settled come again; settling those of the old connection returns [ErrStale];
//   - what was on its way ends with [ErrUnconfirmed]: the server may have it or not. With Client.Resend, frames that were to
//     be confirmed are sent again instead, so that the server has them at least once;
//   - what had not been sent ends with [ErrNotConnected];
//   - transactions are dropped by the server, and return [ErrStale]; a Commit on its way ends with [ErrUnconfirmed];
//   - calls that need a connection return [ErrNotConnected], unless Client.MaxOffline lets frames wait for the next one.
//
// So a caller that waits for a receipt always learns what has become of its frame, or that nobody knows.
//
// # Which goroutine
//
// Functions of the program (Subscription.Handle, Client.OnStatus and those called done) run on the connection's event loop,
// unless there is none, and must not wait; the methods that wait return pipeline.ErrOnLoop there, so those called Start… are for
// them. Everything else is safe on any goroutine.
//
// # Who owns a message
//
// Frames that are sent are taken, in any case, and must not be shared. Messages are lent to Handle; Retain keeps one. Texts
// of a Message live as long as it does.
//
// # STOMP over WebSocket
//
// A websocket.Dialer with the protocols v12.stomp, v11.stomp and v10.stomp is the DialFunc, and the hooks Client.WrapFrame
// and WrapEOL make one WebSocket message of each frame, text or binary. This package knows nothing of WebSocket:
//
//	WrapFrame: func(f *stomp.Frame, encoded any) (any, error) {
//		return websocket.MessageOf(f.Headers.Get(stomp.HeaderContentType), encoded)
//	},
//
// # Servers
//
// RabbitMQ wants the virtual host "/", knows Subscription.Prefetch, and answers over its temporary queues to
// Client.OnMessage. ActiveMQ has the prefetch in a header of its own, activemq.prefetchSize. A server that sends no
// receipts for SUBSCRIBE is used by StartSubscribe.
//
// # Limits
//
//	what                                          default         where
//	line, headers, head, body of a frame          4 KiB, 100, 32 KiB, 4 MiB   Client.Limits
//	dialing, answer to CONNECT                    10 s each       Client.ConnectTimeout
//	answer to DISCONNECT                          10 s            Client.CloseTimeout
//	silence of the server                         2.5 intervals that were agreed on, of 10 s       Client.Tolerance, HeartBeat
//	subscriptions                                 256             Client.MaxSubscriptions
//	open transactions                             16              Client.MaxTransactions
//	receipts that are awaited                     4,096           Client.MaxReceipts
//	octets that are unsent                        1 MiB           Client.MaxUnsent
//	frames that wait for a connection             none            Client.MaxOffline
//	text of an ERROR frame's body that is kept    4 KiB           ServerError.Body
//
// How long a receipt may take is up to the parent of the call that waits; done of a Start… waits as long as the connection
// lasts.
package client
